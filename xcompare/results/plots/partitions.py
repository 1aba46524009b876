"""Panels of a partition: principal components, and densities of the features."""

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import gaussian_kde

from xcompare.core.standardization import standardize
from xcompare.results.plots.distributions import beyond_text, visible_range
from xcompare.results.plots.style import color, marker

POINTS = 2000  # in a scatter plot or behind a density curve, at most
RUG = 300  # marks per cluster at most
GRID = 120  # points of a density curve
LARGEST_SQUARABLE = 1e100  # values up to this, and down to its inverse, can be squared in float64
LARGEST_DIFFERENCE = 3.0  # standard deviations at the ends of the colour scale


def principal_components(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First two principal components of the standardised data, and their shares of variance."""
    from sklearn.decomposition import PCA

    model = PCA(n_components=2, svd_solver="full").fit(Z := standardize(X))
    return model.transform(Z), model.explained_variance_ratio_


def scatter_panel(ax: Axes, points: np.ndarray, shares: np.ndarray, labels: np.ndarray) -> None:
    """Scatter plot by cluster; large data is thinned evenly."""
    chosen = np.unique(np.linspace(0, len(points) - 1, POINTS).astype(int)) if len(points) > POINTS else ...
    points, labels = points[chosen], labels[chosen]
    for cluster in range(int(labels.max()) + 1):
        x, y = points[labels == cluster].T
        ax.plot(x, y, linestyle="none", marker=marker(cluster), markersize=3.5, alpha=0.75,
                color=color(cluster), markeredgewidth=0, label=str(cluster + 1))  # fmt: skip
    ax.set(xlabel=f"component 1 ({shares[0]:.0%} of variance)", ylabel=f"component 2 ({shares[1]:.0%})")
    ax.spines[["top", "right"]].set_visible(False)


def density_panel(ax: Axes, values: np.ndarray, labels: np.ndarray) -> None:
    """Curves scaled by cluster size, rug below.

    Outliers are beyond the axis; its label gives their number.
    """
    largest = np.abs(values).max()
    if not 1 / LARGEST_SQUARABLE < largest < LARGEST_SQUARABLE and largest > 0:
        unit = 10.0 ** np.floor(np.log10(largest))
        values = values / unit
        ax.set_xlabel(f"in units of {unit:g}")
    limits = visible_range(values, labels)
    far = (values < limits[0]) | (values > limits[1])
    n, n_clusters = len(values), int(labels.max()) + 1
    if far.any():
        note = beyond_text(values, limits)
        ax.set_xlabel("; ".join(filter(None, [ax.get_xlabel(), note])))
        values, labels = values[~far], labels[~far]
    low, high = values.min(), values.max()
    margin = 0.06 * (high - low) or 1.0
    grid = np.linspace(low - margin, high + margin, GRID)
    curves = np.zeros((n_clusters, GRID))
    for cluster in range(n_clusters):
        inside = values[labels == cluster]
        if inside.size and np.ptp(inside) > 0:  # a constant has no density
            some = inside[:: -(-len(inside) // POINTS)]
            curves[cluster] = gaussian_kde(some, "silverman")(grid) * len(inside) / n
    top = curves.max() or 1.0
    for cluster, curve in enumerate(curves):
        ax.fill_between(grid, curve, color=color(cluster), alpha=0.2, linewidth=0)
        ax.plot(grid, curve, color=color(cluster), linewidth=1.4, label=str(cluster + 1))
        marks = np.unique(values[labels == cluster])
        marks = marks[np.unique(np.linspace(0, len(marks) - 1, RUG).astype(int))]
        foot = -top * (0.10 + 0.10 * cluster)
        # One line with gaps for all marks keeps the file small.
        x = np.repeat(marks, 3)
        y = np.tile([foot, foot + 0.08 * top, np.nan], len(marks))
        ax.plot(x, y, color=color(cluster), linewidth=0.7)
    ax.set(yticks=[], ylim=(-top * (0.12 + 0.10 * n_clusters), 1.08 * top), xlim=(grid[0], grid[-1]))
    ax.locator_params(axis="x", nbins=6)
    ax.spines[["top", "right", "left"]].set_visible(False)
