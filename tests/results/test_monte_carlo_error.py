"""Monte Carlo errors, intervals and the footnote of a table."""

from dataclasses import replace

import numpy as np
import pytest

import xcompare
from xcompare.results.monte_carlo_error import footnote, intervals
from xcompare.results.scores import _ranking
from xcompare.results.table import TableRow

TRUTH = np.array([0.8, 0.78, 0.3])
NAMES = ("a", "b", "c")


def row(normalized, repeats=False, name="fake", larger_is_better=True):
    runs = np.arange(len(normalized))
    return TableRow(
        name, name, "python", larger_is_better, "none", runs, normalized, normalized, repeats, "fake 1.0"
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_runs", [3, 20])
def test_intervals_hold_the_limit_of_infinitely_many_runs_95_times_in_100(n_runs):
    rng = np.random.default_rng(0)
    held, ranks = [], []
    for _ in range(300):
        found = intervals([row(TRUTH + 0.1 * rng.normal(size=(n_runs, 3)))], NAMES)
        held.append((found["low"] <= TRUTH) & (found["high"] >= TRUTH))
        ranks.append((found["best"] <= [1, 2, 3]) & (found["worst"] >= [1, 2, 3]))
    assert ((np.mean(held, axis=0) > 0.91) & (np.mean(held, axis=0) < 0.98)).all()
    assert (np.mean(ranks, axis=0) > 0.95).all()


def test_what_has_no_randomness_is_certain():
    found = intervals([row(TRUTH[None], repeats=True, larger_is_better=False)], NAMES)
    assert found["error"].tolist() == [0, 0, 0]
    np.testing.assert_array_equal(found[["best", "worst"]], [[3, 3], [2, 2], [1, 1]])


def test_one_run_tells_nothing_of_its_error():
    assert intervals([row(TRUTH[None])], NAMES).empty
    assert footnote([row(TRUTH[None]), row(TRUTH[None], repeats=True)], NAMES) == ""


def test_the_footnote_names_the_largest_error():
    calm = row(np.array([[0.5, 0.5, 0.5], [0.52, 0.5, 0.5]]), name="calm")
    wild = row(np.array([[0.0, 0.5, 0.5], [0.0, 0.9, 0.5]]), name="wild")
    assert footnote([calm, wild, row(TRUTH[None], repeats=True)], NAMES) == (
        "Monte Carlo error of a score: at most 0.2 (wild, b), median over the methods 0.11"
    )


def test_the_error_of_a_mean_over_engines():
    runs = [np.array([[0.5 - d, 0.5], [0.5 + d, 0.5]]) for d in (0.03, 0.04)]  # errors d and 0
    found = _ranking([row(made, name="efron") for made in runs])
    np.testing.assert_allclose(found.scores, [0.5, 0.5])
    np.testing.assert_allclose(found.error, [np.hypot(0.03, 0.04) / 2, 0])


@pytest.fixture(scope="module")
def wine():
    found = xcompare.load_dataset("wine")
    return xcompare.compare(
        found, methods="efron, ls", n_runs=3, n_jobs=1, progress=False, options={"n_replicas": 10}
    )


@pytest.mark.slow
def test_a_comparison_says_how_sure_it_is_wherever_its_table_is_shown(wine):
    assert list(wine.intervals.columns) == [
        "method", "engine", "feature", "score", "error", "low", "high", "best", "worst",
    ]  # fmt: skip
    assert set(wine.intervals["method"]) == {"efron", "efron_unweighted", "ls"}
    efron = wine.intervals[wine.intervals["method"] == "efron"].set_index("feature")
    np.testing.assert_allclose(efron["error"], wine.std.loc["efron"] / np.sqrt(3))
    assert wine.footnote.startswith("Monte Carlo error of a score: at most 0.0")
    for shown in (repr(wine), wine._repr_html_(), wine.to_markdown(), wine.to_latex()):
        assert wine.footnote.split(" (")[0] in shown


@pytest.mark.slow
def test_redundant_features_are_noted_by_name_with_what_they_count_for_together(wine):
    assert wine.redundant_groups == (("Total phenols", "Flavanoids"),)
    assert wine.group_importances.loc["efron"].to_dict() == {
        "Total phenols + Flavanoids": pytest.approx(wine.table.loc["efron", "Flavanoids"], abs=0.01)
    }
    # The Laplacian score reads the other way round.
    assert wine.group_importances.loc["ls"].item() == pytest.approx(1 - wine.table.loc["ls", "Flavanoids"])
    [note] = wine.notes
    assert note.startswith("Total phenols and Flavanoids are redundant (together 1.00 by efron)")
    assert note in repr(wine)
    assert "are redundant" in wine._repr_html_()
    assert not wine.warnings["message"].str.contains("redundant features").any()


def test_a_group_counts_with_its_largest_score_in_each_run(wine):
    scores = np.zeros((2, 13))
    scores[[0, 0, 1], [0, 1, 2]] = 0.3, 1.0, 0.6  # of the first three features, in two runs
    found = replace(wine)
    vars(found).update(redundant_groups=(wine.feature_names[:3],), rows=(row(scores, name="efron"),))
    assert found.group_importances.loc["efron"].item() == pytest.approx(0.8)
