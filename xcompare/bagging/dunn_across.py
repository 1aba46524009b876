"""The closest pair of points on two sides of a plane, by compiled loops over tiles of neighbours.

Points are turned until their first coordinate runs from one side to the other. A close pair has both of its
points near the plane; and the farther they are from it, the less of its distance is left for all other
directions. So boxes of few coordinates rule out most pairs, which they do not among points in a heap.
"""

from typing import NamedTuple

import numpy as np

from xcompare.bagging.dunn_distances import ROUNDING, Pair, unit_of
from xcompare.bagging.dunn_tiles import COORDINATES, TILE, tile_order, tiles_of
from xcompare.compiled import compiled, pays

BOXED = 5  # coordinates of a box: the loop below says 5
STRETCH = 6  # of the first coordinate when tiles are cut: it rules out more than the others do
PAIRS_A_POINT = 300  # to be looked at from which on points are worth their tiles
MAX_FEATURES = 24  # in more, too little of a distance is in the coordinates of a tile
SAVED = 3e-10  # seconds a pair, against products
SAMPLE = 1024  # points from which to tell the widest directions


def suits(n_points: int, n_pairs: int, n_features: int) -> bool:
    """Whether this is faster than to look at so many pairs of so many points."""
    return n_features <= MAX_FEATURES and n_pairs > PAIRS_A_POINT * n_points and pays(SAVED * n_pairs)


def seconds(n_pairs: int) -> float:
    """About how long it takes: the more pairs, the closer the closest one, and the more are ruled out."""
    return 3e-7 * n_pairs**0.69


def closest_across(
    points: np.ndarray, left: np.ndarray, right: np.ndarray, across: np.ndarray, best: Pair
) -> Pair:
    """A closest pair of two sets of points, or ``best`` if that is as close.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    left, right : ndarray of int
        Which points are in each set.
    across : ndarray of shape (n_features,)
        Direction from left to right. Time depends on it, the result does not.
    best : Pair
        The closest so far.
    """
    both = np.concatenate([left, right])
    centred = points.take(both, axis=1)
    centred -= centred.mean(axis=1, keepdims=True)  # rounding is least in the middle
    turned = _axes(centred, across).T @ centred
    unit = unit_of(turned)
    turned *= unit
    radius = float(np.sqrt(np.einsum("fn,fn->n", turned, turned).max()))
    rows = turned.T.astype(np.float32)
    distance, first, second = _closest(
        *_Side.of(left, rows[: left.size], -1.0),
        *_Side.of(right, rows[left.size :], 1.0),
        points,
        best.distance,
        unit,
        2 * float(ROUNDING) * radius,
        1 + 4 * (len(points) + 4) * float(ROUNDING),
    )
    return Pair(distance, first, second) if distance < best.distance else best


class _Side(NamedTuple):
    """Points of one side in tiles, those first that reach farthest to the other."""

    tiles: np.ndarray  # (n_tiles, COORDINATES, TILE)
    low: np.ndarray  # (n_tiles, BOXED): corners of the boxes
    high: np.ndarray
    rest: np.ndarray  # (n_tiles * TILE, n_features - COORDINATES): the other coordinates of each point
    points: np.ndarray  # which point it is

    @classmethod
    def of(cls, points: np.ndarray, rows: np.ndarray, sign: float) -> "_Side":
        """Points and their coordinates, one per row; the sign of the first where the other side is not."""
        coordinates = np.zeros((len(rows), COORDINATES), dtype=np.float32)
        coordinates[:, : rows.shape[1]] = rows[:, :COORDINATES]
        stretched = coordinates[:, :BOXED].copy()
        stretched[:, 0] *= STRETCH
        order = tile_order(stretched)
        tiles = tiles_of(coordinates[order])
        order = np.concatenate([order, np.repeat(order[-1:], -len(order) % TILE)]).reshape(-1, TILE)
        nearest = np.argsort((sign * tiles[:, 0]).min(axis=1), kind="stable")
        tiles, order = tiles[nearest], order[nearest].ravel()
        low, high = (extreme(tiles[:, :BOXED], axis=2) for extreme in (np.min, np.max))
        return cls(tiles, low, high, rows[order, COORDINATES:], points[order])


def _axes(centred: np.ndarray, across: np.ndarray) -> np.ndarray:
    """Orthogonal directions: the one across, then from the widest to the narrowest."""
    sample = centred[:, :: max(1, centred.shape[1] // SAMPLE)]
    size = np.abs(sample).max()
    sample = sample / size if size > 0 else sample
    widest = np.linalg.eigh(sample @ sample.T)[1][:, ::-1]
    length = np.abs(across).max()
    return np.linalg.qr(np.column_stack([across / length, widest]) if length > 0 else widest)[0]


@compiled
def _closest(
    left_tiles, left_low, left_high, left_rest, left_points,
    right_tiles, right_low, right_high, right_rest, right_points,
    points, distance, unit, away, more,
):  # fmt: skip
    """The closest pair, measured in double precision; single precision adds up to ``away`` and ``more``."""
    n_rest = left_rest.shape[1]
    to_box = np.empty(32, np.float32)
    squares = np.empty(32, np.float32)
    within = np.empty(32, np.uint8)
    words = within.view(np.uint64)  # eight of them at once
    close = np.empty(33, np.intp)
    zero = np.float32(0)
    first = second = 0
    reach = np.float32((distance * unit + away) ** 2 * more)
    for a in range(len(left_tiles)):
        left = left_tiles[a]
        for b in range(len(right_tiles)):
            gap = right_low[b, 0] - left_high[a, 0]
            if gap > 0 and gap * gap > reach:
                break  # those that follow are farther
            gap = zero
            for axis in range(5):
                over = right_low[b, axis] - left_high[a, axis]
                under = left_low[a, axis] - right_high[b, axis]
                between = max(over, under)
                gap += between * between if between > 0 else zero
            if gap > reach:
                continue
            right = right_tiles[b]
            # Loops like the next ones do the same to all of a tile, which the processor does to many at once.
            for i in range(32):
                to_box[i] = zero
            for axis in range(5):
                line = left[axis]
                floor = right_low[b, axis]
                ceiling = right_high[b, axis]
                for i in range(32):
                    over = line[i] - ceiling
                    under = floor - line[i]
                    between = over if over > under else under
                    between = between if between > zero else zero
                    to_box[i] += between * between
            n_close = 0
            for i in range(32):
                close[n_close] = i
                n_close += to_box[i] <= reach
            for at in range(n_close):
                i = close[at]
                x0, x1, x2, x3 = left[0, i], left[1, i], left[2, i], left[3, i]
                x4, x5, x6, x7 = left[4, i], left[5, i], left[6, i], left[7, i]
                for j in range(32):
                    s, t, u, v = x0 - right[0, j], x1 - right[1, j], x2 - right[2, j], x3 - right[3, j]
                    w, x, y, z = x4 - right[4, j], x5 - right[5, j], x6 - right[6, j], x7 - right[7, j]
                    squares[j] = ((s * s + t * t) + (u * u + v * v)) + ((w * w + x * x) + (y * y + z * z))
                    within[j] = squares[j] <= reach
                if (words[0] | words[1]) | (words[2] | words[3]) == 0:
                    continue
                one = a * 32 + i
                for j in range(32):
                    if within[j] == 0:
                        continue
                    other = b * 32 + j
                    square = squares[j]
                    for axis in range(n_rest):
                        between = left_rest[one, axis] - right_rest[other, axis]
                        square += between * between
                        if square > reach:
                            break
                    else:
                        total = 0.0
                        for feature in range(len(points)):
                            exact = points[feature, left_points[one]] - points[feature, right_points[other]]
                            total += exact * exact
                        measured = np.sqrt(total)
                        if measured < distance:
                            distance = measured
                            first = left_points[one]
                            second = right_points[other]
                            reach = np.float32((distance * unit + away) ** 2 * more)
    return distance, first, second
