"""Standardisation of features: mean 0 and sample standard deviation 1."""

from dataclasses import dataclass

import numpy as np

FIRST_ROWS = 1000  # checked first: they usually show that a column is not constant


@dataclass(frozen=True, eq=False)
class Standardization:
    """Mean and standard deviation of each feature.

    Attributes
    ----------
    unit : ndarray of shape (n_features,)
        Powers of two near the largest value. Dividing by them is exact, and keeps the squares of very
        large or small numbers within the range of a float.
    mean, deviation : ndarray of shape (n_features,)
        Mean and sample standard deviation in those units; a constant feature has its value and 1, so that it
        becomes 0.
    """

    unit: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray) -> "Standardization":
        """Standardisation of the columns of ``X``, independent of its memory layout."""
        X = np.ascontiguousarray(X)
        largest = np.abs(X).max(axis=0)
        unit = np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0))[1] - 1)
        scaled = X / unit
        varies, mean = varying(X), scaled.mean(axis=0)
        deviation = scaled.std(axis=0, ddof=1, mean=mean[None]) if len(X) > 1 else 1.0
        return cls(unit, np.where(varies, mean, scaled[0]), np.where(varies, deviation, 1.0))

    @property
    def spread(self) -> np.ndarray:
        """Sample standard deviation in the units of the data; for a constant feature not 0."""
        return self.unit * self.deviation

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Standardise ``X``, or other rows of the same features."""
        return (X / self.unit - self.mean) / self.deviation


def varying(X: np.ndarray) -> np.ndarray:
    """Which columns have more than one value."""
    varies = (X[0] != X[:FIRST_ROWS]).any(axis=0)
    rest = np.flatnonzero(~varies)
    varies[rest] = (X[0, rest] != X[:, rest]).any(axis=0)
    return varies


def standardize(X: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and sample standard deviation 1, as R's ``scale``; a constant one becomes 0.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite numbers.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        C-ordered.

    Examples
    --------
    >>> standardize(np.array([[1.0, 1e300, 5.0], [2.0, 2e300, 5.0], [3.0, 3e300, 5.0]]))
    array([[-1., -1.,  0.],
           [ 0.,  0.,  0.],
           [ 1.,  1.,  0.]])
    """
    return Standardization.of(X).apply(np.ascontiguousarray(X))
