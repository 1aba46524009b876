"""compare() end to end: the table, its directions, variants, baselines, exports, and what fails."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, fowlkes_mallows_score
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

import xcompare
from tests import fakes
from tests.samples import standardized
from xcompare.bagging.estimator import BaggedClustering
from xcompare.core.errors import DataError, OutputError, StoreError, UnknownNameError
from xcompare.core.escaping import for_latex
from xcompare.methods import get_method
from xcompare.results.table import LARGER, SMALLER

QUICK = {"n_replicas": 10, "n_trees": 20}


@pytest.fixture(scope="module")
def iris():
    """Every method on iris, natively."""
    iris = xcompare.load_dataset("iris")
    return xcompare.compare(iris, n_runs=3, options=QUICK, n_jobs=1, progress=False)


@pytest.mark.slow
def test_table_holds_every_method_by_every_feature(iris):
    assert iris.table.columns.tolist() == list(xcompare.load_dataset("iris").feature_names)
    names = iris.table.index.tolist()
    for name in ("basic", "basic_unweighted", "bbc_unweighted", "urf_perm", "ls", "mi_kmeans", "perm_kmeans"):
        assert name in names
    assert iris.table.notna().all(axis=None)
    assert ((iris.table >= 0) & (iris.table <= 1)).all(axis=None)
    assert iris.std.shape == iris.ranks.shape == iris.table.shape
    assert iris.failures.empty


@pytest.mark.slow
def test_table_is_the_mean_of_the_raw_runs(iris):
    raw = iris.raw
    assert raw.columns.tolist() == ["method", "engine", "run", "feature", "raw", "normalized"]
    by_run = raw[raw.method == "urf_gini"].pivot_table(index="run", columns="feature", values="raw")
    assert by_run.shape == (3, 4)
    low, high = by_run.min(axis=1), by_run.max(axis=1)
    expected = by_run.sub(low, axis=0).div(high - low, axis=0)
    pd.testing.assert_series_equal(
        iris.table.loc["urf_gini"], expected.mean(), check_names=False, check_like=True
    )
    pd.testing.assert_series_equal(
        iris.std.loc["urf_gini"], expected.std(), check_names=False, check_like=True
    )


def test_a_run_is_what_the_method_gives_for_the_standardised_data(iris):
    dataset = xcompare.load_dataset("iris")
    X = standardized(dataset.X)
    unit = next(unit for unit in iris.plan.units() if unit.method == "efron" and unit.run == 1)
    expected = get_method("efron").run(X, 3, random_state=unit.seed, engine="python", n_replicas=10)
    found = iris.results[unit.key].scores
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-12)
    np.testing.assert_allclose(found.variants["unweighted"], expected.variants["unweighted"], rtol=1e-12)


def test_no_random_state_draws_one_that_repeats_the_result(X):
    one, other = (
        xcompare.compare(X, 2, methods="urf_gini", n_runs=1, n_jobs=1, random_state=None, options=QUICK)
        for _ in range(2)
    )
    assert one.plan.random_state != other.plan.random_state
    again = xcompare.compare(
        X, 2, methods="urf_gini", n_runs=1, n_jobs=1, random_state=one.plan.random_state, options=QUICK
    )
    assert again.table.equals(one.table)


def test_methods_without_randomness_run_once_with_std_0(iris):
    assert (iris.raw[iris.raw.method == "cubt"].run == 0).all()
    assert (iris.std.loc[["cubt", "ls"]] == 0).all(axis=None)
    assert iris.timings.loc["cubt", "runs"] == 1


def test_one_run_says_nothing_about_spread(X):
    found = xcompare.compare(X, 2, methods="mi_kmeans", n_runs=1, n_jobs=1)
    assert found.std.isna().all(axis=None)


def test_each_row_says_which_way_it_reads(iris):
    assert iris.directions["ls"] == SMALLER
    assert iris.directions["efron"] == LARGER
    assert (iris.flipped().directions == LARGER).all()
    assert iris.ranks.loc["ls"].tolist() == iris.flipped().ranks.loc["ls"].tolist()


def test_flipped_rows_have_1_for_the_most_important(iris):
    plain, flipped = iris.table, iris.flipped().table
    assert flipped.loc["ls"].max() == 1
    assert flipped.loc["ls"].idxmax() == plain.loc["ls"].idxmin()
    pd.testing.assert_frame_equal(flipped.drop("ls"), plain.drop("ls"))


def test_forced_normalisations(iris):
    largest = iris.normalized("max")
    raw = largest.raw.query("method == 'ls'")
    np.testing.assert_allclose(raw.normalized, raw.raw / raw.raw.max())
    spread = iris.normalized("minmax").raw.groupby(["method", "run"]).normalized.agg(["min", "max"])
    assert (spread == [0, 1]).all(axis=None)
    with pytest.raises(UnknownNameError, match="normalize must be one of"):
        iris.normalized("sum")


def test_constant_scores_are_shown_as_published(X, register):
    register(fakes.constant, normalization="minmax")
    found = xcompare.compare(X, 2, methods="constant", n_runs=2, n_jobs=1)
    assert (found.table == 1).all(axis=None)
    assert set(found.ranks.loc["constant"]) == {"1-4"}
    assert (found.normalized("max").table == 0).all(axis=None)


def test_scores_that_would_all_be_shown_as_0_get_a_warning(X, register):
    register(fakes.constant, normalization="max")
    found = xcompare.compare(X, 2, methods="constant", n_runs=1, n_jobs=1)
    assert found.warnings["message"].tolist() == [
        "no score is positive, and normalization='max' shows all as 0: take 'minmax'"
    ]


def test_clustering_holds_partitions_against_the_labels(iris):
    labels = xcompare.load_dataset("iris").labels
    rows = iris.clustering
    assert {"efron", "cubt", "fgkm", "mi_kmeans", "kmeans", "complete_linkage"} <= set(rows.index)
    assert not {"ls", "urf_gini", "efron_unweighted"} & set(rows.index)
    found = [r.scores.labels for r in iris.results.values() if r.unit.method == "efron"]
    assert rows.loc["efron", "ari_mean"] == pytest.approx(
        np.mean([adjusted_rand_score(labels, f) for f in found])
    )
    fm = [fowlkes_mallows_score(labels, f) for f in found]
    assert rows.loc["efron", "fm_std"] == pytest.approx(np.std(fm, ddof=1))
    assert rows.loc["complete_linkage", "ari_std"] == 0
    assert rows.loc["complete_linkage", "runs"] == 1


def test_above_5_000_rows_complete_linkage_is_left_out_and_said_so():
    X = np.random.default_rng(0).normal(size=(5_001, 2))
    found = xcompare.compare(X, y_true=np.arange(5_001) % 2, methods="random", n_runs=1, n_jobs=1)
    assert "complete_linkage" not in found.clustering.index
    assert found.failures.empty
    assert "is limited to 5,000 rows" in found.notes[0]


def test_warnings_name_the_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(size=40), "x0": rng.normal(size=40), "member": np.arange(40) % 2})
    options = {"efron": {"n_replicas": 5, "n_init": 1}}
    found = xcompare.compare(frame, 2, methods="efron", options=options, n_runs=1, n_jobs=1, progress=False)
    assert any(text.startswith("no density exists for member (") for text in found.warnings["message"])


@pytest.mark.endurance
def test_a_unit_that_takes_the_pool_down_each_time_is_lost_and_tried_again_later(
    X, register, tmp_path, monkeypatch
):
    monkeypatch.setattr("xcompare.harness.run.ATTEMPTS", 2)
    register(fakes.kills_the_pool, fakes.fine)
    settings = {"n_runs": 1, "n_jobs": 2, "store": tmp_path / "run.sqlite", "progress": False}
    found = xcompare.compare(X, 2, methods="kills_the_pool, fine", **settings)
    assert found.failures["runs"].tolist() == [1]
    assert found.failures["message"][0].startswith("lost: the process it ran in was killed")
    assert found.table.loc["fine"].notna().all()
    register(fakes.fine, name="kills_the_pool")
    assert xcompare.compare(X, 2, methods="kills_the_pool, fine", **settings).failures.empty


def test_no_labels_no_clustering(X):
    found = xcompare.compare(X, 2, methods="cubt", n_jobs=1)
    assert found.clustering.empty
    assert found.timings.index.tolist() == ["cubt"]


def test_agreement_is_about_the_top_three_unless_told_otherwise(iris):
    pairs = iris.agreement()
    top = {
        label: set(row.sort_values(ascending=False).index[:3])
        for label, row in iris.flipped().table.iterrows()
    }
    expected = [len(top[a] & top[b]) / 3 for a, b in zip(pairs["method"], pairs["other_method"], strict=True)]
    assert pairs["overlap"].tolist() == expected
    assert set(expected) != {1.0}


def test_agreement_compares_importance_not_scores(iris):
    pairs = iris.agreement(top=2).set_index(["method", "other_method"])
    assert pairs.loc[("efron", "ls"), "spearman"] > 0.7  # LS reads the other way
    assert pairs.loc[("efron", "efron_unweighted"), "overlap"] == 1
    n_rows = len(iris.table)
    assert len(pairs) == n_rows * (n_rows - 1) / 2


@pytest.mark.slow
def test_agreement_looks_at_the_three_most_important_features_unless_told(iris):
    assert iris.agreement().equals(iris.agreement(top=3))
    shared = set(iris.agreement()["overlap"].dropna())
    assert shared <= {0, 1 / 3, 2 / 3, 1}
    assert shared - {0, 1}, "methods that differ in their third feature are needed to tell"
    first, second = (row.importance for row in iris.rows[:2])
    for top in (1, 2, 3, 4):
        common = set(np.argsort(-first)[:top]) & set(np.argsort(-second)[:top])
        assert iris.agreement(top=top)["overlap"].iloc[0] == len(common) / top


def test_timings_and_software(iris):
    assert (iris.timings["total"] >= iris.timings["longest"]).all()
    assert iris.software["efron"] == f"xcompare {xcompare.__version__}"
    assert {"python", "numpy", "scikit-learn"} <= iris.versions.keys()
    assert iris.versions["xcompare"] == (xcompare.__version__,)


def test_frame_keeps_its_names_and_labels_of_any_kind(X):
    frame = pd.DataFrame(X, columns=["height", "weight", "x|y", "50%_&"])
    found = xcompare.compare(
        frame, 2, methods="mi_kmeans", y_true=["a"] * 30 + ["b"] * 30, n_runs=2, n_jobs=1
    )
    assert found.table.columns.tolist() == list(frame.columns)
    assert found.clustering.loc["kmeans", "ari_mean"] == 1


def test_max_features_reaches_the_methods_that_draw_features(X):
    found = xcompare.compare(
        X, 2, methods="efron, ls", max_features=0.5, n_runs=1, n_jobs=1, options=QUICK | {"t": 5.0}
    )
    assert [row.options for row in found.plan.rows] == [{"n_replicas": 10, "max_features": 2}, {"t": 5.0}]


# What fails


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_failures_leave_the_others_alone(X, register, n_jobs):
    register(fakes.fails, fakes.not_finite, fakes.fine)
    found = xcompare.compare(X, 2, methods="fails, fine, not_finite", n_runs=2, n_jobs=n_jobs)
    failures = found.failures.set_index("method")
    assert failures.index.tolist() == ["fails", "not_finite"]
    assert failures.loc["fails"].tolist() == ["python", "failed", 2, "RuntimeError: this method never works"]
    assert "scores must be 4 finite numbers" in failures.loc["not_finite", "message"]
    assert found.table.loc["fine"].notna().all()
    assert found.table.loc[["fails", "not_finite"]].isna().all(axis=None)
    assert found.ranks.loc["fails"].tolist() == ["–"] * 4
    assert "| Fails | larger is more important | – |" in found.to_markdown()
    assert " & – & " in found.to_latex()
    assert set(found.agreement().method) == set()
    found.plot()


def test_a_method_that_fails_at_times_is_averaged_over_the_rest(X, register, traces):
    register(fakes.fails_at_times)
    found = xcompare.compare(X, 2, methods="fails_at_times", n_runs=8, n_jobs=1)
    [failed] = found.failures.runs
    assert 0 < failed < 8
    assert found.timings.loc["fails_at_times", "runs"] == 8 - failed
    assert found.table.notna().all(axis=None)


@pytest.mark.slow
def test_a_unit_that_kills_its_process_is_blamed_alone(X, register):
    register(fakes.dies, fakes.fine)
    found = xcompare.compare(X, 2, methods="dies, fine", n_runs=3, n_jobs=2)
    assert found.failures[["method", "status", "runs"]].to_numpy().tolist() == [["dies", "failed", 3]]
    assert "ended its process by SIGKILL" in found.failures.message[0]
    assert found.timings.loc["fine", "runs"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_unit_that_takes_too_long_is_stopped(X, register, n_jobs):
    register(fakes.hangs, fakes.fine)
    found = xcompare.compare(X, 2, methods="hangs, fine", n_runs=n_jobs, n_jobs=n_jobs, timeout=0.5)
    assert found.failures[["method", "status", "runs"]].to_numpy().tolist() == [["hangs", "timeout", n_jobs]]
    assert "hangs gave no result within 0.5 s" in found.failures.message[0]
    assert found.timings.loc["fine", "runs"] == n_jobs


@pytest.mark.slow
@pytest.mark.r
def test_r_that_takes_too_long_is_stopped(X):
    options = {"basic": {"n_replicas": 1_000_000}}
    found = xcompare.compare(
        X, 2, methods="basic, ls", engine="r", n_runs=1, n_jobs=1, timeout=1.5, options=options
    )
    stopped = found.failures.set_index("method")["status"]
    assert stopped["basic"] == "timeout"
    assert set(stopped.index) <= {"basic", "cluster_tests"}  # which is native, and may take too long as well
    assert found.table.loc["ls"].notna().all()


def test_warnings_are_kept(X, register):
    register(fakes.warns)
    found = xcompare.compare(X, 2, methods="warns", n_runs=2, n_jobs=1)
    assert found.warnings.to_numpy().tolist() == [["warns", "python", 2, "UserWarning: mind the gap"]]


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_unit_has_one_thread(X, register, n_jobs):
    register(fakes.threads)
    with threadpool_limits(2):
        found = xcompare.compare(X, 2, methods="threads", n_runs=2, n_jobs=n_jobs)
    assert set(found.raw["raw"]) == {1.0}


@pytest.mark.slow
def test_without_r_its_rows_are_unavailable_and_say_why():
    code = (
        "import xcompare; iris = xcompare.load_dataset('iris');"
        "c = xcompare.compare(iris, methods='ls, mi_kmeans', engine='both', n_runs=2, n_jobs=1);"
        "print(c.failures.to_json(orient='records')); print(c.table.isna().all(axis=1).tolist())"
    )
    path = os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if not os.path.exists(f"{p}/R"))
    environment = os.environ | {"PATH": path, "R_HOME": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    failures, missing = done.stdout.splitlines()
    [failure] = json.loads(failures)
    assert (failure["method"], failure["engine"], failure["status"]) == ("ls", "r", "unavailable")
    assert "R is not installed" in failure["message"]
    assert missing == "[False, True, False]"


def test_an_engine_a_method_lacks_is_unavailable(X):
    found = xcompare.compare(X, 2, methods="mi_kmeans", engine="r", n_runs=1, n_jobs=1)
    assert found.failures.status.tolist() == ["unavailable"]
    assert found.failures.message.tolist() == ["mi_kmeans has no r engine"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"random_state": 0.5}, "random_state must be a whole number"),
        ({"max_features": 9}, "max_features must be a number of features from 1 to 4"),
        ({"normalize": "sum"}, "normalize must be one of paper, max, minmax"),
        ({"engine": "R"}, "engine must be one of auto, python, r, both; got 'R'"),
        ({"methods": "lss"}, "did you mean 'ls'"),
    ],
)
def test_bad_arguments(X, arguments, message):
    with pytest.raises(ValueError, match=message):
        xcompare.compare(X, 2, **arguments)
    assert issubclass(DataError, ValueError)


# Both engines


@pytest.mark.slow
@pytest.mark.r
def test_both_engines_side_by_side():
    iris = xcompare.load_dataset("iris")
    found = xcompare.compare(
        iris, methods="efron, fgkm, cubt, ls", engine="both", n_runs=2, n_jobs=1, options=QUICK
    )
    assert found.table.index.names == ["method", "engine"]
    assert found.table.index.tolist() == [
        (name, engine)
        for name in ("efron", "efron_unweighted", "fgkm", "cubt", "ls")
        for engine in ("python", "r")
    ]  # fmt: skip
    pairs = found.agreement().query("method == other_method").set_index("method")
    assert (pairs.other_engine == "r").all()
    # The seeds are shared, and FGKM's native engine draws as R does: equal run by run.
    assert (pairs.loc[["fgkm", "cubt", "ls"], "difference"] < 1e-9).all()
    r_versions = {result.versions.get("R") for result in found.results.values() if result.unit.engine == "r"}
    assert r_versions == {xcompare.rbridge.status().r_version}
    assert "(R)" in found.to_markdown()


@pytest.mark.slow
@pytest.mark.r
def test_wine_ranks_the_features_as_published_in_both_engines():
    wine = xcompare.load_dataset("wine")
    found = xcompare.compare(wine, methods="basic, efron, bbc", engine="both", n_runs=4)
    assert found.failures.empty
    published = {"Flavanoids": "1", "Diluted": "2", "Proline": "3", "Color": "4"}
    for row, ranks in found.ranks.iterrows():
        assert ranks[list(published)].to_dict() == published, row


# Exports


def test_csv_round_trip(iris, tmp_path):
    iris.to_csv(tmp_path / "table.csv")
    read = pd.read_csv(tmp_path / "table.csv", float_precision="round_trip")
    assert read.columns[:4].tolist() == ["method", "engine", "reads", "software"]
    features = read.set_index("method")[list(iris.feature_names)]
    np.testing.assert_array_equal(features.to_numpy(), iris.table.to_numpy())  # all digits


def test_parquet_holds_every_score(iris, tmp_path):
    iris.to_parquet(tmp_path / "scores.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "scores.parquet"), iris.raw, check_dtype=False)


def test_texts_escape_what_their_format_reserves(X, tmp_path):
    names = ["a_b", "x|y", "50% & <b>", "$z^2$"]
    found = xcompare.compare(
        pd.DataFrame(X, columns=names), 2, methods="ls, cubt", name="my_data <i>", n_runs=1, n_jobs=1
    )
    markdown, latex, html = found.to_markdown(), found.to_latex(), found.to_html()
    assert len({line.replace(r"\|", "").count("|") for line in markdown.splitlines()[2:]}) == 1
    assert "smaller is more important" in markdown
    for text in (r"a\_b", r"50\% \& ", r"\$z", r"my\_data"):
        assert text in latex
    assert r"\toprule" in latex
    assert "<b>" not in html
    assert "<i>" not in html
    assert "50% &amp; &lt;b&gt;" in html
    assert "white-space: nowrap" in html  # "0.11 ± 0.00" stays on one line
    assert html == found.to_html()
    assert found._repr_html_().endswith(html)
    assert "</strong>" in found._repr_html_()
    assert "<b>" not in found._repr_html_()
    found.to_html(tmp_path / "t.html")
    assert (tmp_path / "t.html").read_text(encoding="utf-8") == html
    assert "my_data <i>" in repr(found)


def test_a_notebook_shows_the_first_of_many_features():
    X = np.random.default_rng(0).normal(size=(40, 300))
    found = xcompare.compare(X, 2, methods="random, variance_ratio", n_runs=1, n_jobs=1, progress=False)
    shown = found._repr_html_()
    assert "the first 50 of 300 features by overall rank" in shown
    assert found.overall_ranks.index[0] in shown
    assert len(shown) < len(found.to_html()) / 4
    assert found.to_html().count("<th") > 300


def test_a_newline_in_a_name_breaks_no_table(X):
    names = ["a\nb", "c\n\nd", "e", "f"]
    found = xcompare.compare(pd.DataFrame(X, columns=names), 2, methods="ls", n_runs=1, n_jobs=1)
    latex, markdown = found.to_latex(), found.to_markdown()
    assert "Method & Reads & a b & c d & e & f \\\\\n" in latex
    assert "\n\n" not in latex
    assert "| Method | Reads | a b | c d | e | f |\n" in markdown
    assert "<script>" not in found.to_markdown()


def test_latex_bold_chosen_and_transposed(iris):
    whole = iris.to_latex()
    n_rows = len(iris.rows)
    assert whole.count(r"\mathbf") >= n_rows
    assert r"\mathbf" not in iris.to_latex(bold=False)
    for row in iris.rows:
        best = row.importance.round(2) == row.importance.round(2).max()
        [line] = [line for line in whole.splitlines() if line.startswith(f"{for_latex(iris.label(row))} &")]
        cells = line.removesuffix(r" \\").split(" & ")[2:]
        assert [r"\mathbf" in cell for cell in cells] == best.tolist()
    few = iris.to_latex(features=["Petal width", "Sepal length"])
    assert "Method & Reads & Petal width & Sepal length \\\\" in few
    assert few.count(" & ") == 3 * (n_rows + 1)
    turned = iris.to_latex(features=["Petal width", "Sepal length"], transpose=True).splitlines()
    start = turned.index(r"\toprule")
    assert turned[start + 1].startswith("Method & ")
    assert turned[start + 2].startswith("Reads & ")
    assert turned[start + 3] == r"\midrule"
    assert turned[start + 4].startswith("Petal width & ")
    assert turned[start + 5].startswith("Sepal length & ")
    with pytest.raises(UnknownNameError, match=r"features must be among Sepal length, .*; got 'petals'"):
        iris.to_latex(features=["petals"])


def test_saved_and_loaded_it_is_the_same(iris, tmp_path, register):
    iris.save(tmp_path / "iris.xcompare")
    again = xcompare.Comparison.from_store(tmp_path / "iris.xcompare")
    for part in ("table", "std", "ranks", "raw", "clustering", "timings", "failures", "warnings"):
        pd.testing.assert_frame_equal(getattr(again, part), getattr(iris, part))
    np.testing.assert_array_equal(again.X, iris.X)
    np.testing.assert_array_equal(again.labels, iris.labels)
    assert (again.label_names, again.versions, again.answer) == (iris.label_names, iris.versions, iris.answer)
    turned = xcompare.Comparison.from_store(tmp_path / "iris.xcompare", normalize="max", flip=True)
    pd.testing.assert_frame_equal(turned.table, iris.normalized("max").flipped().table)
    assert [path.name for path in tmp_path.iterdir()] == ["iris.xcompare"]
    # What failed, and data that is not at hand, are no obstacle.
    register(fakes.fails)
    X = np.random.default_rng(0).normal(size=(20, 3))
    found = xcompare.compare(X, 2, methods="fails, ls", n_runs=1, n_jobs=1)
    replace(found, data=None).save(tmp_path / "other.sqlite")
    again = xcompare.Comparison.from_store(tmp_path / "other.sqlite")
    assert (again.X, again.n_samples) == (None, 20)
    pd.testing.assert_frame_equal(again.failures, found.failures)
    assert len(xcompare.list_runs(tmp_path / "other.sqlite")) == 1


def test_files_that_cannot_be_saved_or_loaded(iris, tmp_path):
    with pytest.raises(OutputError, match=r"cannot write .*gone/a\.sqlite: No such file"):
        iris.save(tmp_path / "gone" / "a.sqlite")
    (tmp_path / "a.sqlite").write_text("nothing of the kind")
    with pytest.raises(StoreError):
        xcompare.Comparison.from_store(tmp_path / "a.sqlite")
    with pytest.raises(StoreError, match="no run store at"):
        xcompare.Comparison.from_store(tmp_path / "b.sqlite")


def test_heat_map(iris):
    axes = iris.plot()
    assert [label.get_text() for label in axes.get_xticklabels()] == list(iris.feature_names)
    assert "LS (small = important)" in [label.get_text() for label in axes.get_yticklabels()]


@pytest.mark.slow
def test_what_changes_no_number_and_what_does(X, tmp_path):
    """The table in docs/tutorial.md."""

    def scores(data, **settings):
        found = xcompare.compare(data, 2, methods="urf_gini", n_runs=1, n_jobs=1, options=QUICK, **settings)
        return found.raw["raw"].tolist()

    plain = scores(X)
    assert scores(pd.DataFrame(np.asfortranarray(X), columns=list("abcd")), name="other") == plain
    assert scores(X, y_true=[0, 1] * 30, timeout=100, store=tmp_path / "run.sqlite") == plain
    assert scores(X[::-1]) != plain
    assert scores(X[:, ::-1])[::-1] != plain
    assert scores(X, random_state=1) != plain


@pytest.mark.slow
def test_another_clusterer_can_be_bagged_and_is_part_of_what_a_run_is(X, tmp_path):
    """As an object or in words, here or in another process: the numbers of the estimator itself."""
    settings = {"methods": "basic, ls", "n_runs": 1, "options": QUICK, "store": tmp_path / "run.sqlite"}
    plain = xcompare.compare(X, 2, n_jobs=1, **settings)
    mixture = xcompare.compare(X, 2, n_jobs=1, estimator=GaussianMixture(covariance_type="tied"), **settings)
    text = "GaussianMixture(covariance_type='tied')"
    again = xcompare.compare(X, 2, n_jobs=1, estimator=text, **settings)
    assert [row.options.get("estimator") for row in mixture.plan.rows] == [text, None]
    assert mixture.plan == again.plan
    keys = [{unit.method: unit.key for unit in found.plan.units()} for found in (plain, mixture)]
    assert keys[0]["basic"] != keys[1]["basic"]
    assert keys[0]["ls"] == keys[1]["ls"]
    assert f" {text} bagged," in mixture.caption
    (row, *_) = mixture.rows
    [unit] = mixture.plan.units_of(mixture.plan.rows[0])
    model = BaggedClustering(
        2,
        resampling="basic",
        n_replicas=10,
        estimator=GaussianMixture(covariance_type="tied"),
        standardize=None,
        random_state=unit.seed,
    ).fit(standardized(X))
    np.testing.assert_allclose(row.mean, model.feature_importances_, atol=1e-12)
    elsewhere = xcompare.compare(
        X, 2, n_jobs=1, estimator=text, methods="basic", n_runs=1, options=QUICK, timeout=100
    )
    np.testing.assert_array_equal(elsewhere.rows[0].mean, row.mean)


def test_a_clusterer_is_left_to_the_native_engine(X):
    found = xcompare.compare(X, 2, methods="basic", engine="r", n_runs=1, n_jobs=1, estimator="KMeans")
    [message] = found.failures["message"]
    assert "R" in message or "estimator='KMeans()' must be left to the python engine" in message
    with pytest.raises(UnknownNameError, match="did you mean 'KMeans'"):
        xcompare.compare(X, 2, estimator="Kmeans")
