"""Standardisation: what R's scale gives, to the bit, for any memory order and any size of numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from xcompare.core.standardization import Fences, Standardization, standardize
from xcompare.io.datasets import load_dataset


@pytest.mark.parametrize("name", ["wine", "breast", "iris"])
def test_it_is_the_plain_formula_to_the_bit(name):
    X = np.ascontiguousarray(load_dataset(name).X)
    expected = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    np.testing.assert_array_equal(standardize(X), expected)
    np.testing.assert_array_equal(standardize(np.asfortranarray(X)), expected)
    assert standardize(np.asfortranarray(X)).flags.c_contiguous
    np.testing.assert_array_equal(Standardization.of(X).spread, X.std(axis=0, ddof=1))


@given(arrays(float, (5, 3), elements=st.integers(-50, 50).map(float)), st.integers(-1060, 1000))
def test_the_unit_of_measurement_changes_nothing(X, exponent):
    np.testing.assert_array_equal(standardize(np.ldexp(X, exponent)), standardize(X))


def test_very_large_numbers_stay_finite():
    largest = np.finfo(float).max
    np.testing.assert_allclose(
        standardize(np.array([[-largest], [0.0], [largest]])), [[-1.0], [0.0], [1.0]], rtol=1e-15
    )


def test_a_constant_feature_becomes_0():
    X = np.column_stack([np.full(7, 0.1), np.arange(7.0)])
    np.testing.assert_array_equal(standardize(X)[:, 0], 0.0)
    np.testing.assert_array_equal(standardize(np.zeros((4, 2))), 0.0)
    assert (Standardization.of(X).spread > 0).all()


def test_other_rows_on_the_same_scale():
    X = np.array([[0.0, 10.0], [2.0, 30.0]])
    np.testing.assert_allclose(Standardization.of(X).apply(np.array([[1.0, 20.0]])), [[0.0, 0.0]])


def test_a_few_far_values_do_not_set_the_scale():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    far = np.append(x, np.full((2, 1), [[1e6], [-1e9]]).ravel())[:, None]
    plain, robust = standardize(far, "sd")[:200], standardize(far)
    assert np.ptp(plain) < 1e-6
    assert 0.5 < robust[:200].std() < 1.0
    np.testing.assert_array_equal(np.argsort(robust[:, 0]), np.argsort(far[:, 0]))


def test_rare_values_are_far_from_each_other_not_from_the_common_one():
    """Most rows at 0, the others at 1 to 9: no value is far; one at a million is."""
    x = np.append(np.zeros(900), np.arange(100) % 9 + 1)
    assert Fences.of(x[:, None]).features.size == 0
    x[-1] = 1e6
    assert Fences.of(x[:, None]).far(x[:, None]).sum() == 1


@pytest.mark.parametrize("rare", [(0, 2), (0, 9), (0, 0, 2), (0, 2, 2), (2, 2), (0, 0, 2, 2)])
def test_few_rows_on_either_side_of_the_common_value_stay_finite(rare):
    found = standardize(np.append(np.ones(50), rare)[:, None])
    assert np.isfinite(found).all()
    assert found.std(ddof=1) == pytest.approx(1)


def test_far_values_beyond_the_range_of_squares():
    x = np.append(np.arange(50.0), 1e300)[:, None]
    assert standardize(x)[:50].std() > 0.5


def test_ranks_keep_the_order_only():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    np.testing.assert_allclose(standardize(X, "rank"), standardize(np.exp(5 * X), "rank"), atol=1e-12)
    expected = standardize(rankdata(X, axis=0), "sd")
    np.testing.assert_allclose(standardize(X, "rank"), expected, atol=1e-12)


@pytest.mark.parametrize("how", ["robust", "rank"])
def test_new_rows_are_placed_among_the_old(how):
    X = np.append(np.arange(30.0), 1e5)[:, None]
    found = Standardization.of(X, how)
    np.testing.assert_array_equal(found.apply(X[::3]), found.apply(X)[::3])


def test_none_leaves_the_data_as_it_is():
    X = np.array([[0.1, 1e5], [0.7, -3.0]])
    np.testing.assert_array_equal(standardize(X, None), X)
