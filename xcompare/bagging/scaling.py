"""The scale replicas are clustered on: each feature about its mean, in units of its spread."""

from dataclasses import dataclass

import numpy as np

from xcompare.bagging.information import Information, comparable_scale
from xcompare.standardize import Standardization

LARGEST, SMALLEST = 1e150, 1e-150  # of values taken as they are: their squares must fit in a float


@dataclass(frozen=True, eq=False)
class Scale:
    """How the values of each feature become points.

    Attributes
    ----------
    unit : ndarray of shape (n_features,)
        Powers of two: nothing is rounded in them, and sums of very large values stay finite.
    center, spread : ndarray of shape (n_features,)
        What is taken off, and what is divided by, in those units.
    constant : ndarray of bool of shape (n_features,)
        Features of a single value.
    """

    unit: np.ndarray
    center: np.ndarray
    spread: np.ndarray
    constant: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, *, standardize: bool, information: Information) -> "Scale":
        """That of the columns of ``X``; unless information is "kde", rare values are brought nearer."""
        unit = Standardization.of(X).unit if standardize else _unit_of_squares(X)
        scaled = X / unit
        center = scaled.mean(axis=0) if standardize else np.zeros(X.shape[1])
        spread = _spread(scaled) if standardize else np.ones(X.shape[1])
        scale = cls(unit, center, spread, np.ptp(scaled, axis=0) == 0)
        if information == "kde":
            return scale
        return cls(unit, center, spread * comparable_scale(scale.apply(X)), scale.constant)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Rows of data as points: features first."""
        return np.ascontiguousarray(((X / self.unit - self.center) / self.spread).T)


def _unit_of_squares(X: np.ndarray) -> np.ndarray:
    """The unit of values that are taken as they are, which is 1; their squares must fit in a float."""
    largest = np.abs(X).max()
    extent = np.ptp(np.clip(X, -LARGEST, LARGEST), axis=0)
    if largest > LARGEST or (extent[extent > 0] < SMALLEST).any():
        raise ValueError(
            f"values must be at most {LARGEST:g} and vary by at least {SMALLEST:g} when standardize=False;"
            f" got values up to {largest:.3g}: standardize them, or give them in another unit"
        )
    return np.ones(X.shape[1])


def _spread(X: np.ndarray) -> np.ndarray:
    """Sample standard deviation of each feature; 1 for a constant one."""
    extent = np.ptp(X, axis=0)
    extent[extent == 0] = 1.0
    # Squares of values very large or small would not fit in a float: take them in units of the extent.
    spread = extent * (X / extent).std(axis=0, ddof=1)
    return np.where(spread > 0, spread, 1.0)
