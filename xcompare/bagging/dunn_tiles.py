"""Points in tiles of neighbours: what compiled loops look through, tile by tile instead of pair by pair."""

import numpy as np

from xcompare.compiled import compiled

TILE = 32  # compiled loops say 32: a number they know makes them fast
COORDINATES = 8  # of each point that are in its tile


def tiles_of(coordinates: np.ndarray) -> np.ndarray:
    """Points in tiles, shape (n_tiles, n_coordinates, TILE); the last point fills the last tile up."""
    n_more = -len(coordinates) % TILE
    filled = np.concatenate([coordinates, np.repeat(coordinates[-1:], n_more, axis=0)])
    return np.ascontiguousarray(filled.reshape(-1, TILE, coordinates.shape[1]).swapaxes(1, 2))


@compiled
def tile_order(coordinates):
    """An order of points in which those of a tile are near each other: halved along what varies most."""
    n, n_coordinates = coordinates.shape
    order = np.arange(n)
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
            for at in range(start, stop, max(1, (stop - start) // 64)):
                value = coordinates[order[at], axis]
                count += 1
                total += value
                squares += value * value
            variance = squares - total * total / count
            if variance > most:
                widest = axis
                most = variance
        # Quickselect, until the lower half is before the middle; whole tiles on that side.
        middle = start + (stop - start + 63) // 64 * 32
        low = start
        high = stop - 1
        while low < high:
            pivot = coordinates[order[(low + high) // 2], widest]
            i = low
            j = high
            while i <= j:
                while coordinates[order[i], widest] < pivot:
                    i += 1
                while coordinates[order[j], widest] > pivot:
                    j -= 1
                if i <= j:
                    here = order[i]
                    order[i] = order[j]
                    order[j] = here
                    i += 1
                    j -= 1
            if middle <= j:
                high = j
            elif middle >= i:
                low = i
            else:
                break
        starts[n_open] = start
        stops[n_open] = middle
        starts[n_open + 1] = middle
        stops[n_open + 1] = stop
        n_open += 2
    return order
