"""Bars of scores: of one feature by method, and of all features by verdict."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from xcompare.results.plots.style import COLORS, MUTED, color, own_axes

if TYPE_CHECKING:
    import pandas as pd

    from xcompare.results.comparison import Comparison

PANELS = 15  # features with a panel at most
VERDICT_COLORS = {"relevant": COLORS[0], "differs between clusters": COLORS[5], "noise": MUTED}


def bar_panel(ax: Axes, comparison: "Comparison", feature: str) -> None:
    """A bar per method and engine with its standard deviation."""
    at = comparison.feature_names.index(feature)
    rows = comparison.method_rows
    means = np.nan_to_num([row.importance[at] for row in rows])
    spreads = np.array([row.std[at] or np.nan for row in rows])  # no error bar without a deviation
    lines = np.minimum(spreads, means), np.minimum(spreads, 1 - means)  # scores lie between 0 and 1
    colors = [color(row.engine == "r") for row in rows]
    places = np.arange(len(rows))
    error = {"elinewidth": 1, "capsize": 2, "ecolor": ax.xaxis.label.get_color()}
    ax.barh(places, means, xerr=lines, color=colors, height=0.7, error_kw=error)
    ax.set_yticks(places, [comparison.label(row) for row in rows])
    ax.set(xlim=(0, 1.03), ylim=(len(rows) - 0.5, -0.5))
    ax.set_title(feature, parse_math=False)  # no mathtext in names
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def verdict_bars(table: "pd.DataFrame", title: str, ax: Any = None, *, legend: bool = True) -> Axes:
    """Importance of each feature, coloured by verdict.

    ``table``: as ``Significance.table``. ``legend``: whether to draw the legend.
    """
    table = table.sort_values("importance", kind="stable")
    ax = ax or own_axes(5.0, 1.2 + 0.25 * len(table))
    places = range(len(table))
    ax.barh(places, table["importance"], color=[VERDICT_COLORS[verdict] for verdict in table["verdict"]])
    ax.set_yticks(places, table.index, parse_math=False)
    ax.set_xlabel("importance")
    ax.set_title(title, fontsize=9, parse_math=False)
    if not legend:
        return ax
    patches = [Patch(color=color, label=verdict) for verdict, color in VERDICT_COLORS.items()]
    ax.legend(handles=patches, fontsize=7, loc="lower right")
    return ax
