"""`ExplanationPlots`: the plots of an explanation; and `bag_cluster_map`, that of a fitted model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from xcompare.core.errors import DataError
from xcompare.results.plots.cluster_plots import ClusterPlots
from xcompare.results.plots.comparison_plots import comparison_map
from xcompare.results.plots.distributions import value_axis
from xcompare.results.plots.heat_maps import heat_map
from xcompare.results.plots.style import color, name_axis, panels
from xcompare.results.wording import named

if TYPE_CHECKING:
    from xcompare.bagging.estimator import BaggedClustering
    from xcompare.results.explanation import Explanation

STRIP = 500  # points per cluster at most


class ExplanationPlots(ClusterPlots):
    """The plots of an `Explanation`; calling it draws clusters by features."""

    _result: "Explanation"

    def cluster_map(self, ax: Any = None) -> Axes:
        """Importance of each feature for each cluster against the rest, mean over the measures."""
        found = self._result
        table = found.cluster_importances[list(found.overall_ranks.index)].T
        table.columns = [f"{name}\n{rows} rows" for name, rows in found.sizes.items()]
        return _upright(heat_map(table, f"{found.name}: each cluster against the rest", ax))

    __call__ = cluster_map

    def measures(self, ax: Any = None) -> Axes:
        """Measures by features, for all clusters together."""
        return comparison_map(self._result.overall, ax)

    def densities(self, features: Sequence[str] | None = None) -> list[Axes]:
        """Density of each feature within each cluster; a panel each."""
        axes = super().densities(features)
        curves = axes[0].get_lines()[::2]  # the others are rugs
        axes[0].legend(curves, list(self._result.clusters), fontsize=7)
        return axes

    def strips(self, features: Sequence[str] | None = None) -> list[Axes]:
        """Strip plots by cluster; one panel per feature."""
        found, (X, codes), names = self._result, self._numbers(), self._first(features)
        columns = [X[:, found.feature_names.index(name)] for name in names]
        return panels(columns, lambda ax, x: strip_panel(ax, x, codes, found.clusters), titles=names)

    @property
    def names(self) -> tuple[str, ...]:
        """The plots that can be drawn: those of the rows need the data."""
        overall = self._result.overall
        numbers = ("densities", "strips") if overall.X is not None else ()
        return ("cluster_map", "measures", *numbers, *(() if overall.data is None else super().names))

    def _numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """The data and the clusters, of complete numbers."""
        X, codes = self._result.overall.X, self._result.overall.labels
        if X is None or codes is None:
            raise DataError(
                "densities and strips need the data, without categories or missing values;"
                " use plot.distributions()"
            )
        return X, codes


def bag_cluster_map(model: "BaggedClustering", ax: Any = None) -> Axes:
    """Heat map of the importances for each cluster of a fitted model: features by clusters.

    Parameters
    ----------
    model : BaggedClustering
        Fitted model. Features are sorted by ``feature_importances_``.
    ax : Axes or None, default=None
        None: a new figure.

    Returns
    -------
    Axes
    """
    order = np.argsort(-model.feature_importances_, kind="stable")
    names = np.asarray(getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)]))
    sizes = np.bincount(model.labels_, minlength=len(model.cluster_importances_))
    heads = [f"cluster {k}\n{size} rows" for k, size in enumerate(sizes)]
    table = pd.DataFrame(model.cluster_importances_[:, order].T, names[order], heads)
    return _upright(heat_map(table, "Each cluster against the rest", ax))


def strip_panel(ax: Axes, values: np.ndarray, codes: np.ndarray, clusters: Sequence[str]) -> None:
    """One panel of `ExplanationPlots.strips`: points spread across their strip, and a line at the median."""
    value_axis(ax, values, codes)
    for code in range(len(clusters)):
        inside = values[codes == code]
        some = inside[:: -(-len(inside) // STRIP)]
        across = code + 0.5 * (np.arange(len(some)) * 0.618034 % 1 - 0.5)  # deterministic jitter
        ax.plot(some, across, linestyle="none", marker="o", markersize=2.5, alpha=0.6,
                color=color(code), markeredgewidth=0)  # fmt: skip
        middle = float(np.median(inside))
        ax.plot([middle, middle], [code - 0.35, code + 0.35], color=color(code), linewidth=2)
    name_axis(ax, list(map(named, clusters)))


def _upright(ax: Axes) -> Axes:
    """With horizontal names of the columns."""
    ax.tick_params(axis="x", rotation=0)
    return ax
