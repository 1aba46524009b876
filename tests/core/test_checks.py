"""Checks on arguments: one message for each kind of mistake, and one memory order for the data."""

import re

import numpy as np
import pandas as pd
import pytest

from xcompare.core.checks import check_choice, check_data, check_integer, check_labels


@pytest.mark.parametrize("wrong", [0, 2.0, "3", True, None])
def test_a_whole_number(wrong):
    check_integer("n", np.int32(1), 1)
    with pytest.raises(ValueError, match=re.escape(f"n must be a whole number of at least 1; got {wrong!r}")):
        check_integer("n", wrong, 1)


def test_a_whole_number_within_bounds():
    check_integer("n", 5, 1, 5)
    with pytest.raises(ValueError, match="n must be a whole number from 1 to 5; got 6"):
        check_integer("n", 6, 1, 5)


def test_one_of_several():
    check_choice("engine", "r", ("python", "r"))
    with pytest.raises(ValueError, match="engine must be one of python, r; got 'julia'"):
        check_choice("engine", "julia", ("python", "r"))


def test_data_in_one_memory_order():
    X = np.arange(6).reshape(3, 2)
    for given in (X, np.asfortranarray(X), X.tolist(), pd.DataFrame(X), X.repeat(2, axis=0)[::2]):
        checked = check_data(given)
        assert checked.dtype == np.float64
        assert checked.flags.c_contiguous
        np.testing.assert_array_equal(checked, X)


class AnnData:
    """As much of it as it takes to be known; looking at its values takes minutes."""

    X = obs = var = None

    def __array__(self, *args, **options):
        raise AssertionError("never looked at")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], "init must be a non-empty matrix, rows by features; got shape (2,)"),
        (np.empty((0, 2)), "init must be a non-empty matrix, rows by features; got shape (0, 2)"),
        ([["a"]], "init must be numeric"),
        ([[1.0, np.nan], [2.0, 3.0]], "init must be finite; 1 of 2 rows hold NaN or infinity (columns 1)"),
        ([[1.0, 2.0]], "init must have at least 2 rows; got 1"),
        (np.ones((2, 2)) * 1j, "Complex data not supported"),
        ([[1j, 2.0], [1.0, 2.0]], "Complex data not supported"),
        (pd.DataFrame({"a": [1, 2], "b": [1j, 2]}), "Complex data not supported"),
        (AnnData(), "AnnData cannot be read as a table; give adata.to_df()"),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), "every column must be numeric; got other values in b"),
    ],
)
def test_data_that_cannot_be_used(X, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        check_data(X, name="init", min_samples=2)


def test_labels_as_codes():
    codes, distinct = check_labels(["b", "a", "b"], 3)
    assert codes.tolist() == [1, 0, 1]
    assert distinct.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=re.escape("labels must hold one entry per row (4); got shape (3,)")):
        check_labels([0, 1, 1], 4)
