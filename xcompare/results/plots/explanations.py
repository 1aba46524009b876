"""Plots of an explanation: importances by cluster, and features within clusters."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.core.errors import DataError
from xcompare.results.plots.distributions import beyond_text, visible_range
from xcompare.results.plots.partitions import density_panel
from xcompare.results.plots.scores import PANELS, _matrix
from xcompare.results.plots.style import SEQUENTIAL, color, own_axes, panels
from xcompare.results.wording import named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xcompare.bagging.estimator import BaggedClustering
    from xcompare.results.explanation import Explanation

STRIP = 500  # points per cluster at most


def cluster_map(explanation: "Explanation", ax: Any = None) -> "Axes":
    """Heat map of mean importances over the measures: features by clusters."""
    table = explanation.cluster_importances[list(explanation.overall_ranks.index)].T
    heads = [f"{name}\n{rows} rows" for name, rows in explanation.sizes.items()]
    return _against_the_rest(table, heads, f"{explanation.name}: each cluster against the rest", ax)


def bag_cluster_map(model: "BaggedClustering", ax: Any = None) -> "Axes":
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
    table = pd.DataFrame(model.cluster_importances_[:, order].T, index=names[order])
    heads = [f"cluster {k}\n{size} rows" for k, size in enumerate(sizes)]
    return _against_the_rest(table, heads, "Each cluster against the rest", ax)


def _against_the_rest(table: pd.DataFrame, heads: Sequence[str], title: str, ax: Any) -> "Axes":
    ax = ax or own_axes(2.5 + 0.9 * len(heads), 1.5 + 0.3 * len(table))
    values = table.to_numpy()
    texts = [[f"{value:.2f}" for value in line] for line in values]
    _matrix(ax, values, texts, list(table.index), heads, SEQUENTIAL, (0, 1))
    ax.tick_params(axis="x", rotation=0)
    ax.set_title(title, fontsize=9, parse_math=False)
    return ax


def densities(explanation: "Explanation", features: Sequence[str] | None = None) -> "list[Axes]":
    """Density of each feature within each cluster: one panel per feature, None for the fifteen best."""
    X, codes = _numbers(explanation)

    def draw(ax: "Axes", name: str) -> None:
        density_panel(ax, X[:, explanation.feature_names.index(name)], codes)
        ax.set_title(name, parse_math=False)

    axes = panels(_chosen(explanation, features), draw)
    lines = [ax.get_lines()[2 * k] for ax in axes[:1] for k in range(len(explanation.clusters))]
    axes[0].legend(lines, list(explanation.clusters), fontsize=7)
    return axes


def strips(explanation: "Explanation", features: Sequence[str] | None = None) -> "list[Axes]":
    """Strip plots by cluster, one point per row; one panel per feature."""
    X, codes = _numbers(explanation)

    def draw(ax: "Axes", name: str) -> None:
        strip_panel(ax, X[:, explanation.feature_names.index(name)], codes, explanation.clusters)
        ax.set_title(name, parse_math=False)

    return panels(_chosen(explanation, features), draw)


def strip_panel(ax: "Axes", values: np.ndarray, codes: np.ndarray, clusters: Sequence[str]) -> None:
    """One panel of `strips`: points spread across their strip, and a line at the median."""
    limits = visible_range(values, codes)
    margin = 0.03 * (limits[1] - limits[0]) or 1.0
    ax.set_xlim(limits[0] - margin, limits[1] + margin)
    ax.set_xlabel(beyond_text(values, limits))
    for code in range(len(clusters)):
        inside = values[codes == code]
        some = inside[:: -(-len(inside) // STRIP)]
        across = code + 0.5 * (np.arange(len(some)) * 0.618034 % 1 - 0.5)  # deterministic jitter
        ax.plot(some, across, linestyle="none", marker="o", markersize=2.5, alpha=0.6,
                color=color(code), markeredgewidth=0)  # fmt: skip
        middle = float(np.median(inside))
        ax.plot([middle, middle], [code - 0.35, code + 0.35], color=color(code), linewidth=2)
    ax.set_yticks(range(len(clusters)), [named(name) for name in clusters], parse_math=False)
    ax.set_ylim(len(clusters) - 0.4, -0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _numbers(explanation: "Explanation") -> tuple[np.ndarray, np.ndarray]:
    """The data and the clusters, of complete numbers."""
    X, codes = explanation.overall.X, explanation.overall.labels
    if X is None or codes is None:
        raise DataError("densities and strips need complete numbers that were kept: see plot.distributions()")
    return X, codes


def _chosen(explanation: "Explanation", features: Sequence[str] | None) -> list[str]:
    return list(explanation.overall_ranks.index[:PANELS] if features is None else features)
