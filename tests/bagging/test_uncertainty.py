"""Averages over replicas: the definition, and errors and intervals that hold what they promise."""

import numpy as np
import pytest
from scipy.stats import rankdata

from xcompare import BaggedClustering, load_dataset
from xcompare.bagging.uncertainty import intervals, weighted_mean

LEVELS = np.array([0.9, 0.85, 0.5, 0.2, 0.0])


def replicas(n, rng):
    """Shares that follow their replica's quality, as in a bag; one feature in five is left out of each."""
    weights = rng.lognormal(0.0, 0.5, size=n)
    noise = (
        rng.normal(size=(n, len(LEVELS))) * np.array([0.1, 0.1, 0.2, 0.1, 0.0])
        + 0.05 * np.log(weights)[:, None]
    )
    shares = LEVELS + noise * (LEVELS > 0)
    shares[rng.random((n, len(LEVELS))) < 0.2] = np.nan
    return shares, weights


# E(w (level + 0.05 log w)) / E(w) for log w normal with standard deviation 0.5.
TRUTH = LEVELS + 0.05 * 0.25 * (LEVELS > 0)


def test_mean_and_spread_are_the_definition():
    shares, weights = replicas(40, np.random.default_rng(0))
    found = weighted_mean(shares, weights)
    for j in range(len(LEVELS)):
        drawn = ~np.isnan(shares[:, j])
        mean = np.average(shares[drawn, j], weights=weights[drawn])
        assert found.mean[j] == pytest.approx(mean)
        spread = np.average((shares[drawn, j] - mean) ** 2, weights=weights[drawn]) ** 0.5
        assert found.spread[j] == pytest.approx(spread)


def test_the_error_is_how_far_means_scatter():
    rng = np.random.default_rng(1)
    found = [weighted_mean(*replicas(100, rng)) for _ in range(400)]
    scatter = np.std([f.mean for f in found], axis=0)
    np.testing.assert_allclose(np.mean([f.error for f in found], axis=0), scatter, rtol=0.12, atol=1e-12)


@pytest.mark.slow
def test_intervals_hold_the_limit_of_infinitely_many_replicas_95_times_in_100():
    rng = np.random.default_rng(2)
    held, ranks_held, truth_ranks = [], [], rankdata(-TRUTH, method="min")
    for _ in range(200):
        importances, ranks = intervals(*replicas(60, rng), rng)
        held.append((importances[:, 0] <= TRUTH + 1e-12) & (importances[:, 1] + 1e-12 >= TRUTH))
        ranks_held.append((ranks[:, 0] <= truth_ranks) & (ranks[:, 1] >= truth_ranks))
    coverage = np.mean(held, axis=0)
    assert (coverage[:4] > 0.89).all()
    assert (coverage[:4] < 0.99).all()
    assert coverage[4] == 1  # what is always 0 is known
    assert (np.mean(ranks_held, axis=0) > 0.93).all()


def test_more_replicas_less_error():
    rng = np.random.default_rng(3)
    few, many = (weighted_mean(*replicas(n, rng)).error[:4] for n in (50, 800))
    np.testing.assert_allclose(few / many, 4, rtol=0.6)


def test_too_few_replicas_have_no_error():
    found = weighted_mean(np.array([[0.5, np.nan, 0.2], [np.nan, np.nan, 0.4]]), np.array([1.0, 2.0]))
    assert found.mean == pytest.approx([0.5, 0.0, 1 / 3])
    np.testing.assert_array_equal(np.isinf(found.error), [True, True, False])


def test_a_bag_says_how_sure_it_is():
    model = BaggedClustering(3, n_replicas=60, n_init=2, random_state=0).fit(load_dataset("wine").X)
    low, high = model.importances_interval_.T
    assert ((low <= model.feature_importances_ + 1e-12) & (model.feature_importances_ <= high + 1e-12)).all()
    best, worst = model.rank_interval_.T
    rank = rankdata(-model.feature_importances_, method="min")
    assert ((best <= rank) & (rank <= worst)).all()
    assert model.rank_interval_[6].tolist() == [1, 1]
