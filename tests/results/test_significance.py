"""The tests behind the answer as part of a comparison: run once, stored, resumed."""

from dataclasses import replace

import numpy as np
import pytest

import xcompare
from xcompare.core.errors import DataError
from xcompare.methods.cluster_tests import CLUSTER_TESTS
from xcompare.results.significance import Significance

QUIET = {"n_jobs": 1, "progress": False}


def two_groups(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4))
    X[:40, :2] += 5
    X[:40, 2] += 1
    return X


@pytest.fixture(scope="module")
def found():
    return xcompare.significance(two_groups(), 2, name="groups", **QUIET)


def test_what_each_feature_has_to_do_with_the_clusters(found):
    assert found.outcome == "found"
    assert found.p_clusters < 0.001
    assert found.verdicts == {
        "x0": "relevant", "x1": "relevant", "x2": "differs between clusters", "x3": "noise",
    }  # fmt: skip
    assert list(found.table.columns) == ["importance", "p_associated", "p_modes", "q", "verdict"]
    assert found.table["importance"].max() == 1.0


def test_importance_or_modes_of_its_own_make_a_feature_relevant():
    tiny, half = 1e-9, 0.5
    given = Significance(
        "four", ("important", "modes", "neither", "unrelated"), "found", 0.001,
        importance=np.array([1.0, 0.1, 0.1, 0.9]),
        p_associated=np.array([tiny, tiny, tiny, half]),
        p_modes=np.array([half, tiny, half, half]),
    )  # fmt: skip
    assert list(given.verdicts.values()) == ["relevant", "relevant", "differs between clusters", "noise"]


def test_without_clusters_every_feature_is_noise():
    noise = xcompare.significance(np.random.default_rng(1).normal(size=(100, 4)), 2, **QUIET)
    assert noise.outcome == "no evidence"
    assert set(noise.verdicts.values()) == {"noise"}


def test_a_comparison_says_it_too(tmp_path):
    store = tmp_path / "run.sqlite"
    asked = {"methods": "efron, refined", "n_runs": 1, "options": {"n_replicas": 12}, "store": store}
    found = xcompare.compare(two_groups(), 2, **asked, **QUIET)
    assert found.differing == ["x0", "x1", "x2"]
    assert found.answer == (
        "Clusters found (p < .001). x1 and x0 matter most; 3 of 4 features differ between the clusters. The"
        " other family of methods agrees."
    )
    ran = []
    xcompare.compare(two_groups(), 2, **asked, n_jobs=1, progress=ran.append)
    assert not ran
    again = xcompare.Comparison.from_store(store)
    assert again.significance.table.equals(found.significance.table)
    assert again.answer == found.answer


def test_the_same_for_any_number_of_processes(found):
    two = xcompare.significance(two_groups(), 2, n_jobs=2, progress=False)
    assert two.table.equals(found.table)


def test_methods_that_are_no_clusterings_are_not_tested():
    found = xcompare.compare(two_groups(), 2, methods="ls", **QUIET)
    assert found.plan.tests == ()
    assert found.differing is None
    assert found.significance is None
    assert found.decision.outcome is None


def test_a_test_that_fails_leaves_the_comparison_alone(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no dip today")

    monkeypatch.setattr("xcompare.harness.plan.CLUSTER_TESTS", replace(CLUSTER_TESTS, run=broken))
    found = xcompare.compare(two_groups(), 2, methods="efron, ls", n_runs=1, **QUIET)
    assert found.significance is None
    assert found.differing is None
    assert found.answer.startswith("x")
    assert found.failures["message"].tolist() == ["RuntimeError: no dip today"]
    with pytest.raises(DataError, match=r"the tests failed: RuntimeError: no dip today"):
        xcompare.significance(two_groups(), 2, **QUIET)


def test_the_plot_shows_every_feature(found):
    assert isinstance(found, Significance)
    axes = found.plot()
    assert sorted(label.get_text() for label in axes.get_yticklabels()) == ["x0", "x1", "x2", "x3"]
    assert repr(found).startswith("<Significance groups: clusters found (p < .001)>")
    assert "<table" in found._repr_html_()
