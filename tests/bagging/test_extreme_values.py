"""Values at the edge of what a float holds: right importances, or one clear error."""

import warnings

import numpy as np
import pytest

from xcompare import BaggedClustering

RESAMPLINGS = ("basic", "efron", "bbc")


def fit(X, resampling="efron", **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return BaggedClustering(2, resampling=resampling, n_replicas=8, random_state=0, **settings).fit(X)


@pytest.mark.parametrize("resampling", RESAMPLINGS)
@pytest.mark.parametrize(
    "unit",
    [np.full(4, 1.2e307), np.full(4, 1e-300), np.array([1, 1, 1, 1e306]), np.array([1e300, 1, 1e-300, 1])],
    ids=["near the largest", "tiny", "one column huge", "mixed"],
)
def test_the_unit_of_a_feature_changes_nothing(X, resampling, unit):
    plain, scaled = fit(X, resampling), fit(X * unit, resampling)
    np.testing.assert_allclose(scaled.feature_importances_, plain.feature_importances_, atol=1e-9)
    np.testing.assert_array_equal(scaled.labels_, plain.labels_)
    np.testing.assert_allclose(scaled.cluster_centers_ / unit, plain.cluster_centers_, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(scaled.predict(X * unit), scaled.labels_)


@pytest.mark.parametrize("resampling", RESAMPLINGS)
@pytest.mark.parametrize(
    "unit", [np.full(4, 1e160), np.full(4, 1e-170), np.array([1, 1, 1, 1e306]), np.array([1, 1, 1e-200, 1])]
)
def test_without_standardising_they_are_refused(X, resampling, unit):
    with pytest.raises(ValueError, match="values must be at most 1e\\+150 and vary by at least 1e-150 when"):
        fit(X * unit, resampling, standardize=False)


@pytest.mark.parametrize("unit", [1e-140, 1e140])
def test_without_standardising_whatever_squares_well_is_taken(X, unit):
    assert np.isfinite(fit(X * unit, standardize=False).feature_importances_).all()
