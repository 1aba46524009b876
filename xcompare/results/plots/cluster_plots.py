"""`ClusterPlots`: the plots of clusters that comparisons and explanations share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from xcompare.core.errors import DataError, UnknownNameError
from xcompare.core.names import listed
from xcompare.results.effect_sizes import largest
from xcompare.results.plots.distributions import curve_panels, distribution_panels
from xcompare.results.plots.files import Plots
from xcompare.results.plots.partitions import density_panel
from xcompare.results.plots.profiles import contrast_bars, deviation_map, dot_plot, snake_plot
from xcompare.results.plots.scores import PANELS
from xcompare.results.plots.style import panels

if TYPE_CHECKING:
    from xcompare.results.clustered_table import ClusteredTable
    from xcompare.results.comparison import Comparison
    from xcompare.results.explanation import Explanation

DISTRIBUTIONS = 12  # features with a distribution or curve, unless named
ROWS = 30  # features of a dot or snake plot, unless named


class ClusterPlots(Plots):
    """Plots of the features within the clusters, by importance; ``features`` names others."""

    _result: "Comparison | Explanation"

    @property
    def names(self) -> tuple[str, ...]:
        """The plots that can be drawn."""
        return ("deviations", "dots", "snake", "distributions", "curves", "contrasts")

    @property
    def _table(self) -> "ClusteredTable":
        table = self._result.clustered
        if table is None:
            raise DataError(
                "there are no clusters to draw: no method returns partitions, or the data was not kept"
            )
        return table

    def _order(self, features: Sequence[str] | None, most: int | None = None) -> list[str]:
        if features is not None:
            return list(features)
        return self._table.profiled(self._result.overall_ranks.index[:most])

    def _first(self, features: Sequence[str] | None) -> list[str]:
        if features is None:
            return list(self._result.overall_ranks.index[:PANELS])
        known = self._result.feature_names
        for name in features:
            if name not in known:
                raise UnknownNameError(f"features must be among {listed(known)}; got {name!r}")
        return list(features)

    def _numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """The data, if they are complete numbers, and the clusters; else an error."""
        raise NotImplementedError

    def densities(self, features: Sequence[str] | None = None) -> list[Axes]:
        """Density of each feature within each cluster; a panel each.

        ``features`` None: the fifteen most important.
        """
        (X, codes), names = self._numbers(), self._first(features)
        columns = [X[:, self._result.feature_names.index(name)] for name in names]
        return panels(columns, lambda ax, x: density_panel(ax, x, codes), titles=names)

    def deviations(self, ax: Any = None, *, features: Sequence[str] | None = None) -> Axes:
        """Heat map of the deviations of each cluster from the overall mean, in standard deviations."""
        return deviation_map(self._table, self._order(features), self._result.name, ax)

    def dots(self, ax: Any = None, *, features: Sequence[str] | None = None) -> Axes:
        """Dot plot: size is the share above the overall median (or 0), colour the mean."""
        return dot_plot(self._table, self._order(features, ROWS), self._result.name, ax)

    def snake(self, features: Sequence[str] | None = None) -> list[Axes]:
        """Profile lines of the clusters along the features."""
        return snake_plot(self._table, self._order(features, ROWS), self._result.name)

    def distributions(self, features: Sequence[str] | None = None) -> list[Axes]:
        """Violins of numbers and stacked bars of categories, by cluster; a panel per feature."""
        return distribution_panels(self._table, self._order(features, DISTRIBUTIONS))

    def curves(self, features: Sequence[str] | None = None) -> list[Axes]:
        """Effect curves: share of each cluster along the values of a feature; a panel each."""
        return curve_panels(self._table, self._order(features, DISTRIBUTIONS))

    def contrast(self, cluster: Any, reference: Any = "rest", ax: Any = None, *, top: int = 10) -> Axes:
        """A cluster against its reference: Cliff's delta by feature, with 95% intervals.

        Raises
        ------
        UnknownNameError
            Nothing of that kind was compared.
        """
        effects = self._result.effects
        some = effects[(effects["cluster"] == str(cluster)) & (effects["reference"] == str(reference))]
        if some.empty:
            pairs = effects[["cluster", "reference"]].drop_duplicates().itertuples(index=False, name=None)
            known = "; ".join(f"{a} against {b}" for a, b in pairs)
            raise UnknownNameError(f"the contrasts are {known}; got {cluster} against {reference}")
        return contrast_bars(largest(some, top), ax)

    def contrasts(self, *, top: int = 10) -> list[Axes]:
        """Every contrast that was compared, as `contrast`; a panel each."""
        shown = largest(self._result.effects, top)
        groups = [some for _, some in shown.groupby(["cluster", "reference"], sort=False)]
        height = 1.0 + 0.25 * min(top, max(map(len, groups)))
        return panels(groups, lambda ax, some: contrast_bars(some, ax), (4.4, height), columns=2)
