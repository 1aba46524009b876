"""Tests of significance as part of a comparison: asked for, stored, resumed."""

from dataclasses import replace

import numpy as np
import pytest
from xcompare.hypotheses.verdict import q_values
from xcompare.methods._hypotheses import TESTS

import xcompare
from xcompare.comparison.tested import Significance
from xcompare.exceptions import DataError

QUIET = {"n_jobs": 1, "progress": False}


def two_groups(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4))
    X[:40, :2] += 5
    X[:40, 2] += 1.5
    return X


@pytest.mark.slow
def test_what_each_feature_has_to_do_with_the_clusters():
    found = xcompare.significance(two_groups(), 2, name="groups", **QUIET)
    assert found.verdicts == {
        "x0": "makes clusters", "x1": "makes clusters",
        "x2": "goes along with others", "x3": "noise",
    }  # fmt: skip
    assert list(found.table.columns) == [
        "importance", "noise_floor", "p_shared", "q_shared", "p_own_groups", "q_own_groups",
        "p_one_gaussian", "q_one_gaussian", "verdict",
    ]  # fmt: skip
    assert found.table["importance"].max() == 1.0
    assert (found.importance > found.noise_floor).tolist() == [True, True, False, False]
    np.testing.assert_allclose(found.table["q_shared"], q_values(found.p_shared))


@pytest.mark.slow
def test_a_comparison_says_it_too(tmp_path):
    store = tmp_path / "run.sqlite"
    asked = {"methods": "efron", "n_runs": 1, "options": {"n_replicas": 5}, "store": store}
    plain = xcompare.compare(two_groups(), 2, **asked, **QUIET)
    assert plain.significance is None
    assert plain.standing_out == ["x0", "x1"]
    assert plain.answer.endswith("2 of 4 features stand out.")

    ran = []
    full = xcompare.compare(two_groups(), 2, **asked, n_jobs=1, progress=ran.append, significance=True)
    assert full.answer.endswith("2 of 4 features make clusters, 1 go along with others.")
    # What the quick look computed is not computed again: 2 of 10 batches of draws, the data's own, the dip.
    assert ran[-1].total == 8 + 1

    again = xcompare.Comparison.from_store(store)
    assert again.significance.table.equals(full.significance.table)
    assert again.answer == full.answer


@pytest.mark.slow
def test_the_same_for_any_number_of_processes():
    one, two = (xcompare.significance(two_groups(), 2, n_jobs=n, progress=False) for n in (1, 2))
    assert one.table.equals(two.table)


@pytest.mark.slow
def test_without_bagging_nothing_is_looked_at_unless_asked_for():
    found = xcompare.compare(two_groups(), 2, methods="ls", **QUIET)
    assert found.plan.tests == ()
    assert found.standing_out is None
    asked = xcompare.compare(two_groups(), 2, methods="ls", significance=True, **QUIET)
    assert asked.significance.verdicts["x0"] == "makes clusters"


@pytest.mark.slow
def test_a_test_that_fails_leaves_the_comparison_alone(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no dip today")

    monkeypatch.setitem(TESTS, "own_groups", replace(TESTS["own_groups"], run=broken))
    found = xcompare.compare(two_groups(), 2, methods="efron,ls", n_runs=1, significance=True, **QUIET)
    assert found.significance is None
    assert found.standing_out is None
    assert "features" not in found.answer
    assert found.failures["message"].tolist() == ["RuntimeError: no dip today"]
    with pytest.raises(DataError, match=r"the tests must all finish; got RuntimeError: no dip today"):
        xcompare.significance(two_groups(), 2, **QUIET)


@pytest.mark.slow
def test_the_plot_shows_every_feature():
    table = xcompare.significance(two_groups(), 2, **QUIET)
    assert isinstance(table, Significance)
    axes = table.plot()
    assert sorted(label.get_text() for label in axes.get_yticklabels()) == ["x0", "x1", "x2", "x3"]
    assert "verdict" in repr(table)
    assert "<table" in table._repr_html_()
