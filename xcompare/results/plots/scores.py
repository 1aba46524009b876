"""Panels of scores: bars by method, by verdict, and lines against the parameter of a sweep."""

from typing import TYPE_CHECKING, Any

import numpy as np

from xcompare.results.plots.style import COLORS, LINES, MUTED, color, marker, own_axes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from xcompare.results.comparison import Comparison
    from xcompare.results.sweep import Sweep

PANELS = 15  # features with a panel at most
VERDICT_COLORS = {"relevant": COLORS[0], "differs between clusters": COLORS[5], "noise": MUTED}


def bar_panel(ax: "Axes", comparison: "Comparison", feature: str) -> None:
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


def sweep_panel(ax: "Axes", sweep: "Sweep", row: int) -> None:
    """Scores of one method against the parameter: the most important features in colour, the others grey."""
    comparisons = list(sweep.comparisons.values())
    first, sizes = comparisons[0], list(sweep.comparisons)
    means = np.array([comparison.method_rows[row].mean for comparison in comparisons])
    leading = list(sweep.overall_ranks.index[:LINES])
    others = [name for name in first.feature_names if name not in leading]
    for number, name in enumerate(others):
        values = means[:, first.feature_names.index(name)]
        ax.plot(sizes, values, color=MUTED, linewidth=0.8, label="others" if number == 0 else "_")
    for number, name in enumerate(leading):
        values = means[:, first.feature_names.index(name)]
        ax.plot(sizes, values, color=color(number), marker=marker(number), markersize=4, label=name)
    ax.set(title=first.label(first.method_rows[row]), xlabel=sweep.swept.axis, ylabel="score")
    ax.set(ylim=(-0.03, 1.05), xticks=sizes)
    ax.spines[["top", "right"]].set_visible(False)


def partition_panel(ax: "Axes", sweep: "Sweep") -> None:
    """Agreement of the partitions with the reference labels, one line per method."""
    clustering = sweep.clustering
    who_levels = list(range(clustering.index.nlevels - 1))
    for number, (who, scores) in enumerate(clustering.groupby(level=who_levels, sort=False)):
        parts = who if isinstance(who, tuple) else (who,)
        sizes = scores.index.get_level_values(sweep.swept.option)
        ax.errorbar(
            sizes, scores["ari_mean"], np.nan_to_num(scores["ari_std"]), color=color(number),
            marker=marker(number), markersize=4, capsize=2, label=" ".join(map(str, parts)),
        )  # fmt: skip
    ax.set(title="Partitions", xlabel=sweep.swept.axis, ylabel="adjusted Rand index")
    ax.set_xticks(list(sweep.comparisons))
    ax.spines[["top", "right"]].set_visible(False)


def verdict_bars(table: "pd.DataFrame", title: str, ax: Any = None, *, legend: bool = True) -> "Axes":
    """Importance of each feature, coloured by verdict.

    ``table``: as ``Significance.table``. ``legend``: whether to draw the legend.
    """
    from matplotlib.patches import Patch

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
