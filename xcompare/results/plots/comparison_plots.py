"""`ComparisonPlots`: the plots of a comparison."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from xcompare.results.plots.cluster_plots import ClusterPlots
from xcompare.results.plots.heat_maps import heat_map, score_map
from xcompare.results.plots.partitions import (
    LARGEST_DIFFERENCE,
    principal_components,
    scatter_panel,
)
from xcompare.results.plots.scores import bar_panel
from xcompare.results.plots.style import DIVERGING, own_axes, panels

if TYPE_CHECKING:
    from xcompare.results.comparison import Comparison


class ComparisonPlots(ClusterPlots):
    """The plots of a `Comparison`; calling it draws the heat map.

    Examples
    --------
    >>> import matplotlib, xcompare
    >>> matplotlib.use("Agg")
    >>> iris = xcompare.load_dataset("iris")
    >>> found = xcompare.compare(iris, methods="efron, cubt", n_runs=1, n_jobs=1)
    >>> [ax.get_title() for ax in found.plot.bars()][:2]
    ['Petal length', 'Petal width']
    """

    _result: "Comparison"

    def heatmap(self, ax: Any = None) -> Axes:
        """Methods by features, darker for more important."""
        return comparison_map(self._result, ax)

    __call__ = heatmap

    def bars(self, features: Sequence[str] | None = None) -> list[Axes]:
        """Bar charts of the scores by method, with standard deviations; one panel per feature.

        ``features`` None: the fifteen most important.
        """
        found = self._result
        height = 1.0 + 0.22 * len(found.method_rows)
        return panels(self._first(features), lambda ax, name: bar_panel(ax, found, name), (3.8, height))

    def agreement(self, ax: Any = None) -> Axes:
        """Matrix of rank correlations between the rows of the table."""
        matrix = self._result.agreement_matrix()
        names = [" ".join(name) if isinstance(name, tuple) else name for name in matrix.index]
        matrix = matrix.set_axis(names, axis=0).set_axis(names, axis=1)
        title = f"{self._result.name}: rank correlation (Spearman)"
        return heat_map(matrix, title, ax, cell=(0.5, 0.35), margins=(3.0, 1.8))

    def components(self, ax: Any = None) -> Axes:
        """The consensus partition on the first two principal components of the standardised data."""
        X, labels = self._numbers()
        ax = ax or own_axes(5.0, 4.2)
        scatter_panel(ax, *principal_components(X), labels)
        ax.set_title(f"{self._result.name}: consensus partition", fontsize=9, parse_math=False)
        ax.legend(title="cluster", fontsize=8)
        return ax

    def profiles(self, ax: Any = None) -> Axes:
        """Standardised mean differences of the clusters of the consensus partition."""
        found = self._result.profiles
        table = found.pivot(index="feature", columns="cluster", values="difference")
        table = table.loc[self._result.overall_ranks.index]
        sizes = found.drop_duplicates("cluster").set_index("cluster")["size"]
        table.columns = [f"cluster {cluster}\n{sizes[cluster]} rows" for cluster in table.columns]
        title = f"{self._result.name}: mean difference in standard deviations"
        limits = -LARGEST_DIFFERENCE, LARGEST_DIFFERENCE
        ax = heat_map(table, title, ax, form="+.1f", colors=DIVERGING, limits=limits)
        ax.tick_params(axis="x", rotation=0)
        return ax

    @property
    def names(self) -> tuple[str, ...]:
        """The plots that can be drawn: those of the clusters need a partition and the data."""
        found = self._result
        numbers = found.consensus is not None and found.X is not None
        return (
            "heatmap", "bars", "agreement",
            *(("components", "densities", "profiles") if numbers else ()),
            *(() if found.clustered is None else super().names),
        )  # fmt: skip

    def _numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """The data and the clusters of the consensus."""
        self._result.profiles  # noqa: B018  raises when there is no partition or no data
        assert self._result.X is not None
        assert self._result.consensus is not None
        return self._result.X, self._result.consensus.labels


def comparison_map(comparison: "Comparison", ax: Any = None) -> Axes:
    """Methods by features; a label says if smaller scores are more important."""
    smaller = {True: "", False: " (small = important)"}
    rows = [(comparison.label(row) + smaller[row.larger_is_better], row) for row in comparison.rows]
    return score_map(rows, comparison.feature_names, comparison.caption, ax)
