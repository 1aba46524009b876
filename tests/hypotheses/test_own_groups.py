"""Has groups of its own: the dip test."""

import numpy as np
import pytest
from scipy import stats

from xcompare.hypotheses.own_groups import p_own_groups, spread_ties


def test_uniform_on_uniform_data():
    X = np.random.default_rng(0).uniform(size=(100, 1000))
    p_values = p_own_groups(X)
    assert stats.kstest(p_values[:200], "uniform").pvalue > 0.01
    assert 0.03 <= (p_values <= 0.05).mean() <= 0.07


@pytest.mark.parametrize("draw", ["normal", "exponential", "standard_cauchy"])
def test_other_distributions_with_one_peak_are_hardly_ever_rejected(draw):
    X = getattr(np.random.default_rng(0), draw)(size=(100, 400))
    assert (p_own_groups(X) <= 0.05).mean() <= 0.01


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_rounding_makes_no_groups(digits):
    X = np.random.default_rng(0).normal(scale=2, size=(300, 200)).round(digits)
    assert (p_own_groups(X) <= 0.05).mean() <= 0.01


def test_two_groups_are_found_also_when_rounded():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 50)) + 5 * rng.integers(2, size=(100, 50))
    assert (p_own_groups(X) <= 0.05).mean() == 1.0
    assert (p_own_groups(X.round()) <= 0.05).mean() >= 0.9


def test_a_flag_has_no_groups_of_its_own():
    flags = np.repeat([[0.0], [1.0]], [149, 1], axis=0)
    assert p_own_groups(np.hstack([flags, np.arange(150)[:, None] % 2]))[0] == 1.0


def test_units_and_order_do_not_matter():
    x = np.random.default_rng(3).normal(size=(60, 1)).round(1)
    expected = p_own_groups(x)
    np.testing.assert_allclose(p_own_groups(100 - 7 * x[::-1]), expected)


def test_more_rows_than_the_table_of_significance_reaches():
    x = np.random.default_rng(0).normal(size=(80_000, 1))
    assert p_own_groups(x)[0] > 0.9


def test_spread_ties_keeps_what_is_apart_apart():
    x = np.repeat([1.0, 2.0, 3.0, 8.0, 9.0, 10.0], 5)
    spread = spread_ties(x)
    assert (np.diff(spread) > 0).all()
    assert spread[14] < 3.5
    assert spread[15] > 7.5
