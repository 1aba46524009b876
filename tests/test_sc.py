"""Functions in scanpy's form: what scanpy reads, batches, references, sparse values, and files."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import xcompare
from xcompare.core.errors import DataError

anndata = pytest.importorskip("anndata", reason="needs anndata, which needs pandas < 3: its own environment")
import xcompare.sc  # noqa: E402


@pytest.fixture
def cells():
    """Gene 0 marks cluster a, gene 1 marks b, gene 2 tells the batches apart; 3 and 4 are noise."""
    rng = np.random.default_rng(0)
    clusters, batches = np.array(["a", "b", "c"] * 40), np.repeat(["one", "two"], 60)
    X = rng.poisson(0.5, size=(120, 5)).astype(np.float32)
    X[clusters == "a", 0] += 4
    X[clusters == "b", 1] += 4
    X[batches == "two", 2] += 6
    found = anndata.AnnData(sparse.csr_matrix(np.log1p(X)))
    found.obs["cluster"], found.obs["batch"] = pd.Categorical(clusters), pd.Categorical(batches)
    found.var_names = [f"gene{j}" for j in range(5)]
    return found


def test_scores_overall_and_by_cluster(cells):
    assert xcompare.sc.rank_features_groups(cells, "cluster") is None
    assert set(cells.var.query("xcompare_rank <= 2").index) == {"gene0", "gene1"}
    found = cells.uns["xcompare"]
    assert [found["names"][name][0] for name in "ab"] == ["gene0", "gene1"]
    assert set(found["names"]["c"][-2:]) == {"gene0", "gene1"}  # lower in c
    assert found["scores"]["c"][-1] < 0 < found["scores"]["a"][0]
    assert found["logfoldchanges"]["a"][0] > 2
    assert np.isnan(found["pvals_adj"]["a"]).all()


def test_sparse_dense_and_layer_give_the_same(cells):
    dense = cells.copy()
    dense.X = cells.X.toarray()
    layered = cells.copy()
    layered.layers["log"], layered.X = cells.X, cells.X * 0
    for one, options in ((cells, {}), (dense, {}), (layered, {"layer": "log"})):
        xcompare.sc.rank_features_groups(one, "cluster", **options)
    for other in (dense, layered):
        np.testing.assert_allclose(other.var["xcompare_score"], cells.var["xcompare_score"])


def test_genes_are_scored_in_blocks(cells, monkeypatch):
    whole = xcompare.sc.rank_features_groups(cells, "cluster", copy=True)
    monkeypatch.setattr(xcompare.sc, "BLOCK_VALUES", 240)
    toarray, seen = sparse.csc_array.toarray, []
    monkeypatch.setattr(sparse.csc_array, "toarray", lambda X: seen.append(X.shape) or toarray(X))
    xcompare.sc.rank_features_groups(cells, "cluster")
    assert seen == [(120, 2), (120, 2), (120, 1)]
    np.testing.assert_allclose(cells.var["xcompare_score"], whole.var["xcompare_score"], rtol=1e-12)


def test_measures_are_those_of_explain(cells):
    xcompare.sc.rank_features_groups(cells, "cluster")
    found = xcompare.explain(
        cells, "cluster", measures="eta_squared,kruskal", n_runs=1, n_bootstraps=2, n_jobs=1, progress=False
    )
    for name in ("eta_squared", "kruskal"):
        ours = cells.var[f"xcompare_{name}"]
        np.testing.assert_allclose(found.table.loc[name], ours / ours.max(), rtol=1e-6)


def test_a_gene_that_tells_batches_apart_is_not_taken_for_one_of_clusters(cells):
    mixed = cells[[at for at in range(120) if (at % 3 == 0) == (at < 60) or at % 3 == 1]].copy()
    xcompare.sc.rank_features_groups(mixed, "cluster")
    assert mixed.var["xcompare_eta_squared"]["gene2"] > 0.3
    xcompare.sc.rank_features_groups(mixed, "cluster", batch_key="batch")
    assert mixed.var["xcompare_eta_squared"]["gene2"] < 0.1
    assert mixed.var["xcompare_rank"]["gene1"] == 1
    assert (mixed.var["xcompare_spread"] >= 0).all()


def test_reference_and_genes_asked_for(cells):
    cells.var["asked"] = [True, True, False, True, True]
    xcompare.sc.rank_features_groups(cells, "cluster", reference="b", mask_var="asked", key_added="x")
    names = cells.uns["x"]["names"]
    assert names.dtype.names == ("a", "c")
    assert names["a"][0] == "gene0"
    assert names["c"][-1] == "gene1"
    assert np.isnan(cells.var["x_score"]["gene2"])


@pytest.mark.parametrize(
    ("groupby", "options", "said"),
    [
        ("clusters", {}, "no column 'clusters' in .obs; did you mean 'cluster'?"),
        ("cluster", {"reference": "d"}, "reference must be 'rest' or one of a, b, c; got 'd'"),
        ("cluster", {"layer": "raw"}, "layer must be one of none; got 'raw'"),
        ("cluster", {"mask_var": [True]}, r"mask_var must be one bool per gene \(5\)"),
        ("cluster", {"batch_key": "cluster"}, "batches and clusters are the same"),
        ("cluster", {"use_raw": True}, "use_raw=True needs adata.raw"),
    ],
)
def test_what_cannot_be_ranked(cells, groupby, options, said):
    with pytest.raises(DataError, match=said):
        xcompare.sc.rank_features_groups(cells, groupby, **options)


def test_scanpy_reads_the_result(cells, tmp_path):
    scanpy = pytest.importorskip("scanpy", reason="needs scanpy")
    xcompare.sc.rank_features_groups(cells, "cluster")
    cells.write_h5ad(tmp_path / "cells.h5ad")
    back = scanpy.read_h5ad(tmp_path / "cells.h5ad")
    frame = scanpy.get.rank_genes_groups_df(back, "a", key="xcompare")
    assert frame["names"].iloc[0] == "gene0"
    assert {"scores", "logfoldchanges", "pvals", "pvals_adj"} <= set(frame)
    plot = scanpy.pl.rank_genes_groups_dotplot(
        back, key="xcompare", n_genes=1, dendrogram=False, return_fig=True
    )
    assert list(plot.var_names)[:2] == ["gene0", "gene1"]


def test_files_are_read_with_a_column_of_obs(cells, tmp_path):
    cells.var["highly_variable"] = [True, True, True, False, True]
    cells.write_h5ad(tmp_path / "cells.h5ad")
    table = xcompare.read_table(tmp_path / "cells.h5ad", label="cluster")
    assert (table.X.shape, table.n_clusters) == ((120, 4), 3)
    assert "4 of 5 genes: the highly variable ones" in table.notes
    found = xcompare.compare(cells, 3, methods="variance", n_jobs=1, progress=False)
    assert found.feature_names == ("gene0", "gene1", "gene2", "gene4")
    with pytest.raises(DataError, match="no column 'clusters' in"):
        xcompare.read_table(tmp_path / "cells.h5ad", label="clusters")
    with pytest.raises(DataError, match="no file"):
        xcompare.read_table(tmp_path / "none.h5ad")
