"""Plots of results, for notebooks and papers: ``comparison.plot()``, ``comparison.plot.bars()`` ..."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xcompare.results.plots import choices, explanations, partitions, scores
from xcompare.results.plots.cluster_plots import ClusterPlots
from xcompare.results.plots.explanations import bag_cluster_map as bag_cluster_map
from xcompare.results.plots.files import check_formats, save_figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from xcompare.results.choosing_k import KChoice
    from xcompare.results.comparison import Comparison
    from xcompare.results.explanation import Explanation
    from xcompare.results.sweep import Sweep


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

    def __init__(self, comparison: "Comparison") -> None:
        super().__init__(comparison)
        self._comparison = comparison

    def __call__(self, ax: Any = None) -> "Axes":
        """Heat map of the table, as `heatmap`."""
        return self.heatmap(ax)

    def heatmap(self, ax: Any = None) -> "Axes":
        """Methods by features, darker for more important."""
        return scores.heat_map(self._comparison, ax)

    def bars(self, features: Sequence[str] | None = None) -> "list[Axes]":
        """Bar charts of the scores by method, with standard deviations; one panel per feature.

        ``features`` None: the fifteen most important.
        """
        return scores.bars(self._comparison, features)

    def agreement(self, ax: Any = None) -> "Axes":
        """Matrix of rank correlations between the rows of the table."""
        return scores.agreement_matrix(self._comparison, ax)

    def components(self, ax: Any = None) -> "Axes":
        """The consensus partition on the first two principal components."""
        return partitions.components(self._comparison, ax)

    def densities(self, features: Sequence[str] | None = None) -> "list[Axes]":
        """Density of each feature within each cluster; a panel each.

        ``features`` None: the fifteen most important.
        """
        return partitions.densities(self._comparison, features)

    def profiles(self, ax: Any = None) -> "Axes":
        """Profiles of the clusters of the consensus partition."""
        return partitions.profiles(self._comparison, ax)

    def save(self, folder: str | PathLike[str], formats: Sequence[str] = ("svg",)) -> list[Path]:
        """Save every plot to a file; those of the clusters need a partition and the data.

        Parameters
        ----------
        folder : str or Path
        formats : sequence of {"svg", "pdf", "png"}, default=("svg",)

        Returns
        -------
        list of Path

        Raises
        ------
        OutputError, UnknownNameError
        """
        chosen = check_formats(formats)
        names = ["heatmap", "bars", "agreement"]
        if self._comparison.consensus is not None and self._comparison.X is not None:
            names += ["components", "densities", "profiles"]
        drawn = {name: _figure(getattr(self, name)()) for name in names}
        if self._comparison.clustered is not None:
            drawn |= {name: _figure(axes) for name, axes in self._cluster_figures().items()}
        return save_figures(drawn, folder, chosen)


class SweepPlots:
    """The plots of a `Sweep`; calling it draws the lines. 1 is always the most important feature."""

    def __init__(self, sweep: "Sweep") -> None:
        self._sweep = sweep.flipped()

    def __call__(self) -> "list[Axes]":
        """Scores and agreement against the parameter varied, as `sweep`."""
        return self.sweep()

    def sweep(self) -> "list[Axes]":
        """Scores and agreement against the parameter varied, one panel per method."""
        return scores.sweep_lines(self._sweep)

    def heatmap(self, ax: Any = None) -> "Axes":
        """Methods at each value by features, darker for more important."""
        return scores.sweep_heat_map(self._sweep, ax)

    def save(self, folder: str | PathLike[str], formats: Sequence[str] = ("svg",)) -> list[Path]:
        """Save both plots, as `ComparisonPlots.save`."""
        chosen = check_formats(formats)
        figures = {"sweep": _figure(self.sweep()), "heatmap": _figure(self.heatmap())}
        return save_figures(figures, folder, chosen)


def _figure(axes: "Axes | list[Axes]") -> "Figure":
    """The figure of these axes."""
    figure = (axes[0] if isinstance(axes, list) else axes).get_figure(root=True)
    assert figure is not None
    return figure


class ChoicePlots:
    """The plots of a `KChoice`; calling it draws the curves."""

    def __init__(self, choice: "KChoice") -> None:
        self._choice = choice

    def __call__(self) -> "list[Axes]":
        """Each criterion against the number of clusters, as `curves`."""
        return self.curves()

    def curves(self) -> "list[Axes]":
        """Density gap and BIC against the number of clusters, with the choice marked."""
        return choices.choice_curves(self._choice)

    def save(self, folder: str | PathLike[str], formats: Sequence[str] = ("svg",)) -> list[Path]:
        """Save the plot, as `ComparisonPlots.save`."""
        return save_figures({"curves": _figure(self.curves())}, folder, check_formats(formats))


class ExplanationPlots(ClusterPlots):
    """The plots of an `Explanation`; calling it draws clusters by features."""

    def __init__(self, explanation: "Explanation") -> None:
        super().__init__(explanation)
        self._explanation = explanation

    def __call__(self, ax: Any = None) -> "Axes":
        """Importance of each feature for each cluster, as `cluster_map`."""
        return self.cluster_map(ax)

    def cluster_map(self, ax: Any = None) -> "Axes":
        """Importance of each feature for each cluster against the rest."""
        return explanations.cluster_map(self._explanation, ax)

    def measures(self, ax: Any = None) -> "Axes":
        """Measures by features, for all clusters together."""
        return scores.heat_map(self._explanation.overall, ax)

    def densities(self, features: Sequence[str] | None = None) -> "list[Axes]":
        """Density of each feature within each cluster; a panel each."""
        return explanations.densities(self._explanation, features)

    def strips(self, features: Sequence[str] | None = None) -> "list[Axes]":
        """Strip plots by cluster; one panel per feature."""
        return explanations.strips(self._explanation, features)

    def save(self, folder: str | PathLike[str], formats: Sequence[str] = ("svg",)) -> list[Path]:
        """Save every plot, as `ComparisonPlots.save`; those of the rows need the data."""
        drawn = {"cluster_map": _figure(self.cluster_map()), "measures": _figure(self.measures())}
        chosen = check_formats(formats)
        if self._explanation.overall.X is not None:
            drawn |= {"densities": _figure(self.densities()), "strips": _figure(self.strips())}
        if self._explanation.overall.data is not None:
            drawn |= {name: _figure(axes) for name, axes in self._cluster_figures().items()}
        return save_figures(drawn, folder, chosen)
