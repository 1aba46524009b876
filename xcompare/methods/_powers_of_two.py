"""Powers of two of very many numbers, sooner than by numpy, which without AVX-512 does one at a time.

Numbers are counted in steps, 2,048 to a doubling. A table holds the powers of whole steps, and a polynomial
of degree 3 does the part of a step that is left. numpy, and a loop in machine code, do the same operations in
the same order, products and sums that are rounded one by one: so their results are the same bits.
"""

from math import log, sqrt

import numpy as np

from xcompare.compiled import compiled, pays

LOG_STEPS = 11
STEPS = 2**LOG_STEPS  # to a doubling: their table, 16 kB, stays in the fastest cache
STEP = log(2) / STEPS  # ``exp(x)`` is the power of ``x / STEP`` steps
LOWEST = -1000.0 * STEPS  # far below, powers have fewer digits, then none

# Added and taken away again, it rounds to a whole number, whose bits are then the lowest of the sum.
ROUNDING = 1.5 * 2.0**52
WHOLE = STEPS - 1  # the bits of a number of steps that say where in a doubling it is
TO_EXPONENT = 52 - LOG_STEPS  # moves the others to where a float keeps its exponent, those of ROUNDING out

# exp(r) - 1 for |r| <= STEP / 2. The second takes over what it can of the fourth, so they are right to 1e-17.
FIRST, THIRD = STEP, STEP**3 / 6
SECOND = STEP**2 / 2 * (1 + (sqrt(2) - 1) * STEP**2 / 24)

PIECE = 2**14  # values that numpy works on at a time: four arrays stay in the cache
LOOPED = 2**9  # values that the loop works on at a time: they stay in the fastest cache
SECONDS_A_VALUE = 3e-9  # saved by the compiled loop


def _table() -> np.ndarray:
    """Bits of the powers of 0, 1, ... steps, less what the number of steps itself adds to them."""
    steps = np.arange(STEPS)
    # Rounded once, from more digits where long floats have them: so they are the same on any such processor.
    powers = np.exp2(steps.astype(np.longdouble) / STEPS).astype(float)
    return powers.view(np.int64) - (steps << TO_EXPONENT)


TABLE = _table()


def to_powers_of_two(steps: np.ndarray, lowest: float) -> None:
    """Replace each number by ``2 ** (number / STEPS)``, in place, right to about one unit in the last place.

    Parameters
    ----------
    steps : ndarray
        Finite, at most 1,000 doublings, without gaps in memory.
    lowest : float
        No number is below it: that spares looking for powers too small for all their digits.

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.methods._powers_of_two import STEP, to_powers_of_two
    >>> weights = np.array([0.0, -1.0, -750.0]) / STEP
    >>> to_powers_of_two(weights, lowest=-750 / STEP)
    >>> weights.round(6)
    array([1.      , 0.367879, 0.      ])
    """
    values = steps.reshape(-1)
    powers_of = _by_loop if pays(SECONDS_A_VALUE * values.size) else _by_numpy
    if lowest >= LOWEST:
        powers_of(values)
        return
    # One by one, not all where one is far: so a power does not hang on what else there is.
    far = np.flatnonzero(values < LOWEST)
    small = np.exp2(values[far] / STEPS)
    values[far] = 0
    powers_of(values)
    values[far] = small


def _by_numpy(values):
    """Powers of a flat array, in place, none below LOWEST."""
    work = np.empty((3, min(PIECE, values.size)))
    for start in range(0, values.size, PIECE):
        left = values[start : start + PIECE]
        power, part, where = work[:, : left.size]
        bits, places, found = power.view(np.int64), where.view(np.int64), part.view(np.int64)
        np.add(left, ROUNDING, out=power)
        left -= np.subtract(power, ROUNDING, out=part)
        np.bitwise_and(bits, WHOLE, out=places)
        bits <<= TO_EXPONENT
        bits += np.take(TABLE, places, out=found, mode="clip")  # without a mode, it would go through a copy
        np.multiply(left, THIRD, out=part)
        part += SECOND
        part *= left
        part += FIRST
        part *= left
        part *= power
        np.add(part, power, out=left)


@compiled
def _by_loop(values):
    """The same in machine code: some values at a time, so that a step is one for several of them."""
    powers = np.empty(LOOPED)
    bits = powers.view(np.int64)
    for start in range(0, values.size, LOOPED):
        some = values[start : start + LOOPED]
        for i in range(some.size):
            value = some[i]
            rounded = value + ROUNDING
            left = value - (rounded - ROUNDING)
            powers[i] = rounded
            some[i] = ((left * THIRD + SECOND) * left + FIRST) * left
        for i in range(some.size):
            bits[i] = (bits[i] << TO_EXPONENT) + TABLE[bits[i] & WHOLE]
        for i in range(some.size):
            some[i] = some[i] * powers[i] + powers[i]
