"""sweep(): each size of the subspace, or number of clusters, is a comparison of its own, run in one go."""

from html import escape

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import xcompare
from xcompare.core.errors import DataError
from xcompare.results.loading import load_run
from xcompare.results.report import build_report


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    store = tmp_path_factory.mktemp("sweep") / "runs.sqlite"
    iris = xcompare.load_dataset("iris")
    sweep = xcompare.sweep(
        iris, max_features=[2, 3, 0.75], n_runs=2, n_jobs=1, options={"n_replicas": 10}, store=store
    )
    return sweep, store


@pytest.mark.slow
def test_tables_by_method_and_size(found):
    sweep, _ = found
    assert list(sweep.comparisons) == [2, 3]
    assert sweep.table.index.names == ["method", "max_features"]
    assert sweep.table.index.tolist()[:4] == [
        ("basic", 2), ("basic", 3), ("basic_unweighted", 2), ("basic_unweighted", 3),
    ]  # fmt: skip
    assert sweep.table.shape == sweep.std.shape == (14, 4)
    assert sweep.failures.empty
    assert set(sweep.raw.max_features) == {2, 3}


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("shift", [0.0, 5.0], ids=["no clusters", "clusters"])
def test_a_random_flag_is_not_what_matters(seed, shift):
    """Bagging gives a flag much information at every size: it cuts the rows in two like nothing else."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 5))
    X[:75, :2] += shift
    frame = pd.DataFrame(X, columns=list("abcde")).assign(flag=rng.integers(2, size=150))
    options = {"efron": {"n_replicas": 10, "n_init": 1}, "refined": {"rounds": 3, "n_replicas": 20}}
    swept = xcompare.sweep(
        frame, 2, [2, 4], methods="efron, refined", n_runs=1, n_jobs=1, options=options, progress=False
    )
    assert swept.answer == str(swept.decision)
    if shift:
        assert swept.answer.startswith("Clusters found (p < .001). ")
        assert set(swept.decision.named) == {"a", "b"}
    else:
        assert swept.decision.outcome in ("no evidence", "cannot tell")
        assert "flag" not in swept.decision.named


@pytest.mark.slow
def test_size_matters_to_the_schemes_and_not_to_the_baselines(found):
    sweep, _ = found
    assert (sweep.table.loc["efron"].loc[2] != sweep.table.loc["efron"].loc[3]).any()
    baseline = sweep.clustering.loc["kmeans"]
    assert baseline.loc[2].equals(baseline.loc[3])


@pytest.mark.slow
def test_same_numbers_as_a_comparison_and_found_in_the_store(found):
    sweep, store = found
    iris = xcompare.load_dataset("iris")
    one = xcompare.compare(
        iris, methods="efron", max_features=3, n_runs=2, n_jobs=1, options={"n_replicas": 10}, store=store
    )
    assert one.table.loc["efron"].equals(sweep.comparisons[3].table.loc["efron"])
    runs = xcompare.list_runs(store)
    assert set(runs.name) == {"iris"}
    assert runs.max_features.isna().tolist() == [True, False, False]
    [key] = runs.run[runs.max_features == 2]
    stored = xcompare.Comparison.from_store(store, key)
    assert stored.table.equals(sweep.comparisons[2].table)
    assert stored.caption.startswith("iris, 3 clusters, 2 features drawn, 2 runs")


def test_plot(found):
    sweep, _ = found
    axes = sweep.plot()
    assert [ax.get_title() for ax in axes][:2] == ["Basic", "Efron"]
    assert axes[-1].get_ylabel() == "adjusted Rand index"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give several values of max_features"),
        ({"max_features": [9]}, "from 1 to 4"),
        ({"max_features": [2], "methods": "ls"}, "ls draws no features"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(DataError, match=message):
        xcompare.sweep(xcompare.load_dataset("iris"), **arguments)


@pytest.mark.parametrize("methods", ["default", "all"])
def test_of_a_set_of_methods_those_that_draw_features(methods):
    iris = xcompare.load_dataset("iris")
    swept = xcompare.sweep(
        iris, max_features=[2], methods=methods, n_runs=1, n_jobs=1, options={"n_replicas": 3}, progress=False
    )
    assert {"basic", "efron", "bbc"} <= {row.method for row in swept.comparisons[2].plan.rows}
    assert "ls" not in swept.table.index


def test_latex(found, tmp_path):
    sweep, _ = found
    lines = sweep.to_latex(features=["Petal width"]).splitlines()
    start = lines.index(r"\midrule")
    assert lines[start - 1] == r"Method & Features drawn & Petal width \\"
    assert [line.split(" & ")[:2] for line in lines[start + 1 : start + 3]] == [
        ["Basic", "2"],
        ["Basic", "3"],
    ]
    assert lines[1].startswith(r"\caption{iris, 3 clusters, 2 runs; ")
    sweep.to_latex(tmp_path / "t.tex", transpose=True)
    assert r"Features drawn & 2 & 3 & 2 & 3" in (tmp_path / "t.tex").read_text()


@pytest.fixture(scope="module")
def over_k(tmp_path_factory):
    store = tmp_path_factory.mktemp("sweep") / "runs.sqlite"
    options = {"n_replicas": 10}
    iris = xcompare.load_dataset("iris")
    sweep = xcompare.sweep(
        iris, [3, 2, 4], 2, methods="efron, ls", n_runs=1, n_jobs=1, options=options, store=store
    )
    return sweep, store


def test_numbers_of_clusters_with_any_method(over_k):
    sweep, _ = over_k
    assert sweep.swept.option == "n_clusters"
    assert sweep.table.index.names == ["method", "n_clusters"]
    assert sweep.table.loc["efron"].index.tolist() == sweep.table.loc["ls"].index.tolist() == [2, 3, 4]
    assert "numbers of clusters" in sweep.answer
    assert sweep.caption.startswith("iris, 2 to 4 clusters, 1 run; ")
    assert sweep.raw.columns[0] == "n_clusters"


@pytest.mark.slow
def test_a_number_of_clusters_is_that_comparison(over_k):
    sweep, store = over_k
    iris = xcompare.load_dataset("iris")
    one = xcompare.compare(
        iris, 2, methods="efron", n_runs=1, n_jobs=1, max_features=2, options={"n_replicas": 10}
    )
    assert one.table.loc["efron"].equals(sweep.table.loc[("efron", 2)].rename("efron"))
    runs = xcompare.list_runs(store)
    assert (sorted(runs.n_clusters), runs.max_features.isna().all()) == ([2, 3, 4], True)
    assert xcompare.Comparison.from_store(store, runs.run[0]).caption.count("features drawn") == 0


def test_a_sweep_over_clusters_is_read_back(over_k):
    sweep, store = over_k
    again = load_run(store)
    assert again.swept == sweep.swept
    assert again.table.equals(sweep.table)


def test_how_far_the_partitions_agree(over_k):
    sweep, _ = over_k
    between = sweep.partition_agreement
    assert between.index.tolist() == between.columns.tolist() == [2, 3, 4]
    assert np.diag(between).tolist() == [1.0, 1.0, 1.0]
    labels = [sweep.comparisons[k].consensus.labels for k in (2, 3)]
    assert between.loc[2, 3] == adjusted_rand_score(*labels)
    assert sweep.consensus is None


def test_plots_and_latex_over_clusters(over_k):
    sweep, _ = over_k
    axes = sweep.plot()
    assert axes[0].get_xlabel() == "clusters (K)"
    rows = [label.get_text() for label in sweep.plot.heatmap().get_yticklabels()]
    assert [row.split(", ")[1] for row in rows] == ["K=2", "K=3", "K=4"] * 2
    assert r"Method & Clusters & Petal width \\" in sweep.to_latex(features=["Petal width"])


def test_the_report_over_clusters_says_k(over_k):
    page = build_report(over_k[0])
    for text in (
        "how many clusters are looked for?",
        "2, 3 and 4 clusters (K)",
        "n_clusters=[2, 3, 4],",
        "K=3",
    ):
        assert text in page
    assert "m=" not in page.split("<main")[-1].replace("transform=", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_clusters": [2, 3], "max_features": [2, 3]}, "got several values of both"),
        ({"n_clusters": [1, 2]}, "n_clusters must be whole numbers of at least 2"),
    ],
)
def test_bad_numbers_of_clusters(arguments, message):
    with pytest.raises(DataError, match=message):
        xcompare.sweep(xcompare.load_dataset("iris"), **arguments)


def test_shown_in_a_notebook(found):
    shown = found[0]._repr_html_()
    assert shown.startswith(f"<p>{escape(found[0].answer)}</p>")
    assert shown.count("<tr") == 2 + len(found[0].table)
