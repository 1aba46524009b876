"""Pairs of many points that are close in most features, by compiled loops over tiles of neighbours.

Points are put in an order in which each 32, a tile, are near each other; tiles whose boxes are far apart need
no look. In many features hardly any two boxes are far apart. But a pair that is close in all is closer still
in some: split the features into two groups more than a replica leaves features out, and two at least stay
whole; in one of them the squared distance is half of what it may be, or less. In the few features of a group,
with the smaller limit, boxes and single distances rule out most pairs.
"""

from collections.abc import Iterator

import numpy as np

from xcompare.bagging.dunn_distances import ROUNDING, unit_of
from xcompare.bagging.dunn_tiles import COORDINATES, tile_order, tiles_of
from xcompare.compiled import compiled

WIDE = 32  # tiles in a wide one, whose box is looked at first
WHOLE = 2  # groups that stay whole: with more of them, more pairs are close in one
ROOM = 2**16  # pairs written down before they are handed out
SAMPLE, SECONDS_A_PAIR = 2**13, 1e-7  # pairs from which to tell how many are close in a group; time for each


def nearly_close_pairs(points: np.ndarray, m: int, limit: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All pairs within a limit in some ``m`` features, and others a little beyond; some more than once.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    m : int
        At most three features less than there are.
    limit : float

    Yields
    ------
    first, second : ndarray of int
        Some of the pairs.
    """
    n_features, n = points.shape
    centred = points - points.mean(axis=1, keepdims=True)  # rounding is least in the middle
    unit = unit_of(centred)
    centred *= unit
    error = 4 * (n_features + 4) * float(ROUNDING) * float(np.einsum("fn,fn->n", centred, centred).max())
    square, n_left_out = (limit * unit) ** 2, n_features - m
    groups = _groups(points, m)
    reach = np.float32(square / (len(groups) - n_left_out) + error)
    bound = np.float32(square + error)
    centred = centred.astype(np.float32)
    found = np.empty((2, ROOM), dtype=np.int32)
    for group in groups:
        coordinates = np.zeros((n, COORDINATES), dtype=np.float32)
        coordinates[:, : group.size] = centred[group[:COORDINATES]].T
        order = tile_order(coordinates)
        tiles = tiles_of(coordinates[order])
        boxes = tiles.min(axis=2), tiles.max(axis=2)
        starts = np.arange(0, len(tiles), WIDE)
        wide_boxes = np.minimum.reduceat(boxes[0], starts), np.maximum.reduceat(boxes[1], starts)
        # The other features first: there a pair that is close in the group shows that it is not close at all.
        others = np.setdiff1d(np.arange(n_features), group)
        rows = np.ascontiguousarray(centred[np.concatenate([others, group])].T[order])
        position, end = 0, len(tiles) * len(starts)
        while position < end:
            position, count = _near(
                tiles, *boxes, *wide_boxes, rows, n_left_out, reach, bound, position, found
            )
            yield order[found[0, :count]], order[found[1, :count]]


def seconds_by_tiles(points: np.ndarray, m: int, limit: float) -> float:
    """About how long that takes: in proportion to the pairs that are close in a group."""
    n_features, n = points.shape
    first, second = np.random.default_rng(0).integers(n, size=(2, SAMPLE))
    squares = np.square(points[:, first] - points[:, second])
    groups = _groups(points, m)
    reach = limit**2 / (len(groups) - (n_features - m))
    share = sum(float((squares[group[:COORDINATES]].sum(axis=0) <= reach).mean()) for group in groups)
    return SECONDS_A_PAIR * share * n**2 / 2


def _groups(points: np.ndarray, m: int) -> list[np.ndarray]:
    """Groups of features that vary alike, each from most variance to least."""
    n_features = len(points)
    by_variance = np.argsort(-points.var(axis=1), kind="stable")
    n_groups = min(n_features, n_features - m + WHOLE)
    return [by_variance[start::n_groups] for start in range(n_groups)]


@compiled
def _near(tiles, low, high, wide_low, wide_high, rows, n_left_out, reach, bound, start, found):
    """Write down pairs, tile after tile, while there is room; where to go on, and how many there are."""
    n_tiles, n_coordinates, _ = tiles.shape
    n, n_features = rows.shape
    n_wide = len(wide_low)
    to_box = np.empty(32, np.float32)
    squares = np.empty(32, np.float32)
    lowest = np.empty(16, np.float32)
    close = np.empty(33, np.intp)
    others = np.empty(33, np.intp)
    zero = np.float32(0)
    count = 0
    for position in range(start, n_tiles * n_wide):
        a = position // n_wide
        wide = position % n_wide
        if wide < a // 32:  # seen from the other side
            continue
        gap = zero
        for axis in range(n_coordinates):
            away = max(wide_low[wide, axis] - high[a, axis], low[a, axis] - wide_high[wide, axis])
            gap += away * away if away > 0 else zero
        if gap > reach:
            continue
        if count + 32 * 32 * 32 > found.shape[1]:
            return position, count
        left = tiles[a]
        for b in range(max(a, wide * 32), min(wide * 32 + 32, n_tiles)):
            gap = zero
            for axis in range(n_coordinates):
                away = max(low[b, axis] - high[a, axis], low[a, axis] - high[b, axis])
                gap += away * away if away > 0 else zero
            if gap > reach:
                continue
            right = tiles[b]
            # Loops like the next ones do the same to all of a tile, which the processor does to many at once.
            for i in range(32):
                to_box[i] = zero
            for axis in range(n_coordinates):
                line = left[axis]
                floor = low[b, axis]
                ceiling = high[b, axis]
                for i in range(32):
                    over = line[i] - ceiling
                    under = floor - line[i]
                    away = over if over > under else under
                    away = away if away > zero else zero
                    to_box[i] += away * away
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
                # The smallest of them, by halves.
                for j in range(16):
                    lowest[j] = squares[j] if squares[j] < squares[j + 16] else squares[j + 16]
                for j in range(8):
                    lowest[j] = lowest[j] if lowest[j] < lowest[j + 8] else lowest[j + 8]
                for j in range(4):
                    lowest[j] = lowest[j] if lowest[j] < lowest[j + 4] else lowest[j + 4]
                if min(min(lowest[0], lowest[1]), min(lowest[2], lowest[3])) > reach:
                    continue
                one = a * 32 + i
                n_others = 0
                for j in range(32):
                    others[n_others] = b * 32 + j
                    n_others += squares[j] <= reach
                for seen in range(n_others):
                    other = others[seen]
                    if other <= one or other >= n:
                        continue
                    # The few features left out count no more than as often the largest difference.
                    total = largest = zero
                    for feature in range(n_features):
                        away = rows[one, feature] - rows[other, feature]
                        square = away * away
                        total += square
                        largest = square if square > largest else largest
                        if total - n_left_out * largest > bound:
                            break
                    else:
                        found[0, count] = one
                        found[1, count] = other
                        count += 1
    return n_tiles * n_wide, count
