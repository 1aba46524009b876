"""The paper's figures: densities by cluster, importances and agreement by subspace size."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import gaussian_kde

from xcompare.io.datasets import Dataset, load_dataset
from xcompare.results.plots.style import COLORS, color, marker, panels
from xcompare.studies.reproduction.protocol import BAGGING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IMPORTANCE_FIGURES = ("illustrative", "wine", "breast")
AGREEMENT_FIGURES = ("wine", "breast")


def draw_figures(
    datasets: tuple[str, ...], importances: pd.DataFrame, partitions: pd.DataFrame
) -> "dict[str, Figure]":
    """All figures of these datasets, by file name."""
    figures = {}
    for name in datasets:
        figures[f"{name}-densities"] = densities(name)
        if name in IMPORTANCE_FIGURES:
            figures[f"{name}-importance"] = importance_by_size(name, importances)
        if name in AGREEMENT_FIGURES:
            figures[f"{name}-agreement"] = agreement_by_size(name, partitions)
    return figures


def caption(name: str) -> str:
    """Caption of a figure, from its file name."""
    dataset, kind = name.rsplit("-", 1)
    says = {
        "densities": "density of each feature by true cluster, with the data as a rug",
        "importance": "mean importance of each feature against the number of features drawn",
        "agreement": "agreement of the consensus with the true clusters against the number of features drawn",
    }
    return f"{dataset}: {says[kind]}"


def densities(name: str) -> "Figure":
    """Gaussian kernel density of each feature within each true cluster, and a rug."""
    data = load_dataset(name)
    axes = panels(range(data.X.shape[1]), lambda ax, at: density_panel(ax, data, at), (2.6, 1.8))
    return _with_key(axes)


def density_panel(ax: "Axes", data: Dataset, at: int) -> None:
    """One feature of `densities`."""
    assert data.labels is not None
    values = data.X[:, at]
    grid = np.linspace(values.min(), values.max(), 200)
    clusters = np.unique(data.labels)
    for number, cluster in enumerate(clusters):
        own = values[data.labels == cluster]
        if np.ptp(own) > 0:
            ax.plot(grid, gaussian_kde(own)(grid), color=color(number), label=f"cluster {cluster + 1}")
        height = np.full(len(own), -0.03 * (number + 1))
        ax.plot(own, height, "|", color=color(number), transform=ax.get_xaxis_transform(), clip_on=False)
    ax.set_title(data.feature_names[at], fontsize=9)
    ax.set_yticks([])
    ax.tick_params(labelsize=7, pad=2 + 2 * len(clusters))
    ax.spines[["top", "right", "left"]].set_visible(False)


def importance_by_size(name: str, importances: pd.DataFrame) -> "Figure":
    """Mean importance against subspace size, one panel per scheme, one line per feature."""
    frame = importances[importances["dataset"] == name]
    axes = panels(BAGGING, lambda ax, scheme: importance_panel(ax, frame, scheme), (3.8, 3.4))
    axes[0].set_ylabel("mean importance")
    return _with_key(axes)


def importance_panel(ax: "Axes", importances: pd.DataFrame, scheme: str) -> None:
    """One scheme of `importance_by_size`; ``importances`` of one dataset."""
    means = importances[importances["method"] == scheme].pivot_table("score", "m", "feature")
    features = list(dict.fromkeys(importances["feature"]))
    for number, feature in enumerate(features):
        [line] = ax.plot(means.index.astype(int), means[feature], label=feature)
        line.set(color=feature_color(number, len(features)), marker=marker(number), markersize=3, linewidth=1)
    ax.set(title=scheme, xlabel="features drawn (m)", ylim=(-0.03, 1.05))
    ax.spines[["top", "right"]].set_visible(False)


def agreement_by_size(name: str, partitions: pd.DataFrame) -> "Figure":
    """ARI and FM of the consensus against subspace size, one line per scheme."""
    frame = partitions[partitions["dataset"] == name]
    axes = panels(("ARI", "FM"), lambda ax, measure: agreement_panel(ax, frame, measure))
    return _with_key(axes)


def agreement_panel(ax: "Axes", partitions: pd.DataFrame, measure: str) -> None:
    """One measure of `agreement_by_size`; ``partitions`` of one dataset."""
    means = partitions[partitions["m"].notna()].pivot_table(measure, "m", "method")
    for number, scheme in enumerate(BAGGING):
        [line] = ax.plot(means.index.astype(int), means[scheme], label=scheme, color=color(number))
        line.set(marker=marker(number))
    ax.set(title=measure, xlabel="features drawn (m)", ylim=(0, 1.03))
    ax.spines[["top", "right"]].set_visible(False)


def feature_color(number: int, n_features: int) -> str:
    """Colour of the n-th feature, from a palette of twenty if there are many."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return color(number) if n_features <= len(COLORS) else to_hex(colormaps["tab20"](number % 20))


def _with_key(axes: "list[Axes]") -> "Figure":
    """The figure of these panels, with a common legend below."""
    figure: Figure = axes[0].figure  # type: ignore[assignment]
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=7)
    return figure
