"""Plots of a benchmark: heat map, accuracy beside time and memory."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.results.plots.heat_maps import heat_map
from xcompare.results.plots.style import COLORS, MUTED, own_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COSTS = (("auc", "mean AUC", None), ("seconds", "seconds a run", 1e-4), ("memory", "MiB", 1.0))  # least drawn


def scenario_map(values: pd.DataFrame, ax: Any = None) -> "Axes":
    """Scenarios by methods, darker for a better score, with the scores written in.

    ``values``: scenarios by methods, between 0 and 1; NaN where there is no result.
    """
    title = "Probability that a relevant feature outranks noise (AUC), mean over draws"
    return heat_map(values, title, ax, cell=(0.5, 0.27))


def accuracy_and_cost(table: pd.DataFrame, ax: Any = None) -> "Axes":
    """Mean AUC, median seconds and peak memory of each method, the best AUC on top.

    ``table``: as ``Leaderboard.table``. Memory below 1 MiB is drawn at 1; none where it is unknown.
    """
    ran = table.dropna(subset=["auc", "seconds"]).sort_values("auc")
    ax = ax or own_axes(8.5, cost_height(len(ran)))
    ax.set_axis_off()
    for at, (name, label, least) in enumerate(COSTS):
        panel = ax.inset_axes((0.35 * at, 0, 0.3, 1))
        panel.scatter(ran[name].clip(lower=least), np.arange(len(ran)), color=COLORS[at], zorder=3)
        panel.set_yticks(np.arange(len(ran)), [] if at else list(ran.index), fontsize=9, parse_math=False)
        panel.grid(axis="y", color=MUTED, linewidth=0.3)
        panel.set_xlabel(label)
        if least is not None:
            panel.set_xscale("log")
        panel.spines[["top", "right"]].set_visible(False)
    return ax


def cost_height(n_methods: int) -> float:
    """Height of `accuracy_and_cost` in inches."""
    return 0.22 * n_methods + 0.9
