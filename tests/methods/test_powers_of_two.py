"""Powers of two against those of more digits, near and far below 1, and the same bits in either way."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from xcompare.compiled import can_compile
from xcompare.methods import _powers_of_two as module
from xcompare.methods._powers_of_two import LOOPED, LOWEST, PIECE, STEP, STEPS, to_powers_of_two

SMALLEST = 5e-324
# Units in the last place. Where long floats have no more digits, what it is held against is off too.
OFF = 1.05 if np.finfo(np.longdouble).nmant > 52 else 1.6
needs_numba = pytest.mark.skipif(
    not can_compile(), reason="numba is not installed, or XCOMPARE_COMPILED is 0"
)
numbers = arrays(float, st.integers(0, 40), elements=st.floats(-1100.0 * STEPS, 10.0 * STEPS))


@pytest.fixture(params=["numpy", pytest.param("loop", marks=needs_numba)])
def either_way(request, monkeypatch):
    monkeypatch.setattr(module, "pays", lambda seconds: request.param == "loop")


def powers(steps, lowest=-np.inf):
    found = np.array(steps, dtype=float)
    to_powers_of_two(found, lowest)
    return found


def units_off(found, steps):
    """How far powers are off, in units in the last place."""
    exact = np.exp2(np.asarray(steps).astype(np.longdouble) / STEPS)
    return np.abs((found - exact) / np.spacing(exact.astype(float))).astype(float)


@pytest.mark.parametrize("doublings", [1e-3, 1.0, 20.0, 1000.0, 1080.0])
def test_powers_are_right_to_a_unit_in_the_last_place(doublings, either_way):
    steps = np.random.default_rng(0).uniform(-doublings * STEPS, 0, 200_000)
    found = powers(steps)
    assert units_off(found, steps).max() < OFF
    assert ((found >= 0) & (found <= 1)).all()


def test_powers_of_whole_doublings_are_exact(either_way):
    doublings = np.arange(-1080, 1001)
    np.testing.assert_array_equal(powers(doublings * STEPS), np.ldexp(1.0, doublings))


def test_halves_of_a_step_go_to_either_side(either_way):
    steps = np.arange(-3 * STEPS, STEPS) + 0.5
    assert units_off(powers(steps), steps).max() < OFF


@pytest.mark.parametrize(
    "exponent",
    [0.0, -0.0, SMALLEST, -SMALLEST, 1e-300, -1e-17, 1e-13, -1.0, -700.0, -708.5, -745.1, -1e5, -1e9],
)
def test_exponentials_are_those_of_numpy(exponent, either_way):
    steps = np.array([exponent / STEP])
    # Whatever computes it, an exponent that was rounded has a power that is off as much.
    rounding = np.finfo(float).eps * (2 + abs(exponent))
    np.testing.assert_allclose(powers(steps), np.exp([exponent]), rtol=rounding, atol=SMALLEST)


def test_powers_go_down_to_0_and_are_never_nan(either_way):
    steps = np.linspace(-1.0, -1100.0, 100_001) * STEPS
    found = powers(steps)
    assert (np.diff(found) <= 0).all()
    assert found[-1] == 0
    assert found[steps > -1074 * STEPS].min() > 0


@given(numbers)
@example(np.array([]))
@example(np.array([LOWEST, np.nextafter(LOWEST, -np.inf), np.nextafter(LOWEST, 0), 0.0]))
def test_a_power_does_not_hang_on_what_else_there_is(steps):
    together = powers(steps)
    alone = [powers([step], lowest=step)[0] for step in steps]
    np.testing.assert_array_equal(together, alone)


@needs_numba
@pytest.mark.parametrize("size", [1, 3, LOOPED - 1, LOOPED, LOOPED + 5, PIECE - 1, PIECE, 2 * PIECE + 77])
def test_powers_by_a_compiled_loop_are_the_same_bits(size):
    steps = np.random.default_rng(size).uniform(LOWEST, STEPS, size)
    by_numpy, by_loop = steps.copy(), steps.copy()
    module._by_numpy(by_numpy)
    module._by_loop(by_loop)
    np.testing.assert_array_equal(by_numpy, by_loop)


def test_a_block_keeps_its_shape(either_way):
    block = np.array([[0.0, -1.0, -2.0], [1.0, 2.0, -1100.0]]) * STEPS
    to_powers_of_two(block, -1100.0 * STEPS)
    np.testing.assert_array_equal(block, [[1, 0.5, 0.25], [2, 4, 0]])
