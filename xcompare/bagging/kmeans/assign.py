"""Nearest centre of many points, and a lower bound on how much farther all other centres are.

Products in single precision take half the time and half the memory, and decide nearly all points in spite of
rounding. Near-ties are recomputed in float64.
"""

from typing import NamedTuple

import numpy as np

from xcompare.bagging.dunn.distances import unit_of
from xcompare.bagging.kmeans.centers import EQUAL, label_type

UNIT_ROUNDOFF = 2.0**-24  # of single precision
SMALLEST = np.float32(1e-30)  # squares of this size are rounding: values are at most 1
TURNED = 2**12  # points turned over at a time: they stay in the processor's cache
MEASURED = 2**18  # differences, at most, taken at a time in double precision


class Points(NamedTuple):
    """Many points, one per row: few are looked at again, and each is one place in memory then."""

    exact: np.ndarray  # (n_samples, n_features)
    single: np.ndarray  # the same in single precision, from ``origin``, in units
    squares: np.ndarray  # (n_samples,), of ``single``
    origin: np.ndarray  # (n_features,): rounding is least in the middle
    per_unit: float  # what makes units of values: nothing is too large or too small in them

    @classmethod
    def of(cls, points: np.ndarray) -> "Points":
        """From points of shape (n_features, n_samples)."""
        origin, exact = points.mean(axis=1), points.T.copy()
        per_unit = unit_of(np.ptp(points, axis=1))
        single, squares = np.empty(exact.shape, dtype=np.float32), np.empty(len(exact), dtype=np.float32)
        for start in range(0, len(exact), TURNED):
            some = slice(start, start + TURNED)
            single[some] = (exact[some] - origin) * per_unit
            np.einsum("nf,nf->n", single[some], single[some], out=squares[some])
        return cls(exact, single, squares, origin, per_unit)

    def nearest(self, centers: np.ndarray, some: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Nearest centre of each point, and how much farther all others are, in units, or somewhat less.

        Parameters
        ----------
        centers : ndarray of shape (n_clusters, n_features)
        some : ndarray of int or None, default=None
            Which points; None for all.

        Returns
        -------
        labels : ndarray of int8 or int32 of shape (n_points,)
            The first of equally near centres.
        gap : ndarray of float32 of shape (n_points,)
            At least 0.
        """
        points, squares = self.single, self.squares
        if some is not None:
            points, squares = points.take(some, axis=0), squares.take(some)
        if len(centers) == 1:
            return np.zeros(squares.shape, label_type(1)), np.full_like(squares, np.inf)
        labels, gap = _by_single_precision(points, squares, (centers - self.origin) * self.per_unit)
        unclear = np.flatnonzero(gap <= 0)
        at_once = max(1, MEASURED // centers.size)
        for each in (unclear[start : start + at_once] for start in range(0, unclear.size, at_once)):
            exact = self.exact.take(each if some is None else some.take(each), axis=0)
            labels[each], distance = _by_double_precision(exact, centers)
            gap[each] = distance * self.per_unit
        return labels, gap


def _by_single_precision(
    points: np.ndarray, squares: np.ndarray, centers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Centre that seems nearest, and how much nearer it is for sure; not above 0 where it may be another.

    With p features a score, which is the squared distance less the square of the point, is off by less than
    ``rounding = (p + 16) * UNIT_ROUNDOFF`` times the squares of the point and the centre. That of the centre
    is taken off the score, so distances are not less than what scores say, less the part of the point. The
    centre that seems nearest may be farther by twice that; its square is at most twice the sum of the
    squares of the point and of their distance.
    """
    rounding = np.float32((points.shape[1] + 16) * UNIT_ROUNDOFF)
    score = (-2.0 * centers).astype(np.float32) @ points.T
    score += ((centers**2).sum(axis=1) * (1 - rounding)).astype(np.float32)[:, None]
    labels: np.ndarray = np.zeros(squares.shape, dtype=label_type(len(centers)))
    return labels, _label(score, squares, labels, rounding)


def _label(score: np.ndarray, squares: np.ndarray, labels: np.ndarray, rounding: np.float32) -> np.ndarray:
    """Write the row of each point's smallest score to its label; return how much nearer that centre is."""
    near, far = score[0].copy(), np.full_like(squares, np.inf)
    for k in range(1, len(score)):
        candidate = score[k]
        np.copyto(labels, k, where=candidate < near)
        np.minimum(far, np.maximum(near, candidate), out=far)
        np.minimum(near, candidate, out=near)
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
    squares = np.empty((len(centers), len(points)))
    for center, out in zip(centers, squares, strict=True):
        apart = points - center
        np.einsum("nf,nf->n", apart, apart, out=out)
    nearest = squares.min(axis=0)
    labels = (squares <= nearest * (1 + EQUAL)).argmax(axis=0)
    squares[labels, np.arange(len(points))] = np.inf
    return labels, np.sqrt(squares.min(axis=0)) - np.sqrt(nearest)
