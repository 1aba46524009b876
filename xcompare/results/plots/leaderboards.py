"""Plots of a benchmark: heat map, critical difference diagram, accuracy against run time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.results.plots.scores import _matrix
from xcompare.results.plots.style import COLORS, DASH, MUTED, SEQUENTIAL, own_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEP = 0.32  # inches between the names of two methods


def scenario_map(values: pd.DataFrame, ax: Any = None) -> "Axes":
    """Scenarios by methods, darker for a better score, with the scores written in.

    ``values``: scenarios by methods, between 0 and 1; NaN where there is no result.
    """
    ax = ax or own_axes(2.5 + 0.5 * values.shape[1], 1.5 + 0.27 * len(values))
    texts = [[DASH if np.isnan(value) else f"{value:.2f}" for value in line] for line in values.to_numpy()]
    shown = np.ma.masked_invalid(values.to_numpy())
    _matrix(ax, shown, texts, list(values.index), list(values.columns), SEQUENTIAL, (0, 1))
    ax.set_title("Chance that a relevant feature is before noise (AUC), mean over draws", fontsize=9)
    return ax


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


def accuracy_by_time(table: pd.DataFrame, ax: Any = None) -> "Axes":
    """Mean AUC of each method against the median seconds of a run.

    ``table``: as ``Leaderboard.table``.
    """
    ran = table.dropna(subset=["auc", "seconds"]).sort_values("auc")
    ax = ax or own_axes(7.0, 4.5)
    seconds = np.maximum(ran["seconds"].to_numpy(), 1e-4)
    ax.scatter(seconds, ran["auc"], color=COLORS[0], zorder=3)
    ax.set_xscale("log")
    low, high = float(ran["auc"].min()), float(ran["auc"].max())
    apart = 0.035 * max(high - low, 0.1)
    last: dict[bool, float] = {}
    for second, (name, value) in zip(seconds, ran["auc"].items(), strict=True):
        left = second > np.sqrt(seconds.min() * seconds.max())
        # Shift labels of methods with similar scores so that they do not overlap.
        height = max(float(value), last.get(left, -np.inf) + apart)
        last[left] = height
        ax.annotate(
            str(name), (second, value), (second / 1.25 if left else second * 1.25, height), fontsize=9,
            ha="right" if left else "left", va="center", parse_math=False,
        )  # fmt: skip
    ax.axhline(0.5, color=MUTED, linewidth=0.8, linestyle="--")
    ax.set(xlabel="seconds a run (median)", ylabel="mean AUC")
    ax.set(xlim=(seconds.min() / 4, seconds.max() * 4))
    ax.spines[["top", "right"]].set_visible(False)
    return ax
