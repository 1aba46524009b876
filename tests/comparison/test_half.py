"""Bagging with half of the features drawn: looked at, and said where another feature then comes first."""

import numpy as np
import pytest

import xcompare
from tests.bagging.test_redundancy import trap
from xcompare.comparison.answer import Voice, answer

QUIET = {"n_jobs": 1, "progress": False, "options": {"n_replicas": 30}}


@pytest.mark.slow
def test_the_answer_says_so_when_it_changes(tmp_path):
    """`a` makes the clusters; three near-copies outvote it unless a replica draws two features."""
    store = tmp_path / "run.sqlite"
    found = xcompare.compare(trap(2), 2, methods="efron, ls", n_runs=2, store=store, **QUIET)
    assert found.table.loc["efron"].idxmax() != "a"
    assert found.answer.endswith("With half of the features drawn, a first by Efron: see xcompare sweep.")
    assert list(found.table.index) == ["efron", "efron_unweighted", "ls"]
    assert xcompare.Comparison.from_store(store).answer == found.answer


@pytest.mark.slow
def test_nothing_is_said_where_the_same_feature_comes_first():
    wine = xcompare.load_dataset("wine")
    found = xcompare.compare(
        wine, methods="efron", n_runs=7, n_jobs=1, progress=False, options={"n_replicas": 10}
    )
    [row] = [row for row in found.plan.tests if row.method == "efron"]
    assert (row.options["max_features"], row.n_runs) == (6, 5)
    assert found.with_half.first == {6}
    assert "half" not in found.answer


@pytest.mark.slow
def test_not_looked_at_where_the_size_was_chosen_or_is_no_other():
    for X, asked in ((trap(2), {"max_features": 2}), (trap(1), {})):
        found = xcompare.compare(X, 2, methods="efron", n_runs=1, **asked, **QUIET)
        assert found.with_half is None
    assert xcompare.compare(trap(2), 2, methods="ls", **QUIET).with_half is None


def test_only_the_voice_of_the_same_name_is_compared():
    none = np.zeros(2)
    said = [
        Voice("Efron", "bagging", np.array([1.0, 0.2]), none),
        Voice("LS", "graph", np.array([0.1, 1.0]), none),
    ]
    other, same = (Voice("Efron", "bagging", np.array(x), none) for x in ([0.3, 1.0], [1.0, 0.9]))
    assert "With half of the features drawn, b first by Efron" in answer(said, ["a", "b"], with_half=other)
    assert "half" not in answer(said, ["a", "b"], with_half=same)
    assert "half" not in answer(said, ["a", "b"], with_half=Voice("BBC", "bagging", other.scores, none))
