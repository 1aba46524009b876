"""The one way features are brought to a common scale: mean 0 and sample standard deviation 1."""

from dataclasses import dataclass

import numpy as np

FEW = 1000  # rows looked at first


@dataclass(frozen=True, eq=False)
class Standardization:
    """Where each feature lies and how far it spreads.

    Attributes
    ----------
    unit : ndarray of shape (n_features,)
        Powers of two near the largest value. Dividing by them rounds nothing, and keeps the squares of very
        large or small numbers within what a float holds.
    mean, deviation : ndarray of shape (n_features,)
        Mean and sample standard deviation in those units; a constant feature has its value and 1, so that it
        becomes 0.
    """

    unit: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray) -> "Standardization":
        """That of the columns of ``X``, the same for any order of its memory."""
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
        """``X``, or other rows of the same features, with this mean and spread taken out."""
        return (X / self.unit - self.mean) / self.deviation


def varying(X: np.ndarray) -> np.ndarray:
    """Which columns have more than one value: of most, a few rows tell."""
    varies = (X[0] != X[:FEW]).any(axis=0)
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
