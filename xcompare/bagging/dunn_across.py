"""The closest pair of points on two sides of a plane, by compiled loops over tiles of neighbours.

Points are turned until their first coordinate runs from one side to the other. A close pair has both of its
points near the plane; and the farther they are from it, the less of its distance is left for all other
directions. So boxes of few coordinates rule out most pairs, which they do not among points in a heap.
"""

from typing import NamedTuple

import numpy as np

from xcompare.bagging.dunn_distances import ROUNDING, Pair, unit_of
from xcompare.bagging.dunn_tiles import (
    BOXED,
    COORDINATES,
    PRODUCT_ROUNDING,
    TILE,
    Tiles,
    any_may_be_within,
    boxes_within,
    lowest,
    points_within,
    tile_order,
    without_lowest,
)
from xcompare.compiled import can_compile, compiled, pays

STRETCH = 6  # of the first coordinate when tiles are cut: it rules out more than the others do
PAIRS_A_POINT = 300  # to be looked at from which on points are worth their tiles
MAX_FEATURES = 24  # in more, too little of a distance is in the coordinates of a tile
SAVED = 3e-10  # seconds a pair, against products
AT_ONCE = 2**13  # points turned over: they stay in the processor's cache
SAMPLE = 1024  # points from which to tell the widest directions
SMALLEST = float(np.finfo(np.float32).smallest_subnormal)


class Rows(NamedTuple):
    """Points one per row, in single precision: some of them are soon taken, and turned."""

    points: np.ndarray  # (n_columns, n_samples), as given
    values: np.ndarray  # (n_samples, n_columns), centred
    unit: float  # in which they are, so that the largest is near 1
    features: np.ndarray  # the columns that count

    @classmethod
    def of(cls, points: np.ndarray) -> "Rows":
        """Those of points, of shape (n_features, n_samples)."""
        n_features, n = points.shape
        mean = points.mean(axis=1, keepdims=True)  # rounding is least in the middle
        unit = unit_of(np.stack([points.max(axis=1), points.min(axis=1)]) - mean.T)
        values = np.empty((n, n_features), dtype=np.float32)
        for start in range(0, n, AT_ONCE):
            some = slice(start, start + AT_ONCE)
            values[some] = ((points[:, some] - mean) * unit).T
        return cls(points, values, unit, np.arange(n_features))


def can_suit(n_features: int, n_points: int) -> bool:
    """Whether some of so many points may be worth this, in most of the features."""
    return can_compile() and n_features <= 2 * MAX_FEATURES and n_points > 2 * PAIRS_A_POINT


def suits(n_points: int, n_pairs: int, n_features: int) -> bool:
    """Whether this is faster than to look at so many pairs of so many points."""
    return n_features <= MAX_FEATURES and n_pairs > PAIRS_A_POINT * n_points and pays(SAVED * n_pairs)


def seconds(n_pairs: int) -> float:
    """About how long it takes: the more pairs, the closer the closest one, and the more are ruled out."""
    return 1.1e-6 * n_pairs**0.59


def closest_across(rows: Rows, left: np.ndarray, right: np.ndarray, across: np.ndarray, best: Pair) -> Pair:
    """A closest pair of two sets of points, or ``best`` if that is as close.

    Parameters
    ----------
    rows : Rows
        The points, and the features that count.
    left, right : ndarray of int
        Which points are in each set.
    across : ndarray of shape (n_features,)
        Direction from left to right. Time depends on it, the result does not.
    best : Pair
        The closest so far.
    """
    m, n_columns = rows.features.size, rows.values.shape[1]
    taken = rows.values.take(np.concatenate([left, right]), axis=0)
    unit = unit_of(taken)
    axes = np.zeros((n_columns, max(m, COORDINATES)), dtype=np.float32)
    axes[rows.features, :m] = unit * _axes(taken, rows.features, across)
    turned = taken @ axes
    radius = float(np.sqrt(np.einsum("nf,nf->n", turned, turned).max()))
    rounding = float(ROUNDING) * (np.sqrt(m) * (n_columns + 2) + 2) * radius
    distance, first, second = _closest(
        _Side.of(left, turned[: left.size], -1.0),
        _Side.of(right, turned[left.size :], 1.0),
        rows.points,
        rows.features,
        best.distance,
        unit * rows.unit,
        2 * (rounding + n_columns * SMALLEST * unit),
        1 + 4 * (m + 4) * float(ROUNDING),
        PRODUCT_ROUNDING * radius**2,
    )
    return Pair(distance, first, second) if distance < best.distance else best


class _Side(NamedTuple):
    """Points of one side in tiles, those first that reach farthest to the other."""

    tiles: Tiles
    rows: np.ndarray  # (n_tiles * TILE, n_features): all coordinates of each point
    points: np.ndarray  # which point it is

    @classmethod
    def of(cls, points: np.ndarray, rows: np.ndarray, sign: float) -> "_Side":
        """Points and their coordinates, one per row; the sign of the first where the other side is not."""
        stretched = rows[:, :BOXED].copy()
        stretched[:, 0] *= STRETCH
        order = tile_order(stretched)
        order = np.concatenate([order, np.repeat(order[-1:], -len(order) % TILE)]).reshape(-1, TILE)
        nearest = np.argsort((sign * rows[:, 0])[order].min(axis=1), kind="stable")
        order = order[nearest].ravel()
        rows = rows.take(order, axis=0)
        return cls(Tiles.of(rows), rows, points[order])


def _axes(rows: np.ndarray, features: np.ndarray, across: np.ndarray) -> np.ndarray:
    """Orthogonal directions: the one across, then from the widest to the narrowest."""
    sample = rows[:: max(1, len(rows) // SAMPLE), features].astype(np.float64)
    size = np.abs(sample).max()
    sample = sample / size if size > 0 else sample
    sample -= sample.mean(axis=0)
    widest = np.linalg.eigh(sample.T @ sample)[1][:, ::-1]
    length = np.abs(across).max()
    return np.linalg.qr(np.column_stack([across / length, widest]) if length > 0 else widest)[0]


@compiled
def _closest(left, right, points, features, distance, unit, away, more, slack):
    """The closest pair, measured in double precision; single precision adds up to ``away`` and ``more``."""
    first = second = 0
    reach = np.float32((distance * unit + away) ** 2 * more)
    half_reach = np.float32(0.5 * reach + slack)
    n_tiles = len(right.tiles.points)
    for a in range(len(left.tiles.points)):
        here = left.tiles.points[a]
        for group in range(len(right.tiles.lows)):
            gap = right.tiles.low[group * 32, 0] - left.tiles.high[a, 0]
            if gap > 0 and gap * gap > reach:
                break  # those that follow are farther
            tiles = boxes_within(
                right.tiles.lows, right.tiles.highs, group, left.tiles.low, left.tiles.high, a, reach
            )
            while tiles != 0:
                b = group * 32 + lowest(tiles)
                tiles = without_lowest(tiles)
                if b >= n_tiles:  # what fills the last group up
                    break
                there = right.tiles.points[b]
                ones = boxes_within(
                    left.tiles.points, left.tiles.points, a, right.tiles.low, right.tiles.high, b, reach
                )
                while ones != 0:
                    i = lowest(ones)
                    ones = without_lowest(ones)
                    if not any_may_be_within(there, here, i, half_reach):
                        continue
                    others = points_within(there, here, i, reach)
                    while others != 0:
                        one = a * 32 + i
                        other = b * 32 + lowest(others)
                        others = without_lowest(others)
                        square = np.float32(0)
                        for axis in range(left.rows.shape[1]):
                            between = left.rows[one, axis] - right.rows[other, axis]
                            square += between * between
                            if square > reach:
                                break
                        else:
                            x, y = left.points[one], right.points[other]
                            total = 0.0
                            for feature in features:
                                exact = points[feature, x] - points[feature, y]
                                total += exact * exact
                            measured = np.sqrt(total)
                            if measured < distance:
                                distance, first, second = measured, x, y
                                reach = np.float32((distance * unit + away) ** 2 * more)
                                half_reach = np.float32(0.5 * reach + slack)
    return distance, first, second
