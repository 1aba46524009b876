"""Colours of table cells: a sequential and a diverging scale, in light and dark mode."""

from functools import cache

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex, to_rgba

from xcompare.results.plots.style import luminance

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


def contrast(a: str, b: str) -> float:
    """WCAG 2 contrast ratio of two colours, from 1 to 21."""
    high, low = sorted(luminance(np.array([to_rgba(a), to_rgba(b)])), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _pair(name: str, step: int) -> tuple[str, str]:
    """Background of a level, and the text colour with more contrast."""
    background = to_hex(colormaps[name](step / LEVELS))
    return background, max((DARK_TEXT, LIGHT_TEXT), key=lambda text: contrast(text, background))
