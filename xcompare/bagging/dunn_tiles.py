"""Points in tiles of neighbours: what compiled loops look through, 32 at a time instead of one by one.

Each loop here does the same to all of a tile, which the processor then does to many at once, and says by bits
which of the 32 it holds for. They write nothing down: a loop that writes must first make sure that it does
not write over what it reads, which takes as long as the look itself.
"""

from typing import NamedTuple

import numpy as np

from xcompare.compiled import compiled

TILE = 32  # loops say 32: a number they know makes them fast
COORDINATES = 8  # of each point that are in its tile
BOXED = 5  # of those, by which tiles are cut, and that their boxes have

# Of half a squared distance by products, for points not farther than 1 from the origin.
PRODUCT_ROUNDING = 32 * float(np.finfo(np.float32).eps)


class Tiles(NamedTuple):
    """Points 32 by 32, and the boxes around them."""

    points: np.ndarray  # (n_tiles, (COORDINATES + 1) * TILE): coordinates, then minus half their squares
    low: np.ndarray  # (n_tiles, BOXED): corners of the box of each
    high: np.ndarray
    lows: np.ndarray  # (n_tiles / TILE, BOXED * TILE): the same, 32 boxes together
    highs: np.ndarray

    @classmethod
    def of(cls, coordinates: np.ndarray) -> "Tiles":
        """Points, one per row, neighbours behind each other; the last one fills the last tile up."""
        n_tiles = -(-len(coordinates) // TILE)
        points = np.empty((n_tiles, (COORDINATES + 1) * TILE), dtype=np.float32)
        low, high = np.empty((2, n_tiles, BOXED), dtype=np.float32)
        _fill(coordinates, points, low, high)
        return cls(points, low, high, _together(low), _together(high))


def _together(boxes: np.ndarray) -> np.ndarray:
    """Corners of boxes 32 by 32, coordinate by coordinate; the last one fills up."""
    filled = np.concatenate([boxes, np.repeat(boxes[-1:], -len(boxes) % TILE, axis=0)])
    return np.ascontiguousarray(filled.reshape(-1, TILE, BOXED).swapaxes(1, 2)).reshape(-1, BOXED * TILE)


@compiled
def _fill(coordinates, points, low, high):
    """Write points into tiles, and down where these begin and end."""
    last = len(coordinates) - 1
    half = np.float32(0.5)
    for tile in range(len(points)):
        points[tile, 256:] = 0
        for axis in range(8):
            least = most = coordinates[tile * 32, axis]
            for i in range(32):
                value = coordinates[min(tile * 32 + i, last), axis]
                points[tile, axis * 32 + i] = value
                points[tile, 256 + i] -= half * value * value
                least = min(least, value)
                most = max(most, value)
            if axis < 5:
                low[tile, axis] = least
                high[tile, axis] = most


@compiled
def boxes_within(lows, highs, group, low, high, one, reach):
    """Which of a group of 32 boxes are within reach of one box, as bits; points are boxes too."""
    found = np.uint32(0)
    for i in range(32):
        square = np.float32(0)
        for axis in range(5):
            over = lows[group, axis * 32 + i] - high[one, axis]
            under = low[one, axis] - highs[group, axis * 32 + i]
            away = max(max(over, under), np.float32(0))
            square += away * away
        found = np.uint32(found | np.uint32(np.uint32(square <= reach) << np.uint32(i)))
    return found


@compiled
def any_may_be_within(tile, other, i, half_reach):
    """Whether any point of a tile may be within reach of one point of another, as far as products tell.

    Half of a squared distance is half of both squares less the product, which takes fewer steps than squares
    of differences. ``half_reach`` is half of the squared reach, and what rounding may add.
    """
    needed = -(other[256 + i] + half_reach)
    found = False
    for j in range(32):
        product = tile[256 + j]
        for axis in range(8):
            product += tile[axis * 32 + j] * other[axis * 32 + i]
        found |= product >= needed
    return found


@compiled
def points_within(tile, other, i, reach):
    """Which points of a tile are within reach of one point of another, as bits."""
    found = np.uint32(0)
    for j in range(32):
        square = np.float32(0)
        for axis in range(8):
            away = tile[axis * 32 + j] - other[axis * 32 + i]
            square += away * away
        found = np.uint32(found | np.uint32(np.uint32(square <= reach) << np.uint32(j)))
    return found


# A single bit times this number has other five bits at the top than any other has.
SPREAD = 0x077CB531
PLACES = np.empty(32, dtype=np.int64)
PLACES[(2 ** np.arange(32) * SPREAD) % 2**32 >> 27] = np.arange(32)


@compiled
def lowest(bits):
    """Place of the lowest bit that is set."""
    alone = np.uint32(bits & np.uint32(~bits + np.uint32(1)))
    return PLACES[np.uint32(alone * np.uint32(SPREAD)) >> np.uint32(27)] & 31


@compiled
def without_lowest(bits):
    """The bits without the lowest."""
    return np.uint32(bits & np.uint32(bits - np.uint32(1)))


@compiled
def tile_order(coordinates):
    """An order of points in which those of a tile are near each other: halved along what varies most."""
    n, n_coordinates = coordinates.shape
    order = np.arange(n).astype(np.int32)
    keys = np.empty(n, coordinates.dtype)
    starts = np.empty(64, np.int64)
    stops = np.empty(64, np.int64)
    starts[0] = 0
    stops[0] = n
    n_open = 1
    while n_open > 0:
        n_open -= 1
        start = starts[n_open]
        stop = stops[n_open]
        if stop - start <= 32:
            continue
        widest = 0
        most = -1.0
        for axis in range(n_coordinates):
            count = total = squares = 0.0
            for at in range(start, stop, max(1, (stop - start) // 32)):
                value = coordinates[order[at], axis]
                count += 1
                total += value
                squares += value * value
            variance = squares - total * total / count
            if variance > most:
                widest = axis
                most = variance
        for at in range(start, stop):
            keys[at] = coordinates[order[at], widest]
        # Quickselect, until the lower half is before the middle; whole tiles on that side.
        middle = start + (stop - start + 63) // 64 * 32
        low = start
        high = stop
        while low < middle < high:
            first, between, last = keys[low], keys[(low + high) // 2], keys[high - 1]
            pivot = max(min(first, between), min(max(first, between), last))
            # Each trades places with the first that is not below: no branch for the processor to guess.
            below = low
            for at in range(low, high):
                key, index = keys[at], order[at]
                keys[at], order[at] = keys[below], order[below]
                keys[below], order[below] = key, index
                below += key < pivot
            if middle <= below:
                high = below
                continue
            upto = below  # the same with those that equal the pivot
            for at in range(below, high):
                key, index = keys[at], order[at]
                keys[at], order[at] = keys[upto], order[upto]
                keys[upto], order[upto] = key, index
                upto += key <= pivot
            if middle <= upto:
                break
            low = upto
        starts[n_open] = start
        stops[n_open] = middle
        starts[n_open + 1] = middle
        stops[n_open + 1] = stop
        n_open += 2
    return order
