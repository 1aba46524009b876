"""More than K-means finds in one Gaussian: size and power."""

import numpy as np
import pytest
from scipy import stats

from xcompare.bagging.partitions import bag_partitions, known
from xcompare.hypotheses.one_gaussian import known_in_draws


def places(make, n_data, n_draws=19, n_replicas=16):
    """Place of each feature among draws from one Gaussian, from 0 to 1; uniform if the data are one too."""
    found = []
    for seed in range(n_data):
        rng = np.random.default_rng([seed, 2])
        X = make(rng)
        observed = known(X, bag_partitions(X, 2, rng, n_replicas=n_replicas))
        above = (known_in_draws(X, 2, n_draws, rng, n_replicas) >= observed).sum(axis=0)
        found.append((above + rng.random(X.shape[1])) / (n_draws + 1))
    return np.array(found)


@pytest.mark.slow
def test_uniform_on_one_gaussian():
    p_values = places(lambda rng: rng.normal(size=(30, 4)), 200, n_replicas=12)
    assert stats.kstest(p_values[:, 0], "uniform").pvalue > 0.01
    assert 0.03 <= (p_values <= 0.05).mean() <= 0.07


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["standard_exponential", "standard_cauchy"])
def test_skewed_and_heavy_tailed_features_are_not_taken_for_clusters(shape):
    p_values = places(lambda rng: getattr(rng, shape)(size=(40, 4)), 30)
    assert (p_values <= 0.05).mean() <= 0.07


@pytest.mark.slow
def test_correlated_features_are_not_taken_for_clusters():
    def correlated(rng):
        X = rng.normal(size=(40, 4))
        X[:, 1] = 0.9 * X[:, 0] + 0.44 * X[:, 1]
        return X

    assert (places(correlated, 30)[:, :2] <= 0.05).mean() <= 0.1


@pytest.mark.slow
def test_clusters_are_found_in_one_feature_and_in_two():
    def clusters(rng, n_features, apart):
        X = rng.normal(size=(100, 5))
        X[:, :n_features] += apart * rng.integers(2, size=(100, 1))
        return X

    alone = places(lambda rng: clusters(rng, 1, 6), 15, n_replicas=30) <= 0.05
    shared = places(lambda rng: clusters(rng, 2, 4), 15, n_replicas=30) <= 0.05
    assert alone[:, 0].mean() >= 0.8
    assert shared[:, :2].mean() >= 0.9
    assert alone[:, 1:].mean() <= 0.1
    assert shared[:, 2:].mean() <= 0.1


def test_more_features_than_rows():
    X = np.random.default_rng(0).normal(size=(10, 30))
    assert known_in_draws(X, 2, 2, np.random.default_rng(1), n_replicas=5).shape == (2, 30)
