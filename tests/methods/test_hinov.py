"""HINoV: the best groups of each feature, the index scikit-learn gives them, and awkward data."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import adjusted_rand_score

from tests.samples import standardized
from xcompare.methods import hinov
from xcompare.methods.filters import hinov as hinov_module
from xcompare.methods.filters.hinov import best_groups


def within(x, labels):
    return sum(np.square(x[labels == k] - x[labels == k].mean()).sum() for k in np.unique(labels))


def smallest_within(x, n_clusters):
    """Of all ways to cut the values in order."""
    x = np.sort(x)
    ways = (np.split(x, cut) for cut in combinations(range(1, len(x)), n_clusters - 1))
    return min(sum(np.square(part - part.mean()).sum() for part in way) for way in ways)


values = st.one_of(st.integers(-3, 3).map(float), st.floats(-100, 100))


@pytest.mark.slow
@given(arrays(float, st.tuples(st.integers(1, 9), st.integers(1, 3)), elements=values), st.data())
def test_no_groups_are_better(X, data):
    n_clusters = data.draw(st.integers(1, min(len(X), 5)))
    labels = best_groups(X, n_clusters)
    for x, own in zip(X.T, labels.T, strict=True):
        assert within(x, own) == pytest.approx(smallest_within(x, n_clusters), abs=1e-9)
        for value in np.unique(x):
            assert len(np.unique(own[x == value])) == 1
    assert ((labels >= 0) & (labels < n_clusters)).all()


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 6])
@pytest.mark.parametrize("name", ["iris", "wine", "breast"])
def test_scores_are_sums_of_adjusted_rand_indices(name, n_clusters):
    X = standardized(name)
    labels = best_groups(X, n_clusters)
    expected = np.array([[adjusted_rand_score(a, b) for a in labels.T] for b in labels.T])
    found = hinov(X, n_clusters)
    np.testing.assert_allclose(found.details["agreement"], expected, atol=1e-12)
    np.testing.assert_allclose(found.scores, expected.sum(axis=1) - 1, atol=1e-12)


@pytest.mark.parametrize("block", [1, 1000])
def test_blocks_change_nothing(block, monkeypatch):
    X = standardized("wine")
    whole = hinov(X, 3).scores
    monkeypatch.setattr(hinov_module, "BLOCK_VALUES", block)
    np.testing.assert_allclose(hinov(X, 3).scores, whole, rtol=1e-12)


def test_one_feature_agrees_with_no_other():
    assert hinov(np.arange(6.0)[:, None], 2).scores == 0


def test_more_clusters_than_rows():
    with pytest.raises(ValueError, match="n_clusters must be a whole number from 1 to 3; got 4"):
        hinov(np.eye(3), 4)


@pytest.mark.slow
def test_features_are_cut_in_blocks_that_take_little_beside_the_data():
    X = np.random.default_rng(0).normal(size=(100_000, 10))
    tracemalloc.start()
    try:
        hinov(X, 3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * X.nbytes  # all features at once: 17
