"""Time and memory of `xcompare.sc.rank_features_groups` on sparse counts.

    python -m benchmarks.cells                       # 20,000 cells, 2,000 genes, 10 clusters, 3 batches
    python -m benchmarks.cells --cells 5000

Memory is the peak of what is allocated during the call (tracemalloc) plus the data, over the size of the
data in CSR format. Needs anndata.
"""

import argparse
import os
import time
import tracemalloc

os.environ.setdefault("OMP_NUM_THREADS", "2")

import anndata
import numpy as np
import pandas as pd
from scipy import sparse

import xcompare.sc

DENSITY = 0.1


def simulated(n_cells: int, n_genes: int = 2_000, n_clusters: int = 10) -> anndata.AnnData:
    """Log counts, a tenth not 0; three batches."""
    rng = np.random.default_rng(0)
    clusters, batches = rng.integers(n_clusters, size=n_cells), rng.integers(3, size=n_cells)
    X = sparse.random_array((n_cells, n_genes), density=DENSITY, format="csr", rng=rng)
    X.data = np.log1p(1 + rng.poisson(1.0, size=X.nnz)).astype(np.float32)
    found = anndata.AnnData(sparse.csr_matrix(X))
    found.obs["cluster"] = pd.Categorical(clusters.astype(str))
    found.obs["batch"] = pd.Categorical(batches.astype(str))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=20_000)
    adata = simulated(parser.parse_args().cells)
    size = sum(part.nbytes for part in (adata.X.data, adata.X.indices, adata.X.indptr))
    print("| call | seconds of a processor | memory / sparse data |\n| --- | --- | --- |")
    for text, options in (("clusters", {}), ("within batches", {"batch_key": "batch"})):
        tracemalloc.start()
        start = time.process_time()
        xcompare.sc.rank_features_groups(adata, "cluster", **options)
        seconds = time.process_time() - start
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"| {text} | {seconds:.0f} | {(peak + size) / size:.1f} |", flush=True)


if __name__ == "__main__":
    main()
