"""Distances of given pairs of points, exactly, and of all pairs by single-precision matrix products."""

from typing import NamedTuple

import numpy as np

ROUNDING = np.finfo(np.float32).eps


class SinglePrecision(NamedTuple):
    """Single-precision matrices whose product holds the squared distances of points, scaled by ``unit``."""

    right: np.ndarray  # (n_samples, n_features + 2): the points, ones, squares
    unit: float
    error: float  # bound on the rounding of a product

    @classmethod
    def of(cls, points: np.ndarray) -> "SinglePrecision":
        """Factors of points of shape (n_samples, n_features)."""
        centred = points - points.mean(axis=0)  # keeps rounding errors small
        unit = unit_of(centred)
        right = np.empty((len(points), points.shape[1] + 2), dtype=np.float32)
        np.multiply(centred, unit, out=right[:, :-2], casting="same_kind")
        right[:, -2], right[:, -1] = 1.0, np.einsum("nf,nf->n", centred, centred) * unit**2
        return cls(right, unit, float(4 * (points.shape[1] + 4) * ROUNDING * right[:, -1].max()))

    def left(self, some: slice) -> np.ndarray:
        """Left factor of some points, one per row."""
        left = self.right[some] * np.float32(-2)
        left[:, -2:] = self.right[some, :-3:-1]
        return left

    def square(self, distance: float) -> float:
        """Entry of the product for points at this distance."""
        return (distance * self.unit) ** 2


def unit_of(values: np.ndarray) -> float:
    """Power of two that brings the largest value near 1."""
    largest = max(values.max(), -values.min())
    return float(2.0 ** -np.frexp(largest)[1]) if largest > 0 else 1.0


def distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distances of pairs of points, one per row; summed in a fixed order, for identical results."""
    squares = np.square(first - second)
    return np.sqrt(np.add.accumulate(squares, axis=1)[:, -1])


def dunn_ratio(separation: float, diameter: float) -> float:
    """Separation over diameter; infinite for separated clusters without extent."""
    if separation == 0:
        return 0.0
    return separation / diameter if diameter > 0 else np.inf
