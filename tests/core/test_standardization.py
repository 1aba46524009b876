"""Standardisation: what R's scale gives, to the bit, for any memory order and any size of numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from xcompare.core.standardization import Standardization, standardize
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
