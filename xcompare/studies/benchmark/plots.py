"""Plots of a benchmark: heat map, critical difference diagram, accuracy beside time and memory."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.results.plots.heat_maps import heat_map
from xcompare.results.plots.style import COLORS, MUTED, own_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NUMBERS = 20  # all numbered on a line of ranks
STEP = 0.32  # inches between the names of two methods
COSTS = (("auc", "mean AUC", None), ("seconds", "seconds a run", 1e-4), ("memory", "MiB", 1.0))  # least drawn


def scenario_map(values: pd.DataFrame, ax: Any = None) -> "Axes":
    """Scenarios by methods, darker for a better score, with the scores written in.

    ``values``: scenarios by methods, between 0 and 1; NaN where there is no result.
    """
    title = "Probability that a relevant feature outranks noise (AUC), mean over draws"
    return heat_map(values, title, ax, cell=(0.5, 0.27))


def critical_differences(
    ranks: pd.Series, groups: Sequence[Sequence[str]], difference: float, ax: Any = None
) -> "Axes":
    """Critical difference diagram: average ranks, best on the left; bars join indistinguishable methods.

    ``ranks``: average rank of each method, best first. ``groups``: methods that do not differ significantly.
    ``difference``: the critical difference, drawn above the line.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7, 1-30.
    """
    n = len(ranks)
    half = (n + 1) // 2
    bars = 0.45 * len(groups) + 0.6  # below the line, above the first name
    ax = ax or own_axes(8.5, critical_height(n, len(groups)))
    low, high = 1, n
    ax.plot([low, high], [0, 0], color=ax.xaxis.label.get_color(), linewidth=1)
    for tick in range(low, high + 1):
        ax.plot([tick, tick], [0, 0.18], color=ax.xaxis.label.get_color(), linewidth=1)
        if n > MOST_NUMBERS and tick not in (low, high) and tick % 5:
            continue
        ax.text(tick, 0.35, str(tick), ha="center", va="bottom", fontsize=9)
    ax.plot([low, low + difference], [1.5, 1.5], color=COLORS[1], linewidth=2)
    ax.text(low, 1.6, f"critical difference {difference:.2f}", ha="left", va="bottom", fontsize=9)
    margin = 0.04 * (high - low)
    for place, (name, rank) in enumerate(ranks.items()):
        left = place < half
        line = -(bars + 0.8 * (place if left else n - 1 - place))
        end = low - margin if left else high + margin
        ax.plot([rank, rank, end], [0, line, line], color=MUTED, linewidth=0.8)
        side = "right" if left else "left"
        ax.text(end, line, f" {name} {rank:.1f} ", ha=side, va="center", fontsize=9, parse_math=False)
    for number, group in enumerate(groups):
        ends = ranks[list(group)]
        height = -(0.35 + 0.45 * number)
        ax.plot([ends.min() - 0.08, ends.max() + 0.08], [height, height], color=COLORS[0], linewidth=3)
    ax.set(xlim=(low - 0.4 * (high - low), high + 0.4 * (high - low)))
    ax.set(ylim=(-(bars + 0.8 * half), 2.4))
    ax.set_axis_off()
    return ax


def critical_height(n_methods: int, n_groups: int) -> float:
    """Height of `critical_differences` in inches."""
    return STEP * ((n_methods + 1) // 2) + 0.18 * n_groups + 1.2


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
