"""Plots of the scores: heat map, bars, agreement and sweeps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xcompare.results.plots.style import (
    DASH,
    EQUAL_CONTRAST,
    MUTED,
    SEQUENTIAL,
    color,
    luminance,
    marker,
    own_axes,
    panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xcompare.results.comparison import Comparison
    from xcompare.results.sweep import Sweep

PANELS = 15  # features with a panel at most
LINES = 6  # features with a colour at most


def heat_map(comparison: "Comparison", ax: Any = None) -> "Axes":
    """Methods by features, darker for more important, with the scores of the table written in."""
    rows, names = comparison.rows, comparison.feature_names
    ax = ax or own_axes(2.5 + 0.6 * len(names), 1.5 + 0.35 * len(rows))
    strength = np.ma.masked_invalid([row.importance for row in rows])
    texts = [[DASH if np.isnan(score) else f"{score:.2f}" for score in row.mean] for row in rows]
    labels = [
        comparison.label(row) + ("" if row.larger_is_better else " (small = important)") for row in rows
    ]
    _matrix(ax, strength, texts, labels, names, SEQUENTIAL, (0, 1))
    ax.set_title(comparison.caption, fontsize=9, parse_math=False)
    return ax


def bars(comparison: "Comparison", features: Sequence[str] | None = None) -> "list[Axes]":
    """Bar charts of the scores by method, with standard deviations: one panel per feature.

    ``features`` None: the fifteen most important, by overall rank.
    """
    chosen = comparison.overall_ranks.index[:PANELS] if features is None else features
    height = 1.0 + 0.22 * len(comparison.method_rows)
    return panels(list(chosen), lambda ax, name: bar_panel(ax, comparison, name), (3.8, height))


def bar_panel(ax: "Axes", comparison: "Comparison", feature: str) -> None:
    """One panel of `bars`: a bar per method and engine with its standard deviation."""
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


def agreement_matrix(comparison: "Comparison", ax: Any = None) -> "Axes":
    """Matrix of Spearman correlations between the rows of the table."""
    matrix = comparison.agreement_matrix()
    names = [" ".join(name) if isinstance(name, tuple) else name for name in matrix.index]
    ax = ax or own_axes(3.0 + 0.5 * len(names), 1.8 + 0.35 * len(names))
    values = matrix.to_numpy()
    texts = [[DASH if np.isnan(value) else f"{value:.2f}" for value in line] for line in values]
    _matrix(ax, np.ma.masked_invalid(values), texts, names, names, SEQUENTIAL, (0, 1))
    ax.set_title(f"{comparison.name}: rank correlation (Spearman)", fontsize=9, parse_math=False)
    return ax


def sweep_lines(sweep: "Sweep") -> "list[Axes]":
    """Importance of every feature against the parameter varied, one panel per method.

    The last one shows the adjusted Rand index, if there are reference labels.
    """
    first = next(iter(sweep.comparisons.values()))
    items: list[int | None] = list(range(len(first.method_rows)))
    if not sweep.clustering.empty:
        items.append(None)

    def draw(ax: "Axes", row: int | None) -> None:
        if row is None:
            partition_panel(ax, sweep)
            ax.legend(fontsize=7)
        else:
            sweep_panel(ax, sweep, row)

    axes = panels(items, draw)
    handles, labels = axes[0].get_legend_handles_labels()
    legend = axes[0].figure.legend(handles, labels, loc="outside lower center", ncols=LINES + 1, fontsize=7)
    for name in legend.get_texts():
        name.set_parse_math(False)
    return axes


def sweep_heat_map(sweep: "Sweep", ax: Any = None) -> "Axes":
    """Methods at each value by features, darker for more important."""
    first, *_ = sweep.comparisons.values()
    rows = sweep.labelled_rows
    names = list(sweep.overall_ranks.index)
    order = [first.feature_names.index(name) for name in names]
    ax = ax or own_axes(2.5 + 0.6 * len(names), 1.5 + 0.35 * len(rows))
    strength = np.ma.masked_invalid([row.importance[order] for _, row in rows])
    texts = [[DASH if np.isnan(score) else f"{score:.2f}" for score in row.mean[order]] for _, row in rows]
    _matrix(ax, strength, texts, [label for label, _ in rows], names, SEQUENTIAL, (0, 1))
    ax.set_title(sweep.caption, fontsize=9, parse_math=False)
    return ax


def sweep_panel(ax: "Axes", sweep: "Sweep", row: int) -> None:
    """One panel of `sweep_lines`: the most important features in colour, the others grey."""
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


def _matrix(
    ax: "Axes",
    values: np.ndarray,
    texts: Sequence[Sequence[str]],
    lines: Sequence[str],
    columns: Sequence[str],
    colors: str,
    limits: tuple[float, float],
) -> None:
    """Annotated heat map; text is black or white, whichever has more contrast."""
    image = ax.imshow(values, cmap=colors, vmin=limits[0], vmax=limits[1], aspect="auto")
    dark = luminance(image.to_rgba(np.ma.asarray(values))) < EQUAL_CONTRAST
    for i, line in enumerate(texts):
        for j, text in enumerate(line):
            ax.text(
                j, i, text, ha="center", va="center", fontsize=8, color="white" if dark[i, j] else "black"
            )
    ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right", parse_math=False)
    ax.set_yticks(range(len(lines)), lines, parse_math=False)
