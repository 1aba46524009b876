"""Peak memory of fits and of comparisons, each in a process of its own: the tables of docs/scaling.md.

    python -m benchmarks.memory fits                              # BaggedClustering, four shapes
    python -m benchmarks.memory methods 100000 20                 # every native method through compare
    python -m benchmarks.memory methods 1000000 20 --methods efron,dip
    python -m benchmarks.memory reads 1000000 20                  # files of three formats

Growth of the resident memory from just before the call to its peak, over the size of the data in double
precision, which the caller holds already. The memory of workers does not count.
"""

import argparse
import resource
import sys
import time
import warnings
from datetime import date
from multiprocessing import get_context
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from xcompare.harness.memory import watch_memory
from xcompare.methods import METHODS

FITS = [
    (100_000, 20, 1),
    (100_000, 20, 2),
    (10_000, 200, 1),
    (10_000, 200, 2),
    (200, 5000, 1),
    (1_000_000, 20, 1),
]
LIMIT = 900  # seconds of processor time of a method
SMALL = 300  # rows of the table that comes first


def simulated(n_samples: int, n_features: int) -> np.ndarray:
    """Five clusters in the first half of the features, two standard deviations apart."""
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=n_samples)
    centers = 2 * rng.normal(size=(5, n_features))
    X = rng.normal(size=(n_samples, n_features))
    for feature in range(n_features // 2):
        X[:, feature] += centers[labels, feature]
    return X


def task(kind: str, what: str, X: np.ndarray) -> None:
    """Fit an ensemble with the defaults in so many processes, run a method once, or read a file."""
    import xcompare

    if kind == "fits":
        xcompare.BaggedClustering(5, n_jobs=int(what), random_state=0).fit(X)
    elif kind == "reads":
        xcompare.read_table(what if len(X) > SMALL else what.replace("large.", "small."))
    else:
        used = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used + LIMIT, resource.RLIM_INFINITY))
        found = xcompare.compare(X, 5, methods=what, n_runs=1, n_jobs=1, progress=False)
        for message in found.failures["message"]:
            print(message, end=" ")


def write(folder: str, name: str, X: np.ndarray) -> list[str]:
    """Write a table in three formats; returns their paths."""
    frame = pd.DataFrame(X, columns=[f"v{j}" for j in range(X.shape[1])])
    paths = [f"{folder}/{name}.{kind}" for kind in ("parquet", "feather", "csv")]
    frame.to_parquet(paths[0])
    frame.to_feather(paths[1])
    frame.to_csv(paths[2], index=False)
    return paths


def measure(kind: str, n_samples: int, n_features: int, what: str) -> None:
    """Print one row, from this process."""
    warnings.simplefilter("ignore")
    task(kind, what, simulated(SMALL, 5))  # imports and workers; memory that is used again does not count
    X = np.empty((n_samples, n_features)) if kind == "reads" else simulated(n_samples, n_features)
    taken = watch_memory()
    clock, processor = time.perf_counter(), time.process_time()
    task(kind, what, X)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    grown = taken()
    who = {"fits": f"BaggedClustering, n_jobs={what}", "reads": what.rpartition(".")[2]}.get(kind, what)
    row = (f"{n_samples:,} x {n_features:,}", who, f"{grown * 2**20 / X.nbytes:.1f}", f"{grown:,.0f}",
           f"{processor:.0f}", f"{clock:.0f}")  # fmt: skip
    print(f"| {' | '.join(row)} |", flush=True)


def main() -> None:
    """Print the requested table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["fits", "methods", "reads"])
    parser.add_argument("shape", type=int, nargs="*", help="rows and features, of methods and reads")
    parser.add_argument("--methods", help="names, separated by commas (default: all native ones)")
    given = parser.parse_args()
    print(f"Measured {date.today()}: python -m benchmarks.memory {' '.join(sys.argv[1:])}\n")
    print("| data | what | times the data | MiB | processor s | clock s |")
    print("| --- | --- | --: | --: | --: | --: |", flush=True)
    with TemporaryDirectory() as folder:
        if given.kind == "fits":
            cases = [(n, p, str(n_jobs)) for n, p, n_jobs in FITS]
        elif given.kind == "reads":
            write(folder, "small", simulated(SMALL, 5))
            cases = [(*given.shape, path) for path in write(folder, "large", simulated(*given.shape))]
        else:
            native = [name for name, method in METHODS.items() if "python" in method.engines]
            cases = [(*given.shape, name) for name in (given.methods.split(",") if given.methods else native)]
        for case in cases:
            process = get_context("spawn").Process(target=measure, args=(given.kind, *case))
            process.start()
            process.join()
            if process.exitcode:
                print(f"| {case} | stopped, exit code {process.exitcode} |", flush=True)


if __name__ == "__main__":
    main()
