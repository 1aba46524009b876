"""Missing values replaced by those of similar rows."""

import numpy as np
import pytest

from xcompare.core.imputation import N_DONORS, impute


@pytest.fixture
def gappy():
    """Two groups of rows that no feature mixes up, a fifth of the values missing."""
    rng = np.random.default_rng(0)
    points = np.repeat([[0.0, 10.0]], 30, axis=1) + rng.normal(size=(4, 60))
    missing = rng.random(points.shape) < 0.2
    return np.where(missing, np.nan, points), missing


def test_values_come_from_donors_of_the_same_group_and_others_stay(gappy):
    points, missing = gappy
    filled = impute(points, missing, np.random.default_rng(1))
    np.testing.assert_array_equal(filled[~missing], points[~missing])
    assert np.isin(filled[missing], points[~missing]).all()
    some_left = ~missing.all(axis=0)
    assert ((filled[:, some_left] > 5) == (np.arange(60)[some_left] >= 30)).all()


def test_same_seed_same_donors_and_other_seeds_others(gappy):
    first, again, other = (impute(*gappy, np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_the_mean_of_many_draws_is_the_mean_of_the_donors(gappy):
    points, missing = gappy
    draws = np.mean([impute(points, missing, np.random.default_rng(seed)) for seed in range(400)], axis=0)
    expected = impute(points, missing, np.random.default_rng(0), mean=True)
    assert np.abs(draws - expected).max() < 0.25  # five standard errors of a mean of 400


def test_donors_were_drawn_in_the_replicate(gappy):
    points, missing = gappy
    counts = (np.arange(60) % 2).astype(int)
    filled = impute(points, missing, np.random.default_rng(1), counts=counts)
    assert np.isin(filled[missing], points[:, 1::2]).all()


def test_a_block_is_filled_from_one_donor():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=80)
    points = np.vstack([codes + 0.1 * rng.normal(size=80), np.eye(3)[codes].T])
    missing = np.stack([np.zeros(80, bool), np.arange(80) < 10])
    points[1:, :10] = np.nan
    filled = impute(points, missing, rng, block=np.array([0, 1, 1, 1]))
    np.testing.assert_array_equal(filled[1:], np.eye(3)[codes].T)


def test_rows_and_features_without_values():
    points = np.array([[1.0, 2.0, np.nan], [np.nan] * 3])
    filled = impute(points, np.isnan(points), np.random.default_rng(0))
    assert filled[0, 2] in (1.0, 2.0)
    assert not filled[1].any()


def test_other_rows_take_donors_from_the_pool():
    pool = np.array([np.arange(20.0), np.arange(20.0)])
    new = np.array([[2.0, 17.0], [np.nan, np.nan]])
    filled = impute(new, np.isnan(new), np.random.default_rng(0), pool=pool, mean=True)
    assert filled[1] == pytest.approx([4.5, 14.5])  # of the ten nearest rows
    assert N_DONORS == 10
