"""`SweepPlots`: the plots of a sweep, and their panels."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from xcompare.results.plots.files import Plots
from xcompare.results.plots.heat_maps import score_map
from xcompare.results.plots.style import LINES, MUTED, color, marker, panels

if TYPE_CHECKING:
    from xcompare.results.sweep import Sweep


class SweepPlots(Plots):
    """The plots of a `Sweep`; calling it draws the lines. 1 is always the most important feature."""

    _result: "Sweep"

    def __init__(self, sweep: "Sweep") -> None:
        super().__init__(sweep.flipped())

    def sweep(self) -> list[Axes]:
        """Scores against the parameter varied, one panel per method.

        The last one shows the adjusted Rand index, if there are reference labels.
        """
        sweep = self._result
        items: list[int | None] = list(range(len(sweep.first.method_rows)))
        if not sweep.clustering.empty:
            items.append(None)

        def draw(ax: Axes, row: int | None) -> None:
            if row is None:
                partition_panel(ax, sweep)
                ax.legend(fontsize=7)
            else:
                sweep_panel(ax, sweep, row)

        axes = panels(items, draw)
        handles, labels = axes[0].get_legend_handles_labels()
        place: Any = {"loc": "outside lower center", "ncols": LINES + 1, "fontsize": 7}
        for name in axes[0].figure.legend(handles, labels, **place).get_texts():
            name.set_parse_math(False)
        return axes

    __call__ = sweep

    def heatmap(self, ax: Any = None) -> Axes:
        """Methods at each value by features, darker for more important."""
        sweep = self._result
        order, names = list(sweep.overall_ranks.index), sweep.first.feature_names
        return score_map(sweep.labelled_rows, names, sweep.caption, ax, order=order)

    names = ("sweep", "heatmap")


def sweep_panel(ax: Axes, sweep: "Sweep", row: int) -> None:
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


def partition_panel(ax: Axes, sweep: "Sweep") -> None:
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
