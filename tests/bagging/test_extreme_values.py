"""Values at the edge of what a float holds: right importances, or one clear error."""

import warnings

import numpy as np
import pytest

from xcompare import BaggedClustering
from xcompare.bagging import dunn_index, kde_entropy, mutual_information

RESAMPLINGS = ("basic", "efron", "bbc")
SQUARES = (
    r"must stay within ±1e\+140 and vary by at least 1e-140, so that squares fit in a float; got values up"
)
HALVES = np.repeat([0, 1], 30)


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
    with pytest.raises(ValueError, match=SQUARES):
        fit(X * unit, resampling, standardize=None)


@pytest.mark.parametrize("unit", [1e-100, 1e-12, 1e6, 1e11])
def test_without_standardising_a_common_unit_changes_next_to_nothing(X, unit):
    plain, scaled = fit(X, standardize=None), fit(X * unit, standardize=None)
    np.testing.assert_array_equal(scaled.labels_, plain.labels_)
    # A density ends three bandwidths past the data: what is cut off has the unit of the logarithm.
    np.testing.assert_allclose(scaled.feature_importances_, plain.feature_importances_, atol=0.03)


@pytest.mark.parametrize("information", ["auto", "kde", "discrete"])
def test_values_whose_densities_would_drown_in_the_floor_are_refused(X, information):
    with pytest.raises(ValueError, match=r"a range of at most 1e\+12 .* got .*: standardise"):
        fit(X * 1e14, standardize=None, information=information)


@pytest.mark.parametrize("unit", [1e160, 1e-170, 1.5e307])
@pytest.mark.parametrize(
    "block",
    [
        lambda X: dunn_index(X, HALVES),
        lambda X: mutual_information(X, HALVES),
        lambda X: kde_entropy(X[:, 0]),
    ],
    ids=["dunn_index", "mutual_information", "kde_entropy"],
)
def test_building_blocks_refuse_what_they_cannot_square(X, block, unit):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=SQUARES):
            block(X * unit)
