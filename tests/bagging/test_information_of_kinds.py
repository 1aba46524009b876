"""Information of features of several kinds, with gaps."""

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from xcompare.bagging.information.discrete import discrete_information, expected_information
from xcompare.bagging.information.kinds import KindInformation
from xcompare.bagging.information.mutual import FeatureInformation


@pytest.mark.parametrize(("n", "n_levels", "k", "tolerance"), [(100, 30, 3, 1e-12), (40, 40, 4, 1e-12),
                                                               (5000, 4, 3, 1e-6)])  # fmt: skip
def test_what_chance_gives_is_that_of_scikit_learn(n, n_levels, k, tolerance):
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.arange(n) % n_levels)
    labels = np.stack([rng.choice(k, n, p=np.arange(1, k + 1) / np.arange(1, k + 1).sum()) for _ in "ab"])
    sizes = np.stack([np.bincount(row, minlength=k) for row in labels])
    expected = [expected_mutual_information(contingency_matrix(row, codes).astype(int), n) for row in labels]
    assert expected_information(np.bincount(codes), sizes) == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize("n", [100, 1000])
def test_many_random_levels_gain_nothing_over_two(n):
    rng = np.random.default_rng(1)
    labels = np.stack([rng.integers(3, size=n) for _ in range(200)])
    codes = [rng.integers(n_levels, size=n) for n_levels in (2, 5, 10, 30)]
    means = discrete_information(codes, labels, 3, [True] * 4).mean(axis=0)
    assert np.abs(means).max() < 0.01


def test_a_copy_of_the_labels_has_their_entropy_and_a_level_per_row_nothing():
    labels = np.repeat([0, 1, 2], 20)
    found = discrete_information([labels, np.arange(60)], labels[None], 3, [True, True])
    assert found[0] == pytest.approx([mutual_info_score(labels, labels), 0])


def test_features_are_scored_on_the_rows_where_they_were_observed():
    rng = np.random.default_rng(0)
    labels = np.stack([np.repeat([0, 1], 60), rng.integers(2, size=120)])
    values = np.vstack([rng.normal(labels[0], 1), rng.normal(3 * labels[0], 1), labels[0] * 1.0])
    values[1, ::3] = values[2, 1::4] = np.nan
    both = np.ones((2, 3), dtype=bool)
    found, _ = KindInformation.of(values, ("numeric", "numeric", "nominal"), "auto").mutual_information(
        labels, both
    )
    whole = FeatureInformation.of(values[:1], "auto").mutual_information(labels, both[:, :1])[0]
    np.testing.assert_array_equal(found[:, 0], whole[:, 0])
    rows = np.flatnonzero(~np.isnan(values[1]))
    some = FeatureInformation.of(values[1:2, rows], "auto").mutual_information(labels[:, rows], both[:, :1])[
        0
    ]
    np.testing.assert_array_equal(found[:, 1], some[:, 0])
    assert found[0, 2] == pytest.approx(mutual_info_score(*2 * [labels[0, ~np.isnan(values[2])]]))


def test_features_not_drawn_are_unknown_and_those_never_observed_carry_nothing():
    values = np.vstack([np.arange(20.0), np.full(20, np.nan)])
    labels = np.repeat([[0, 1]], 10, axis=1).reshape(1, -1)
    found, _ = KindInformation.of(values, ("numeric", "numeric"), "auto").mutual_information(
        labels, np.array([[False, True]])
    )
    assert np.isnan(found[0, 0])
    assert found[0, 1] == 0
