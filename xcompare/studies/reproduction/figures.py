"""The paper's figures: densities by cluster, importances and agreement by subspace size."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import gaussian_kde

from xcompare.io.datasets import Dataset, load_dataset
from xcompare.results.plots.style import COLORS, PANEL, color, marker, panels
from xcompare.studies.reproduction.protocol import BAGGING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IMPORTANCE_FIGURES = ("illustrative", "wine", "breast")
AGREEMENT_FIGURES = ("wine", "breast")


class PaperFigure(NamedTuple):
    """A figure of the paper, for a file or a page."""

    caption: str
    panels: Sequence[str]  # names: features, schemes or measures
    draw: "Callable[[Axes, str], None]"  # one panel
    about: str  # what a panel shows, with {} for its name
    legend: Sequence[tuple[str, str]]  # colour and text, for all panels
    size: tuple[float, float] = PANEL  # of a panel, in inches
    ylabel: str = ""  # of the first panel


def paper_figures(
    dataset: str, importances: pd.DataFrame, partitions: pd.DataFrame
) -> dict[str, PaperFigure]:
    """The figures of a dataset, by file name."""
    data, n_drawn = load_dataset(dataset), "against the number of features drawn"
    scores, found = (frame[frame["dataset"] == dataset] for frame in (importances, partitions))
    features = [(_feature_color(j, data), name) for j, name in enumerate(data.feature_names)]
    schemes = [(color(number), scheme) for number, scheme in enumerate(BAGGING)]
    clusters = [(color(number), f"cluster {number + 1}") for number in range(data.n_clusters)]
    figures = {
        "densities": PaperFigure(
            f"{dataset}: density of each feature by true cluster, with the data as a rug", data.feature_names,
            lambda ax, name: _density(ax, data, name), "Density of {} by cluster", clusters, (2.6, 1.8),
        )
    }  # fmt: skip
    if dataset in IMPORTANCE_FIGURES:
        figures["importance"] = PaperFigure(
            f"{dataset}: mean importance of each feature {n_drawn}", BAGGING,
            lambda ax, scheme: _importance(ax, data, scores, scheme), f"Mean importance by {{}} {n_drawn}",
            features, (3.8, 3.4), "mean importance",
        )  # fmt: skip
    if dataset in AGREEMENT_FIGURES:
        figures["agreement"] = PaperFigure(
            f"{dataset}: agreement of the consensus with the true clusters {n_drawn}", ("ARI", "FM"),
            lambda ax, measure: _agreement(ax, found, measure), f"{{}} of the consensus {n_drawn}", schemes,
        )  # fmt: skip
    return {f"{dataset}-{name}": one for name, one in figures.items()}


def draw_figure(shown: PaperFigure) -> "Figure":
    """The panels in one figure, with a common legend below."""
    axes = panels(shown.panels, shown.draw, shown.size)
    axes[0].set_ylabel(shown.ylabel)
    figure: Figure = axes[0].figure  # type: ignore[assignment]
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=7)
    return figure


def _density(ax: "Axes", data: Dataset, name: str) -> None:
    """Gaussian kernel density of a feature within each true cluster, and a rug."""
    assert data.labels is not None
    values = data.X[:, data.feature_names.index(name)]
    grid = np.linspace(values.min(), values.max(), 200)
    clusters = np.unique(data.labels)
    for number, cluster in enumerate(clusters):
        own = values[data.labels == cluster]
        if np.ptp(own) > 0:
            ax.plot(grid, gaussian_kde(own)(grid), color=color(number), label=f"cluster {cluster + 1}")
        height = np.full(len(own), -0.03 * (number + 1))
        ax.plot(own, height, "|", color=color(number), transform=ax.get_xaxis_transform(), clip_on=False)
    ax.set_title(name, fontsize=9)
    ax.set_yticks([])
    ax.tick_params(labelsize=7, pad=2 + 2 * len(clusters))
    ax.spines[["top", "right", "left"]].set_visible(False)


def _importance(ax: "Axes", data: Dataset, scores: pd.DataFrame, scheme: str) -> None:
    """Mean importances by one scheme against subspace size, one line per feature."""
    means = scores[scores["method"] == scheme].pivot_table("score", "m", "feature")
    for number, feature in enumerate(data.feature_names):
        [line] = ax.plot(means.index.astype(int), means[feature], label=feature)
        line.set(color=_feature_color(number, data), marker=marker(number), markersize=3, linewidth=1)
    ax.set(title=scheme, xlabel="features drawn (m)", ylim=(-0.03, 1.05))
    ax.spines[["top", "right"]].set_visible(False)


def _agreement(ax: "Axes", partitions: pd.DataFrame, measure: str) -> None:
    """ARI or FM of the consensus against subspace size, one line per scheme."""
    means = partitions[partitions["m"].notna()].pivot_table(measure, "m", "method")
    for number, scheme in enumerate(BAGGING):
        [line] = ax.plot(means.index.astype(int), means[scheme], label=scheme, color=color(number))
        line.set(marker=marker(number))
    ax.set(title=measure, xlabel="features drawn (m)", ylim=(0, 1.03))
    ax.spines[["top", "right"]].set_visible(False)


def _feature_color(number: int, data: Dataset) -> str:
    """Colour of the n-th feature, from a palette of twenty if there are many."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    few = len(data.feature_names) <= len(COLORS)
    return color(number) if few else to_hex(colormaps["tab20"](number % 20))
