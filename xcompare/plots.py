"""Plots of what was found."""

from typing import TYPE_CHECKING, Any

import numpy as np

from xcompare.harness.table import DASH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xcompare.harness.comparison import Comparison


def heat_map(comparison: "Comparison", ax: Any = None) -> "Axes":
    """Methods by features, darker for more important, with the scores of the table written in.

    Parameters
    ----------
    comparison : Comparison
    ax : Axes or None, default=None
        None: a figure of its own.

    Returns
    -------
    Axes
    """
    rows, names = comparison.rows, comparison.feature_names
    if ax is None:
        from matplotlib import pyplot

        size = 2.5 + 0.6 * len(names), 1.5 + 0.35 * len(rows)
        ax = pyplot.figure(figsize=size, layout="constrained").add_subplot()
    strength = np.ma.masked_invalid([row.importance for row in rows])
    ax.imshow(strength, cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    for i, row in enumerate(rows):
        for j, score in enumerate(row.mean):
            text = DASH if np.isnan(score) else f"{score:.2f}"
            dark = not np.isnan(score) and row.importance[j] > 0.65
            ax.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(rows)), [_label(comparison, row) for row in rows])
    ax.set_title(comparison.caption, fontsize=9)
    return ax


def _label(comparison: "Comparison", row: Any) -> str:
    """Title of a row, its engine when there are two, and an arrow where small is important."""
    engine = f" ({'R' if row.engine == 'r' else 'Python'})" if comparison.shows_engines else ""
    return f"{row.title}{engine}{'' if row.larger_is_better else ' ↓'}"
