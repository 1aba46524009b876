"""Features of several kinds as dimensions."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from xcompare.bagging.information.mutual import comparable_scale
from xcompare.core.encoding import Encoding, is_plain
from xcompare.core.features import Feature
from xcompare.core.standardization import standardize

LEVELS = tuple("abcdefgh")


def encoded(x, kind, n_levels=2, how="robust"):
    return Encoding.of(x[:, None], [Feature("x", kind, LEVELS[:n_levels])], how).apply(x[:, None])


def test_numeric_features_are_standardised():
    X = np.random.default_rng(0).lognormal(size=(50, 3))
    features = [Feature(name) for name in "abc"]
    np.testing.assert_allclose(Encoding.of(X, features).apply(X), standardize(X), atol=1e-12)


@pytest.mark.parametrize("n_levels", [2, 3, 8])
def test_a_nominal_block_has_the_variance_of_one_standardised_number(n_levels):
    codes = np.arange(20.0 * n_levels) % n_levels
    points = encoded(codes, "nominal", n_levels)
    assert points.var(axis=0).sum() == pytest.approx(1)
    assert points.mean(axis=0) == pytest.approx(0)


def test_levels_are_equally_far_apart_however_rare():
    codes = np.r_[np.zeros(197), 1.0, 2.0, 2.0]
    distances = squareform(pdist(encoded(codes, "nominal", 3)))[[0, 0, 197], [197, 199, 199]]
    assert distances == pytest.approx(2)


@pytest.mark.parametrize("rare", [1, 30, 75])
def test_the_published_rule_for_flags_is_that_of_two_levels(rare):
    flag = (np.arange(150) < rare).astype(float)
    points = standardize(flag[:, None], "sd").T
    published = np.ptp(points / comparable_scale(points)[:, None])
    assert published == pytest.approx(2)
    assert np.ptp(encoded(flag, "binary")) == pytest.approx(2)
    assert pdist(np.unique(encoded(flag, "nominal"), axis=0))[0] == pytest.approx(2)


def test_ordinal_features_enter_by_rank():
    codes = np.r_[np.zeros(10), np.ones(30), np.full(20, 2.0)]
    np.testing.assert_allclose(encoded(codes, "ordinal", 3), standardize(codes[:, None], "rank"))


def test_missing_values_stay_missing_and_do_not_set_the_scale():
    x = np.r_[np.arange(20.0), np.nan]
    points = encoded(x, "numeric")
    np.testing.assert_allclose(points[:20], standardize(x[:20, None]))
    assert np.isnan(points[20, 0])
    codes = np.r_[np.arange(20.0) % 3, np.nan]
    assert np.isnan(encoded(codes, "nominal", 3)[20]).all()


def test_a_column_without_values_or_with_one_level_is_zero():
    assert not encoded(np.zeros(5), "nominal", 1).any()
    assert np.isnan(encoded(np.full(5, np.nan), "numeric")).all()


def test_complete_numbers_and_flags_are_plain():
    X = np.array([[0.0, 1.0], [1.0, 3.0]])
    flag, number = Feature("a", "binary", ("no", "yes")), Feature("b")
    assert is_plain(X, (flag, number))
    assert not is_plain(X, (flag, Feature("b", "ordinal", ("S", "M"))))
    assert not is_plain(np.array([[0.0, np.nan]]), (flag, number))
