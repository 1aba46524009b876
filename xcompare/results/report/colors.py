"""Colours of table cells: a sequential and a diverging scale, in light and dark mode."""

from functools import cache

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex

from xcompare.results.plots.style import EQUAL_CONTRAST, luminance

LEVELS = 20  # levels of a scale above 0
# Scales with their colour maps in light and dark mode; all are colour-blind safe.
SCALES = {"s": ("YlGnBu", "cividis"), "d": ("PuOr_r", "managua_r")}
DARK_TEXT, LIGHT_TEXT = "#000000", "#ffffff"


def level(value: float, largest: float = 1.0) -> int | None:
    """Level of a value on a scale from 0 to ``largest``; None if unknown."""
    return None if np.isnan(value) else int(np.clip(round(value / largest * LEVELS), 0, LEVELS))


def strength(value: float) -> str:
    """CSS class of a cell with a value between 0 and 1."""
    step = level(value)
    return "" if step is None else f"s{step}"


def deviation(value: float, largest: float) -> str:
    """CSS class of a cell with a value between ``-largest`` and ``largest``."""
    step = level(value + largest, 2 * largest)
    return "" if step is None else f"d{step}"


@cache
def shades() -> tuple[tuple[str, str, str, str, str], ...]:
    """CSS rules of all classes, for light and for dark mode."""
    return tuple(
        (f"{name}{step}", *_pair(maps[0], step), *_pair(maps[1], step))
        for name, maps in SCALES.items()
        for step in range(LEVELS + 1)
    )


def legend() -> tuple[str, ...]:
    """CSS classes of the sequential scale, for the legend."""
    return tuple(f"s{step}" for step in range(0, LEVELS + 1, 2))


def _pair(name: str, step: int) -> tuple[str, str]:
    """Background of a level, and the text colour with more contrast."""
    color = colormaps[name](step / LEVELS)
    text = LIGHT_TEXT if luminance(np.array(color)) < EQUAL_CONTRAST else DARK_TEXT
    return to_hex(color), text
