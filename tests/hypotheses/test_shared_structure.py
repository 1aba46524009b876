"""Shares its structure with others: exact under independence."""

import numpy as np
import pytest
from scipy import stats

from xcompare.bagging.partitions import Partitions, bag_partitions
from xcompare.hypotheses.shared_structure import p_shared

MARGINS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy tails": lambda rng, shape: rng.standard_t(2, size=shape),
    "counts": lambda rng, shape: rng.poisson(1.5, size=shape).astype(float),
}


@pytest.mark.slow
@pytest.mark.parametrize("margin", MARGINS)
def test_uniform_where_features_are_independent(margin):
    found = []
    for seed in range(200):
        rng = np.random.default_rng([seed, 1])
        X = MARGINS[margin](rng, (40, 4))
        partitions = bag_partitions(X, 2, rng, n_replicas=16)
        found.append(p_shared(X, partitions, rng, n_permutations=99))
    p_values = np.array(found)
    rng = np.random.default_rng(0)  # a p-value stands for the step of 1/100 that ends there
    assert stats.kstest(p_values[:, 0] - rng.random(200) / 100, "uniform").pvalue > 0.01
    assert 0.03 <= (p_values <= 0.05).mean() <= 0.07


@pytest.mark.slow
def test_a_pair_of_features_is_found_and_the_others_are_not():
    rejected = np.zeros(5)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(100, 5))
        X[:, :2] += 4 * rng.integers(2, size=(100, 1))
        rejected += p_shared(X, bag_partitions(X, 2, rng, n_replicas=30), rng, 99) <= 0.05
    assert (rejected[:2] == 20).all()
    assert (rejected[2:] <= 4).all()


def test_one_feature_alone_shares_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    X[:, 0] += 8 * rng.integers(2, size=200)
    assert p_shared(X, bag_partitions(X, 2, rng), rng)[0] > 0.05


def test_a_feature_that_every_replica_drew_is_not_judged():
    X = np.random.default_rng(0).normal(size=(30, 2))
    labels = (X[:, 0] > 0).astype(int)[None, :]
    partitions = Partitions(labels, np.array([[True, False]]), np.ones(1))
    p_values = p_shared(X, partitions, np.random.default_rng(1), 19)
    assert p_values[0] == 1.0
    assert p_values[1] >= 1 / 20
