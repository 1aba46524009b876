"""Model-based selection through R: what it selects, what no mixture fits, and what is said without R."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import xcompare
from tests.samples import standardized
from xcompare import rbridge
from xcompare.core.errors import RCallError, UnknownNameError
from xcompare.methods import METHODS, clustvarsel
from xcompare.studies.benchmark import simulated

needs_mclust = pytest.mark.r("mclust")


def draw(scenario, seed=0, **parameters):
    """A draw of a scenario of the benchmark, standardised, relevant features first."""
    parts = scenario(np.random.default_rng(seed), **parameters)
    return standardized(np.hstack([parts.signal, parts.noise])), parts.labels, parts.signal.shape[1]


@pytest.mark.slow
@needs_mclust
@pytest.mark.parametrize("scenario", [simulated.shared, simulated.lone, simulated.correlated_noise])
def test_it_selects_the_features_that_make_the_clusters(scenario):
    X, labels, n_relevant = draw(scenario)
    found = clustvarsel(X, len(np.unique(labels)))
    assert sorted(found.details["selected"]) == list(range(n_relevant))
    assert (found.scores[:n_relevant] > 0).all()
    assert (found.scores[n_relevant:] < 0).all()
    assert adjusted_rand_score(found.labels, labels) > 0.8
    assert found.software.startswith("mclust ")


@pytest.mark.slow
@needs_mclust
def test_a_mixture_on_single_values_does_not_count():
    """A cluster on a value that repeats has any likelihood: columns of two values would win over all."""
    X, _, n_relevant = draw(simulated.discrete_noise)
    assert sorted(clustvarsel(X, 3).details["selected"]) == list(range(n_relevant))


@needs_mclust
def test_constants_and_copies_get_the_lowest_and_do_not_hang():
    X, _, _ = draw(simulated.shared, 1, n=90)
    awkward = np.column_stack([X, X[:, 0], 2 * X[:, 1] + 5, np.zeros(90)])
    found = clustvarsel(awkward, 3)
    assert np.isfinite(found.scores).all()
    assert found.scores[-1] == found.scores.min()
    assert sorted(feature % 10 for feature in found.details["selected"]) == [0, 1, 2]
    with pytest.raises(RCallError, match="a mixture of 2 clusters must fit at least one feature on its own"):
        clustvarsel(np.ones((20, 3)), 2)


@needs_mclust
def test_it_says_where_one_cluster_is_enough():
    X = np.random.default_rng(0).normal(size=(100, 4))
    assert "one cluster describes the selected features as well as 3 do" in clustvarsel(X, 3).warnings


def test_without_r_its_row_says_so_in_one_line(monkeypatch, X):
    monkeypatch.setattr(rbridge, "why_unavailable", lambda packages=(): "no R here: install it")
    found = xcompare.compare(X, 2, methods="clustvarsel, ls", n_jobs=1, progress=False)
    [row] = found.failures.to_dict(orient="records")
    assert (row["method"], row["status"], row["message"]) == (
        "clustvarsel", "unavailable", "no R here: install it",
    )  # fmt: skip
    assert np.isfinite(found.table.loc["ls"].to_numpy()).all()


def test_there_is_no_python_engine(X):
    with pytest.raises(UnknownNameError, match="engine must be one of r; got 'python'"):
        clustvarsel(X, 2, engine="python")
    assert METHODS["clustvarsel"].engines == ("r",)


@pytest.mark.slow
def test_long_runs_are_said_before_they_start_and_left_out_of_the_benchmark():
    why_slow = METHODS["clustvarsel"].why_slow
    assert why_slow("r", (200, 10), 2, {}) == why_slow("r", (5000, 10), 2, {}) == ""
    assert "takes about 19 s per run on 208 rows and 80 features" in why_slow("r", (208, 80), 2, {})
    assert why_slow("python", (208, 80), 2, {}) == ""
    board = xcompare.bench("few_of_1000", methods="clustvarsel, ls", n_draws=1, n_jobs=1, progress=False)
    [row] = board.failures.to_dict(orient="records")
    assert row["status"] == "skipped"
    assert row["message"].startswith("skipped: clustvarsel takes about 1,866 s per run")
