"""Normalisations, ranks with ties, and agreement, on numbers small enough to check by hand."""

import numpy as np
import pytest

from xcompare.core.errors import UnknownNameError
from xcompare.results.table import agreement, check_normalization, normalize_scores, rank_texts


def test_divide_by_the_maximum():
    scores = np.array([[1.0, 2.0, 4.0], [-1.0, 0.5, 0.25], [0.0, 0.0, 0.0], [-3.0, -2.0, -1.0]])
    expected = [[0.25, 0.5, 1], [0, 1, 0.5], [0, 0, 0], [0, 0, 0]]
    np.testing.assert_array_equal(normalize_scores(scores, "max"), expected)


def test_minmax_and_a_constant_row_is_all_ones_as_published():
    scores = np.array([[1.0, 2.0, 5.0], [-0.25, -0.25, -0.25], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(normalize_scores(scores, "minmax"), [[0, 0.25, 1], [1, 1, 1], [1, 1, 1]])


@pytest.mark.parametrize(
    ("means", "larger", "expected"),
    [
        ([0.3, 0.2, 0.1], True, "1 2 3"),
        ([0.3, 0.2, 0.1], False, "3 2 1"),
        ([0.594, 0.586, 0.7], True, "2/3 2/3 1"),  # equal at two decimals
        ([1, 0.5, 0.5, 0.5, 0.2], True, "1 2-4 2-4 2-4 5"),
        ([1, 1, 1, 1], True, "1-4 1-4 1-4 1-4"),
        ([np.nan, np.nan], True, "– –"),
    ],
)
def test_ranks(means, larger, expected):
    assert rank_texts(np.array(means), larger) == expected.split()


def test_agreement_by_hand():
    rows = {
        ("a", "python"): np.array([1.0, 0.5, 0.25, 0.0]),
        ("a", "r"): np.array([1.0, 0.25, 0.5, 0.0]),
        ("b", "python"): np.array([0.0, 0.25, 0.5, 1.0]),
        ("c", "python"): np.ones(4),
    }
    found = agreement(rows, top=2)
    by_pair = {tuple(row[:4]): row[4:] for row in found.itertuples(index=False)}
    np.testing.assert_allclose(by_pair["a", "python", "a", "r"], [0.8, 2 / 3, 0.5, 0.25])
    np.testing.assert_allclose(by_pair["a", "python", "b", "python"], [-1, -1, 0, 1])
    assert np.isnan(by_pair["a", "python", "c", "python"][:3]).all()
    assert len(found) == 6


def test_overlap_of_more_features_than_there_are():
    rows = {("a", "r"): np.array([1.0, 0.5]), ("b", "r"): np.array([0.5, 1.0])}
    assert agreement(rows, top=5)["overlap"].tolist() == [1.0]


def test_unknown_normalization():
    with pytest.raises(UnknownNameError, match="normalize must be one of paper, max, minmax; got 'sum'"):
        check_normalization("sum")
