"""Common factors: found where they are large and have a single mode, and removed exactly."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from xcompare import RefinedClustering
from xcompare.refined.factors import MOST_FACTORS, CommonFactors, has_several_modes


def with_factors(n_factors, n_features=24, n=200, load=2.0, factor=None):
    """Features in as many blocks as factors, and their factors."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(n_factors, n)) if factor is None else factor[None]
    block = np.arange(n_features) % max(n_factors, 1)
    return rng.normal(size=(n_features, n)) + (load * scores[block] if n_factors else 0.0)


@pytest.mark.parametrize("n_factors", [0, 1, 2, 3])
def test_as_many_as_there_are(n_factors):
    assert CommonFactors.of(with_factors(n_factors)).n_factors == n_factors


def test_at_most_four():
    assert CommonFactors.of(with_factors(8, n_features=64, load=4.0)).n_factors == MOST_FACTORS


def test_a_factor_with_two_modes_stays():
    groups = 4.0 * (np.arange(200) % 2)
    assert CommonFactors.of(with_factors(1, factor=groups)).n_factors == 0


def test_few_features_have_none():
    assert CommonFactors.of(with_factors(1, n_features=5)).n_factors == 0


def test_constant_features_are_harmless():
    points = with_factors(1)
    points[3] = 7.0
    found = CommonFactors.of(points)
    assert found.n_factors == 1
    np.testing.assert_allclose(found.without(points[[3]], np.array([3]), 1), 7.0)


def test_what_is_left_is_uncorrelated_with_the_factor():
    points = with_factors(2)
    found = CommonFactors.of(points)
    left = found.without(points, np.arange(24), 2)
    centered = left - left.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(centered @ found.scores.T, 0.0, atol=1e-10)
    np.testing.assert_array_equal(found.without(points[[1, 4]], np.array([1, 4]), 0), points[[1, 4]])


@pytest.mark.parametrize("shape", ["normal", "uniform", "exponential"])
def test_one_mode(shape):
    rng = np.random.default_rng(0)
    draws = [getattr(rng, shape)(size=200) for _ in range(40)]
    assert sum(map(has_several_modes, draws)) <= 4


def test_features_beside_two_correlated_blocks_are_found():
    rng = np.random.default_rng(1)
    labels = np.arange(250) % 3
    X = rng.normal(size=(250, 60))
    X[:, :5] += 2.5 * rng.permuted(np.tile([0, 1, 2], (5, 1)), axis=1).T[labels]
    X[:, 5:25] += 2 * rng.normal(size=(250, 1))
    X[:, 25:45] += 2 * rng.normal(size=(250, 1))
    found = RefinedClustering(3, random_state=0).fit(X).feature_importances_
    assert roc_auc_score(np.arange(60) < 5, found) == 1.0
