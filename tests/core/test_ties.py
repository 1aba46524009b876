"""Ties spread over their rounding interval: nothing is moved across a neighbour, and counts have one mode."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcompare.core.ties import spread_features, spread_ties
from xcompare.inference.unimodality import dip_p_value


@given(st.lists(st.integers(-5, 30), min_size=2, max_size=40), st.integers(0, 100))
def test_the_order_of_different_values_stays(values, seed):
    x = np.array(values, dtype=float)
    spread = spread_ties(x, np.random.default_rng(seed))
    assert spread.shape == x.shape
    order = np.argsort(spread, kind="stable")
    assert (np.diff(x[order]) >= 0).all()
    once = np.array([(x == value).sum() == 1 for value in x])
    np.testing.assert_array_equal(spread[once], x[once])


def test_units_do_not_matter():
    x = np.array([0.0, 0, 1, 1, 1, 4, 4, 9])
    np.testing.assert_allclose(spread_ties(10 * x + 3), 10 * spread_ties(x) + 3)


@pytest.mark.parametrize("x", [np.zeros(5), np.arange(5.0)], ids=["constant", "no ties"])
def test_nothing_to_spread(x):
    assert spread_ties(x) is x


def test_rows_that_share_a_value_are_shuffled_where_asked_for():
    x = np.repeat([0.0, 1.0], 50)
    assert (np.diff(spread_ties(x)[:50]) > 0).all()
    shuffled = spread_ties(x, np.random.default_rng(0))
    assert not (np.diff(shuffled[:50]) > 0).all()
    np.testing.assert_allclose(np.sort(shuffled), np.sort(spread_ties(x)))


COUNTS = {
    "log1p Poisson(1)": lambda rng: np.log1p(rng.poisson(1.0, size=300)),
    "log1p Poisson(3)": lambda rng: np.log1p(rng.poisson(3.0, size=300)),
    "log1p negative binomial": lambda rng: np.log1p(rng.negative_binomial(1, 0.2, size=300)),
    "Poisson(2)": lambda rng: rng.poisson(2.0, size=300).astype(float),
    "grades": lambda rng: np.clip(np.round(3 + rng.normal(size=300)), 1, 5),
}


@pytest.mark.parametrize("kind", COUNTS)
def test_counts_have_one_mode(kind):
    rng = np.random.default_rng(0)
    p_values = [dip_p_value(spread_ties(COUNTS[kind](rng))) for _ in range(50)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.04


def test_two_groups_that_were_rounded_still_have_two():
    rng = np.random.default_rng(1)
    x = np.round(rng.normal(size=200) + 6 * (np.arange(200) % 2))
    assert dip_p_value(spread_ties(x)) < 0.01


def test_only_the_features_asked_for_are_spread_each_in_its_own_order():
    flags = np.tile(np.repeat([0.0, 1.0], 50), (3, 1))
    found = spread_features(flags, np.array([True, True, False]), np.random.default_rng(0))
    np.testing.assert_array_equal(found[2], flags[2])
    np.testing.assert_array_equal(np.sort(found[0]), np.sort(found[1]))
    assert abs(np.corrcoef(found[0, :50], found[1, :50])[0, 1]) < 0.3
    assert spread_features(flags, np.zeros(3, dtype=bool), np.random.default_rng(0)) is flags
