"""The criteria for a number of clusters: each by another's software or by hand, and their draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, silhouette_score

from xcompare.bagging import dunn_index
from xcompare.bagging.criteria import (
    CRITERIA,
    _distances,
    criteria_and_draws,
    dunn,
    log_reduction,
    silhouette,
    stability,
)
from xcompare.bagging.partitions import Partitions


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_silhouette_and_dunn_are_those_of_others(seed, n_clusters):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3)).round(1)  # some rows are equal
    labels = np.r_[np.arange(n_clusters), rng.integers(n_clusters, size=30 - n_clusters)]
    distances = _distances(X)
    np.testing.assert_allclose(silhouette(distances, labels), silhouette_score(X, labels), atol=1e-6)
    np.testing.assert_allclose(dunn(distances, labels), dunn_index(X, labels), atol=1e-6)


def test_stability_is_the_mean_adjusted_rand_index_by_weights():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=(4, 40))
    labels[1] = labels[0]
    weights = np.array([1.0, 2.0, 0.5, 0.0])
    pairs = [(i, j) for i in range(4) for j in range(i)]
    shares = np.array([weights[i] * weights[j] for i, j in pairs])
    scores = [adjusted_rand_score(labels[i], labels[j]) for i, j in pairs]
    found = stability(Partitions(labels, np.ones((4, 2), dtype=bool), weights))
    np.testing.assert_allclose(found, shares @ scores / shares.sum())


def test_the_gap_compares_sums_of_squares():
    X = np.array([[0.0], [2.0], [10.0], [12.0]])
    assert log_reduction(X, np.zeros(4, dtype=int)) == 0.0
    np.testing.assert_allclose(log_reduction(X, np.array([0, 0, 1, 1])), np.log(104 / 4))


def test_partitions_without_extent_have_finite_criteria():
    X = np.repeat(np.eye(3), 10, axis=0) + np.repeat([[0.0], [1.0], [5.0]], 10, axis=0)
    observed, draws = criteria_and_draws(X, 3, seed=0, n_draws=2)
    assert np.isfinite(observed).all()
    assert np.isfinite(draws).all()
    assert draws.shape == (2, len(CRITERIA))


def test_the_same_seed_takes_the_same_draws_for_any_k(monkeypatch):
    seen = []
    monkeypatch.setattr("xcompare.bagging.criteria.criteria", lambda X, k, rng: seen.append(X) or np.zeros(4))
    X = np.random.default_rng(0).normal(size=(600, 3))
    for k in (2, 3):
        criteria_and_draws(X, k, seed=5, n_draws=2)
    assert [len(Y) for Y in seen] == [500] * 6
    for one, other in zip(seen[:3], seen[3:], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n_clusters", [2, 9])
def test_more_clusters_than_a_draw_needs_no_luck(n_clusters):
    X = np.random.default_rng(0).normal(size=(10, 2))
    observed, _ = criteria_and_draws(X, n_clusters, seed=0, n_draws=1)
    assert np.isfinite(observed).all()
