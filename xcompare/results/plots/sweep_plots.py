"""`SweepPlots`: the plots of a sweep."""

from typing import TYPE_CHECKING, Any

from xcompare.results.plots.files import Plots
from xcompare.results.plots.heat_maps import score_map
from xcompare.results.plots.scores import partition_panel, sweep_panel
from xcompare.results.plots.style import LINES, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xcompare.results.sweep import Sweep


class SweepPlots(Plots):
    """The plots of a `Sweep`; calling it draws the lines. 1 is always the most important feature."""

    def __init__(self, sweep: "Sweep") -> None:
        self._sweep = sweep.flipped()

    def sweep(self) -> "list[Axes]":
        """Scores against the parameter varied, one panel per method.

        The last one shows the adjusted Rand index, if there are reference labels.
        """
        sweep = self._sweep
        items: list[int | None] = list(range(len(sweep.first.method_rows)))
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
        place: Any = {"loc": "outside lower center", "ncols": LINES + 1, "fontsize": 7}
        for name in axes[0].figure.legend(handles, labels, **place).get_texts():
            name.set_parse_math(False)
        return axes

    __call__ = sweep

    def heatmap(self, ax: Any = None) -> "Axes":
        """Methods at each value by features, darker for more important."""
        sweep = self._sweep
        order, names = list(sweep.overall_ranks.index), sweep.first.feature_names
        return score_map(sweep.labelled_rows, names, sweep.caption, ax, order=order)

    def _figures(self) -> "dict[str, Axes | list[Axes]]":
        return {"sweep": self.sweep(), "heatmap": self.heatmap()}
