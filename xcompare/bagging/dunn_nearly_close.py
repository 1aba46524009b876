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
from xcompare.bagging.dunn_tiles import (
    BOXED,
    COORDINATES,
    PRODUCT_ROUNDING,
    Tiles,
    any_may_be_within,
    boxes_within,
    lowest,
    points_within,
    tile_order,
    without_lowest,
)
from xcompare.compiled import compiled

WHOLE = 2  # groups that stay whole: with more of them, more pairs are close in one
ROOM = 2**16  # pairs written down before they are handed out
SAMPLE = 2**13  # points and pairs from which to tell what varies, and how many are close in a group
SECONDS_A_PAIR = 7e-8  # of those, about


def nearly_close_pairs(
    points: np.ndarray, m: int, limit: float, share: tuple[int, int] = (0, 1)
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All pairs within a limit in some ``m`` features, and others a little beyond; some more than once.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    m : int
        At most three features less than there are.
    limit : float
    share : tuple of int, default=(0, 1)
        Which share of the pairs, of how many: every so many-th tile with all others.

    Yields
    ------
    first, second : ndarray of int
        Some of the pairs.
    """
    n_features, n = points.shape
    centred = points - points.mean(axis=1, keepdims=True)  # rounding is least in the middle
    unit = unit_of(centred)
    centred *= unit
    largest = float(np.einsum("fn,fn->n", centred, centred).max())
    error = 4 * (n_features + 4) * float(ROUNDING) * largest
    square, n_left_out = (limit * unit) ** 2, n_features - m
    groups = _groups(points, m)
    reach = np.float32(square / (len(groups) - n_left_out) + error)
    half_reach = np.float32(0.5 * reach + PRODUCT_ROUNDING * largest)
    bound = np.float32(square + error)
    centred = centred.astype(np.float32)
    found = np.empty((2, ROOM), dtype=np.int32)
    for group in groups:
        coordinates = np.zeros((n, COORDINATES), dtype=np.float32)
        coordinates[:, : group.size] = centred[group[:COORDINATES]].T
        order = tile_order(coordinates[:, :BOXED]).astype(np.intp)
        tiles = Tiles.of(coordinates[order])
        # The other features first: there a pair that is close in the group shows that it is not close at all.
        others = np.setdiff1d(np.arange(n_features), group)
        rows = np.ascontiguousarray(centred[np.concatenate([others, group])].T[order])
        position, end = 0, len(tiles.points) * len(tiles.lows)
        while position < end:
            position, count = _near(tiles, rows, n_left_out, reach, half_reach, bound, position, share, found)
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
    some = points[:, :: max(1, points.shape[1] // SAMPLE)]
    by_variance = np.argsort(-some.var(axis=1), kind="stable")
    n_groups = min(n_features, n_features - m + WHOLE)
    return [by_variance[start::n_groups] for start in range(n_groups)]


@compiled
def _near(tiles, rows, n_left_out, reach, half_reach, bound, start, share, found):
    """Write down pairs, tile after tile, while there is room; where to go on, and how many there are."""
    n_tiles, n_groups = len(tiles.points), len(tiles.lows)
    n, n_features = rows.shape
    count = 0
    for position in range(start, n_tiles * n_groups):
        a = position // n_groups
        group = position % n_groups
        if group < a // 32 or a % share[1] != share[0]:  # seen from the other side, or by another worker
            continue
        near = boxes_within(tiles.lows, tiles.highs, group, tiles.low, tiles.high, a, reach)
        if near == 0:
            continue
        if count + 32 * 32 * 32 > found.shape[1]:
            return position, count
        here = tiles.points[a]
        while near != 0:
            b = group * 32 + lowest(near)
            near = without_lowest(near)
            if b < a or b >= n_tiles:  # seen from the other side, or what fills the last group up
                continue
            there = tiles.points[b]
            ones = boxes_within(tiles.points, tiles.points, a, tiles.low, tiles.high, b, reach)
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
                    if other <= one or other >= n:
                        continue
                    # The few features left out count no more than as often the largest difference.
                    total = largest = np.float32(0)
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
    return n_tiles * n_groups, count
