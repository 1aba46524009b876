"""Nearest centre of many points, and a lower bound on how much farther all other centres are.

Single precision takes half the time and memory, and its rounding bounds settle nearly all points. Near-ties
are recomputed in float64.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from xcompare.bagging.dunn.distances import unit_of
from xcompare.bagging.kmeans.centers import EQUAL, first_smallest, label_type
from xcompare.core.blocks import slices

UNIT_ROUNDOFF = 2.0**-24  # of single precision
SMALLEST = np.float32(1e-30)  # squares of this size are rounding errors, as values are at most 1
BLOCK_POINTS = 2**12  # converted at a time, to fit in the cache


class Points(NamedTuple):
    """Many points, one per row, so that the few reassigned later are contiguous in memory."""

    exact: np.ndarray  # (n_samples, n_features)
    single: np.ndarray  # the same in single precision, relative to ``origin``, in units
    squares: np.ndarray  # (n_samples,), of ``single``
    origin: np.ndarray  # (n_features,), the mean: keeps rounding errors small
    per_unit: float  # scale factor to units, in which nothing overflows or underflows

    @classmethod
    def of(cls, points: np.ndarray) -> "Points":
        """From points of shape (n_features, n_samples)."""
        origin, exact = points.mean(axis=1), points.T.copy()
        per_unit = unit_of(np.ptp(points, axis=1))
        single, squares = np.empty(exact.shape, dtype=np.float32), np.empty(len(exact), dtype=np.float32)
        for some in slices(len(exact), BLOCK_POINTS):
            single[some] = (exact[some] - origin) * per_unit
            np.einsum("nf,nf->n", single[some], single[some], out=squares[some])
        return cls(exact, single, squares, origin, per_unit)

    def nearest(self, centers: np.ndarray, some: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Nearest centre of each point, and a lower bound on how much farther all others are, in units.

        ``centers`` of shape (n_clusters, n_features). ``some``: which points; None for all. Returns
        ``labels`` of shape (n_points,): the first of equally near centres; ``gap`` of shape (n_points,): at
        least 0.
        """
        points, squares = self.single, self.squares
        if some is not None:
            points, squares = points.take(some, axis=0), squares.take(some)
        if len(centers) == 1:
            return np.zeros(squares.shape, label_type(1)), np.full_like(squares, np.inf)
        labels, gap = _by_single_precision(points, squares, (centers - self.origin) * self.per_unit)
        unclear = np.flatnonzero(gap <= 0)
        if unclear.size:
            exact = self.exact.take(unclear if some is None else some.take(unclear), axis=0)
            labels[unclear], distance = _by_double_precision(exact, centers)
            gap[unclear] = distance * self.per_unit
        return labels, gap


def _by_single_precision(
    points: np.ndarray, squares: np.ndarray, centers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Apparent nearest centre, and a lower bound on its lead; not above 0 where it is undecided.

    The score is the squared distance less the squared norm of the point. With p features its error is below
    ``rounding = (p + 16) * UNIT_ROUNDOFF`` times the squared norms of point and centre. The centre's part is
    subtracted from the score, so that scores less the point's part are lower bounds. For the upper bound of
    the nearest, the squared norm of its centre is at most twice the sum of those of the point and of their
    difference.
    """
    rounding = np.float32((points.shape[1] + 16) * UNIT_ROUNDOFF)
    score = (-2.0 * centers).astype(np.float32) @ points.T
    score += ((centers**2).sum(axis=1) * (1 - rounding)).astype(np.float32)[:, None]
    labels, near = first_smallest(score)
    np.put_along_axis(score, labels[None], np.inf, axis=0)
    return labels, _lead(near, score.min(axis=0), squares, rounding)


def _lead(near: np.ndarray, far: np.ndarray, squares: np.ndarray, rounding: np.float32) -> np.ndarray:
    """Lower bound on the lead of the nearest centre, from the two smallest scores, which it overwrites."""
    for distance in (near, far):
        distance += squares
        np.maximum(distance, 0, out=distance)
    far -= rounding * (far + (squares + squares))
    np.maximum(far, 0, out=far)
    slack = rounding * (near + squares)
    slack += slack
    near += (slack + slack) + (slack + SMALLEST)
    return np.sqrt(far) - np.sqrt(near)


def _by_double_precision(points: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nearest centre of each point, the first of equals, and how much farther the second nearest is."""
    squares = cdist(centers, points, "sqeuclidean")
    nearest = squares.min(axis=0)
    labels = (squares <= nearest * (1 + EQUAL)).argmax(axis=0)
    squares[labels, np.arange(len(points))] = np.inf
    return labels, np.sqrt(squares.min(axis=0)) - np.sqrt(nearest)
