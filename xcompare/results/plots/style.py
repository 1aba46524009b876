"""Colour-blind safe colours, and figures with panels."""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import TypeVar

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes

# Okabe-Ito palette; first the colours with good contrast on both white and black.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
LINES = len(COLORS)  # clusters or features with a colour of their own
MARKERS = ("o", "s", "^", "D", "v", "P")
MUTED = "#9a9a9a"
SEQUENTIAL = "YlGnBu"  # for importances
DIVERGING = "PuOr_r"  # orange positive, purple negative

EQUAL_CONTRAST = 0.179  # luminance with equal contrast to black and white (WCAG 2.1)

PANEL = 3.6, 2.6  # inches
MOST_COLUMNS = 3
LETTER = 0.11  # width in a title, in inches

Item = TypeVar("Item")


def color(number: int) -> str:
    """Colour of the n-th cluster, line or engine; repeats after six (see `marker`)."""
    return COLORS[number % len(COLORS)]


def marker(number: int) -> str:
    """Marker of the n-th cluster; the shapes change every six."""
    return MARKERS[(number + number // len(COLORS)) % len(MARKERS)]


def luminance(colors: np.ndarray) -> np.ndarray:
    """Relative luminance of RGBA colours (last axis) on white, from 0 to 1."""
    shown = colors[..., :3] * colors[..., 3:] + 1 - colors[..., 3:]
    linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def own_axes(width: float, height: float) -> Axes:
    """Axes in a new figure of this size in inches."""
    return pyplot.figure(figsize=(width, height), layout="constrained").add_subplot()


def name_axis(ax: Axes, names: Sequence[str]) -> None:
    """Names along the y axis, from top to bottom."""
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def panels(
    items: Sequence[Item],
    draw: Callable[[Axes, Item], object],
    size: tuple[float, float] = PANEL,
    columns: int = MOST_COLUMNS,
    *,
    titles: Sequence[str] | None = None,
) -> list[Axes]:
    """One figure with a panel per item; ``draw`` may set its title."""
    n_columns = max(1, min(columns, len(items)))
    n_lines = max(1, -(-len(items) // n_columns))
    figure = pyplot.figure(figsize=(size[0] * n_columns, size[1] * n_lines), layout="constrained")
    axes = figure.subplots(n_lines, n_columns, squeeze=False).ravel().tolist()
    for empty in axes[len(items) :]:
        empty.remove()
    longest = int(size[0] / LETTER)  # title, before it is wrapped
    for ax, item, title in zip(axes, items, titles or [""] * len(items), strict=False):
        draw(ax, item)
        if title:
            ax.set_title(title, parse_math=False)
        if len(ax.get_title()) > longest:
            ax.title.set_text("\n".join(wrap(ax.get_title(), longest)))
    return axes[: len(items)]
