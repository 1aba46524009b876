"""Distances between points: of given pairs, exactly, and of all at once by single-precision products."""

from typing import NamedTuple

import numpy as np

ROUNDING = np.finfo(np.float32).eps


class Pair(NamedTuple):
    """Two points, and how far apart they are."""

    distance: float
    first: int
    second: int


class Factors(NamedTuple):
    """Single-precision matrices whose products hold squared distances of points, in a unit of their size."""

    right: np.ndarray  # (n_features + 2, n_samples): the points, ones, squares
    unit: float
    error: float  # bound on the rounding of a product

    @classmethod
    def of(cls, points: np.ndarray) -> "Factors":
        """Factors of all points, features first."""
        centred = points - points.mean(axis=1, keepdims=True)  # rounding is least in the middle
        unit = unit_of(centred)
        right = np.empty((len(points) + 2, points.shape[1]), dtype=np.float32)
        centred *= unit
        right[:-2] = centred
        right[-2], right[-1] = 1.0, np.einsum("fn,fn->n", centred, centred)
        return cls(right, unit, float(4 * (len(points) + 4) * ROUNDING * right[-1].max()))

    def some(self, points: np.ndarray) -> "Factors":
        """Factors of some of the points."""
        return self._replace(right=self.right.take(points, axis=1))

    def left(self, some: np.ndarray | slice) -> np.ndarray:
        """The left factor for some points, one per row."""
        columns = self.right[:, some] if isinstance(some, slice) else self.right.take(some, axis=1)
        left = np.empty(columns.shape[::-1], dtype=np.float32)
        np.multiply(columns[:-2].T, np.float32(-2), out=left[:, :-2])
        left[:, -2:] = columns[:-3:-1].T
        return left

    def square(self, distance: float) -> float:
        """What a product holds for points at this distance."""
        return (distance * self.unit) ** 2


def unit_of(values: np.ndarray) -> float:
    """Power of two that brings the largest value near 1."""
    largest = max(values.max(), -values.min())
    return float(2.0 ** -np.frexp(largest)[1]) if largest > 0 else 1.0


def distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distances of points, one by one, features first; in one order: all who ask get the same bits."""
    squares = np.square(first - second)
    return np.sqrt(np.add.accumulate(squares, axis=0)[-1])


def dunn_ratio(separation: float, diameter: float) -> float:
    """Separation over diameter; infinite where clusters without extent are apart."""
    if separation == 0:
        return 0.0
    return separation / diameter if diameter > 0 else np.inf
