"""Tiles of neighbours, and looks at 32 at once: what they say is what numpy says one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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

pytest.importorskip("numba")


def rows_of(seed, n, kind="any"):
    rng = np.random.default_rng(seed)
    rows = rng.integers(3, size=(n, COORDINATES)) if kind == "tied" else rng.normal(size=(n, COORDINATES))
    return rows.astype(np.float32)


def bits(held):
    """Which of 32 a condition held for, as a number."""
    return int(held @ (2 ** np.arange(held.size)))


def squares_to_boxes(low, high, one_low, one_high):
    away = np.maximum(np.maximum(low - one_high, one_low - high), 0)
    return (away.astype(np.float64) ** 2).sum(axis=-1)


@given(bits=st.integers(1, 2**32 - 1))
def test_bits_one_by_one(bits):
    assert lowest(np.uint32(bits)) == (bits & -bits).bit_length() - 1
    assert without_lowest(np.uint32(bits)) == bits & (bits - 1)


@given(
    seed=st.integers(0, 1000),
    n=st.sampled_from([1, 2, 31, 32, 33, 63, 64, 65, 96, 1023, 1024, 1025, 3000]),
    kind=st.sampled_from(["any", "tied", "equal"]),
)
def test_an_order_has_every_point_once_and_halves_are_apart(seed, n, kind):
    rows = rows_of(seed, n, kind)[:, :BOXED]
    rows = np.ones_like(rows) if kind == "equal" else rows
    order = tile_order(rows)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    if n > TILE:  # along some coordinate the first half, in whole tiles, is below the second
        middle = -(-n // (2 * TILE)) * TILE
        first, second = rows[order[:middle]], rows[order[middle:]]
        assert (first.max(axis=0) <= second.min(axis=0)).any()


@pytest.mark.parametrize("n", [1, 32, 33, 1000, 1024, 1025])
def test_tiles_hold_the_points_and_their_boxes(n):
    rows = rows_of(0, n)
    tiles = Tiles.of(rows)
    filled = np.concatenate([rows, np.repeat(rows[-1:], -n % TILE, axis=0)]).reshape(-1, TILE, COORDINATES)
    points = tiles.points.reshape(-1, COORDINATES + 1, TILE)
    np.testing.assert_array_equal(points[:, :-1], filled.swapaxes(1, 2))
    np.testing.assert_allclose(points[:, -1], -0.5 * np.square(filled).sum(axis=2), rtol=1e-6)
    np.testing.assert_array_equal(tiles.low, filled[:, :, :BOXED].min(axis=1))
    np.testing.assert_array_equal(tiles.high, filled[:, :, :BOXED].max(axis=1))
    for together, corner in ((tiles.lows, tiles.low), (tiles.highs, tiles.high)):
        one_by_one = together.reshape(-1, BOXED, TILE).swapaxes(1, 2).reshape(-1, BOXED)
        np.testing.assert_array_equal(one_by_one[: len(corner)], corner)
        assert (one_by_one[len(corner) :] == corner[-1]).all()


@given(seed=st.integers(0, 1000), share=st.floats(0.0, 1.0))
def test_what_is_within_reach(seed, share):
    tiles = Tiles.of(rows_of(seed, 2500))
    low, high = tiles.low[0], tiles.high[0]
    boxes = squares_to_boxes(tiles.low[TILE : 2 * TILE], tiles.high[TILE : 2 * TILE], low, high)
    here, there = (tiles.points[k].reshape(-1, TILE)[:-1].T.astype(np.float64) for k in (0, 40))
    corners = squares_to_boxes(there[:, :BOXED], there[:, :BOXED], low, high)
    points = np.square(here[5] - there).sum(axis=1)

    def between(squares):  # not so near to any that rounding decides
        ordered = np.sort(np.append(squares, [0.0, squares.max() + 1]))
        at = int(share * (ordered.size - 2))
        return np.float32((ordered[at] + ordered[at + 1]) / 2)

    for squares, look in (
        (boxes, lambda r: boxes_within(tiles.lows, tiles.highs, 1, tiles.low, tiles.high, 0, r)),
        (
            corners,
            lambda reach: boxes_within(tiles.points, tiles.points, 40, tiles.low, tiles.high, 0, reach),
        ),
        (points, lambda r: points_within(tiles.points[40], tiles.points[0], 5, r)),
    ):
        reach = between(squares)
        assert look(reach) == bits(squares <= reach)
    slack = PRODUCT_ROUNDING * np.square(np.concatenate([here, there])).sum(axis=1).max()
    for reach, expected in ((points.min(), True), (points.min() - 4 * slack, False)):
        half_reach = np.float32(0.5 * reach + slack)
        assert any_may_be_within(tiles.points[40], tiles.points[0], 5, half_reach) == expected
