"""Graphs of neighbours against all pairs written out: who is joined, also on ties and at block limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcompare.methods.graph import neighbours
from xcompare.methods.graph.neighbours import knn_weights, kth_distances, over_edges

KINDS = ["continuous", "ties", "duplicates", "far from 0"]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(neighbours, "BLOCK_ROWS", 2)
    monkeypatch.setattr(neighbours, "BLOCK_COLUMNS", 32)


def points(kind, n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    if kind == "ties":
        X = rng.integers(0, 3, size=(n, p)) / 3
    elif kind == "duplicates":
        X = X[rng.integers(0, max(1, n // 3), size=n)]
    elif kind == "far from 0":
        X = X.round(1) + 1e6
    return X


def all_distances(X):
    """Summed over the features in their order."""
    return np.sqrt(sum((column[:, None] - column) ** 2 for column in X.T))


def plain_sums(X, t, joined):
    weights = np.where(joined, np.exp(-(all_distances(X) ** 2) / t), 0)
    np.fill_diagonal(weights, 0)
    f = X - X.mean(axis=0)
    return np.diag(f.T @ weights @ f), weights.sum(axis=1)


def sums(X, t, reach=None):
    return over_edges(X, X - X.mean(axis=0), t, reach)


@pytest.mark.parametrize("t", [2.0, 1e-7])
@pytest.mark.parametrize("n", [2, 7, 8, 9, 16, 41])
@pytest.mark.parametrize("kind", KINDS)
def test_all_points_joined(kind, n, t):
    X = points(kind, n, 3)
    products, degree = sums(X, t)
    plain, plain_degree = plain_sums(X, t, np.ones((n, n), dtype=bool))
    np.testing.assert_allclose(products, plain, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(degree, plain_degree, rtol=1e-9, atol=1e-9)


@given(
    st.sampled_from(KINDS),
    st.integers(2, 40),
    st.integers(1, 5),
    st.integers(0, 99),
    st.sampled_from([2.0, 1e-7]),
)
def test_joined_up_to_a_distance_that_occurs(kind, n, p, seed, t):
    # The hardest radius: one of the distances themselves, so that rounding decides nothing.
    X = points(kind, n, p, seed)
    distance = all_distances(X)
    reach = np.full(n, np.random.default_rng(seed).choice(distance.ravel()))
    _, degree = sums(X, t, reach)
    np.testing.assert_allclose(degree, plain_sums(X, t, distance <= reach[0])[1], rtol=1e-9, atol=1e-9)
    _, below = sums(X, t, np.nextafter(reach, -1).clip(0))
    joined = distance <= np.nextafter(reach[0], -1).clip(0)
    np.testing.assert_allclose(below, plain_sums(X, t, joined)[1], rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@given(st.sampled_from(KINDS), st.integers(3, 40), st.integers(1, 20), st.integers(0, 99), st.data())
def test_kth_distances_are_exact_and_graphs_of_both_kinds_the_same(kind, n, p, seed, data):
    X = points(kind, n, p, seed)
    k = data.draw(st.integers(1, n - 1))
    distance = all_distances(X)
    kth = kth_distances(X, k)
    np.testing.assert_array_equal(kth, np.sort(distance, axis=1)[:, k])
    plain, plain_degree = plain_sums(X, 2.0, distance <= np.maximum.outer(kth, kth))
    weights = knn_weights(X, k, 2.0)  # tree search, brute force above 15 features
    f = X - X.mean(axis=0)
    for products, degree in [sums(X, 2.0, kth), (np.diag(f.T @ (weights @ f)), weights.sum(axis=1))]:
        np.testing.assert_allclose(products, plain, atol=1e-8)
        np.testing.assert_allclose(degree, plain_degree, atol=1e-8)


def test_a_reach_without_limit_joins_all():
    X = points("continuous", 20, 2)
    np.testing.assert_array_equal(sums(X, 1.0, np.full(20, 1e300))[1], sums(X, 1.0)[1])
