"""Plots of one feature by cluster: violins, stacked bars of levels, and shares of the clusters along it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from scipy.stats import gaussian_kde

from xcompare.core.features import Feature
from xcompare.core.standardization import Fences
from xcompare.results.clustered_table import ClusteredTable
from xcompare.results.plots.style import COLORS, LINES, MUTED, SEQUENTIAL, color, marker, name_axis, panels
from xcompare.results.wording import named, numbers

POINTS = 1000  # behind a curve at most
GRID = 60  # points of a curve
BINS, ROWS = 16, 20  # of an effect curve at most, and rows in each at least
FEWEST = 5  # rows of a cluster that counts for the range of an axis
TRIMMED = 0.05  # share of its rows on either side that need not be visible
TICKS, LONG = 5, 5  # fewer ticks if a label has more characters
NAMED_LEVELS = 12  # the most frequent ones, in the legend of a category
HATCHES = ("", "////", "....", "xxxx")


def visible_range(values: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """Range that shows the bulk of every cluster, so that a few far values do not squeeze the others.

    The middle nine tenths of each cluster, with three quarters of their width on either side, within the
    range of the data.

    Examples
    --------
    >>> values = np.append(np.arange(100.0), 1e6)
    >>> visible_range(values, np.repeat([0, 1], [50, 51]))
    (0.0, 130.0)
    """
    low, high = float(values.min()), float(values.max())
    ends = []
    for code in np.unique(codes):
        inside = values[codes == code]
        if len(inside) >= min(FEWEST, len(values) / 2):
            trimmed = int(np.ceil(TRIMMED * (len(inside) - 1)))
            first, last = np.sort(inside)[[trimmed, len(inside) - 1 - trimmed]]
            ends.append((first - 0.75 * (last - first), last + 0.75 * (last - first)))
    if not ends or min(one for one, _ in ends) == max(one for _, one in ends):
        fences = Fences.of(values[:, None])
        return max(low, float(fences.low[0])), min(high, float(fences.high[0]))
    return max(low, float(min(one for one, _ in ends))), min(high, float(max(one for _, one in ends)))


def beyond_text(values: np.ndarray, limits: tuple[float, float]) -> str:
    """How many rows lie beyond the axis; "" if none."""
    beyond = int(((values < limits[0]) | (values > limits[1])).sum())
    if not beyond:
        return ""
    rows = "row" if beyond == 1 else "rows"
    low, high = values.min(), values.max()
    ends = [f"from {low:.3g}"] if low < limits[0] else []
    ends += [f"to {high:.3g}"] if high > limits[1] else []
    return f"{beyond} {rows} beyond the axis, {' and '.join(ends)}"


def value_axis(ax: Axes, values: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """Show the visible range; the label says what lies beyond it."""
    limits = visible_range(values, codes)
    margin = 0.03 * (limits[1] - limits[0]) or 1.0
    ax.set_xlim(limits[0] - margin, limits[1] + margin)
    ax.set_xlabel(beyond_text(values, limits))
    return limits


def distribution_panels(table: ClusteredTable, features: Sequence[str]) -> list[Axes]:
    """A panel per feature: violins of a number, stacked bars of a category."""
    height = 0.9 + 0.3 * len(table.clusters)

    def draw(ax: Axes, name: str) -> None:
        distribution_panel(ax, table, name)
        lines = -(-len(ax.get_legend_handles_labels()[0]) // 4)  # of the legend below the title
        ax.set_title(table.column(name)[0].title, pad=6 + 11 * lines, parse_math=False)

    return panels(list(features), draw, (3.8, height))


def distribution_panel(ax: Axes, table: ClusteredTable, name: str) -> None:
    """Violins of a number, stacked bars of a category, one per cluster from top to bottom."""
    feature, x = table.column(name)
    present = ~np.isnan(x)
    if feature.kind == "numeric":
        violin_panel(ax, x[present], table.codes[present], table.clusters)
    else:
        level_panel(ax, feature, x[present], table.codes[present], table.clusters)


def violin_panel(ax: Axes, values: np.ndarray, codes: np.ndarray, clusters: Sequence[str]) -> None:
    """Distribution of the values of each cluster, with a line at the median and one over the quartiles."""
    n_ticks = TICKS
    if len(values):
        limits = value_axis(ax, values, codes)
        n_ticks = TICKS if max(map(abs, limits)) < 10 ** (LONG - 1) else TICKS - 2
        for code in range(len(clusters)):
            _violin(ax, values[codes == code], code, limits)
    ax.locator_params(axis="x", nbins=n_ticks)
    name_axis(ax, list(map(named, clusters)))


def _violin(ax: Axes, inside: np.ndarray, code: int, limits: tuple[float, float]) -> None:
    if not len(inside):
        return
    width = limits[1] - limits[0]
    seen = np.clip(inside, limits[0] - 0.05 * width, limits[1] + 0.05 * width)
    some = seen[:: -(-len(seen) // POINTS)]
    if len(some) > 2 and np.ptp(some) > 1e-9 * max(abs(limits[0]), abs(limits[1])):
        grid = np.linspace(max(some.min(), limits[0]), min(some.max(), limits[1]), GRID)
        curve = gaussian_kde(some, "silverman")(grid)
        half = 0.42 * curve / curve.max()
        ax.fill_between(grid, code - half, code + half, color=color(code), alpha=0.35, linewidth=0)
    else:
        ax.plot(some, np.full(len(some), code), "o", markersize=3, color=color(code))
    first, middle, last = np.quantile(inside, [0.25, 0.5, 0.75])
    ax.plot([first, last], [code, code], color=color(code), linewidth=2.5, solid_capstyle="butt")
    ax.plot([middle, middle], [code - 0.36, code + 0.36], color=color(code), linewidth=2)


def level_panel(
    ax: Axes, feature: Feature, values: np.ndarray, codes: np.ndarray, clusters: Sequence[str]
) -> None:
    """Shares of the levels in each cluster, as stacked bars; the legend names the most frequent levels."""
    found, counts = np.unique(values, return_counts=True)
    present = found.astype(int)
    named_levels = set(present[np.argsort(-counts, kind="stable")[:NAMED_LEVELS]].tolist())
    left = np.zeros(len(clusters))
    sizes = np.maximum(np.bincount(codes, minlength=len(clusters)), 1)
    for number, level in enumerate(present):
        share = np.bincount(codes[values == level], minlength=len(clusters)) / sizes
        name = feature.levels[level] if feature.levels else str(level)
        back, hatch = _level_style(feature, number, len(present))
        if level not in named_levels:
            name, back, hatch = "", back if feature.kind == "ordinal" else MUTED, ""
        ax.barh(range(len(clusters)), share, left=left, color=back, hatch=hatch, height=0.7,
                edgecolor="white", linewidth=0.6, label=name)  # fmt: skip
        left += share
    unnamed = len(present) - len(named_levels)
    said = f"; {unnamed} rarer levels not named" if unnamed else ""
    ax.set(xlim=(0, 1), xlabel=f"share of the rows{said}")
    ax.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    name_axis(ax, list(map(named, clusters)))
    columns = min(len(named_levels), 4) or 1
    where: Any = {"loc": "lower left", "bbox_to_anchor": (-0.02, 0.98), "ncols": columns}
    legend = ax.legend(fontsize=7, frameon=False, borderpad=0, handlelength=1.2, columnspacing=1, **where)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _level_style(feature: Feature, number: int, n_levels: int) -> tuple[str, str]:
    """Colour and hatch of a level: a scale for ordered ones."""
    if feature.kind == "ordinal":
        return to_hex(colormaps[SEQUENTIAL](0.15 + 0.8 * number / max(n_levels - 1, 1))), ""
    return COLORS[number % len(COLORS)], HATCHES[number // len(COLORS) % len(HATCHES)]


def curve_panels(table: ClusteredTable, features: Sequence[str]) -> list[Axes]:
    """Effect curves: the share of each cluster along the values of a feature; a panel each."""

    def draw(ax: Axes, name: str) -> None:
        curve_panel(ax, table, name)
        ax.set_title(table.column(name)[0].title, parse_math=False)
        if len(table.clusters) > LINES or name == features[0]:  # else all panels have the same colours
            for text in ax.legend(fontsize=6).get_texts():
                text.set_parse_math(False)

    return panels(list(features), draw)


def effect_curve(table: ClusteredTable, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Middles of groups of rows along a feature, and shares of the clusters there.

    Groups have about equally many rows; rows with equal values are together.

    Returns ``middles`` of shape (n_groups,): median value; ``shares`` of shape (n_groups, n_clusters).
    """
    x = table.column(name)[1]
    present = ~np.isnan(x)
    values, codes = x[present], table.codes[present]
    if not len(values):
        return np.empty(0), np.empty((0, len(table.clusters)))
    n_bins = int(np.clip(len(values) // ROWS, 2, BINS))
    edges = np.unique(np.quantile(values, np.linspace(0, 1, n_bins + 1)[1:-1]))
    group = np.unique(np.searchsorted(edges, values, side="left"), return_inverse=True)[1]
    n = group.max() + 1
    counts = np.bincount(group * len(table.clusters) + codes, minlength=n * len(table.clusters))
    shares = counts.reshape(n, -1) / np.maximum(np.bincount(group, minlength=n), 1)[:, None]
    return np.array([np.median(values[group == one]) for one in range(n)]), shares


def curve_panel(ax: Axes, table: ClusteredTable, name: str) -> None:
    """One panel of `curve_panels`: the six clusters whose share varies most, the others in grey."""
    feature, _ = table.column(name)
    middles, shares = effect_curve(table, name)
    spread = np.ptp(shares, axis=0) if len(shares) else np.zeros(len(table.clusters))
    leading = set(np.argsort(-spread, kind="stable")[:LINES].tolist())
    x = middles if feature.kind != "numeric" and feature.levels else np.arange(len(middles))
    joined = "" if feature.kind == "nominal" else "-"  # there is nothing between two levels
    drawn = 0
    for code in range(len(table.clusters)):
        if code in leading:
            # With many clusters, neighbours in the panel get colours that differ.
            number = code if len(table.clusters) <= LINES else drawn
            drawn += 1
            ax.plot(x, shares[:, code], joined, color=color(number), linewidth=1.6,
                    marker=marker(number), markersize=3.5, label=named(table.clusters[code]))  # fmt: skip
        else:
            ax.plot(x, shares[:, code], joined or ".", color=MUTED, linewidth=0.7, markersize=3)
    if feature.kind != "numeric" and feature.levels:
        step = -(-len(feature.levels) // NAMED_LEVELS)
        ax.set_xticks(range(0, len(feature.levels), step), feature.levels[::step], parse_math=False)
    elif len(middles):
        # By rank, as the values may be skewed: each group of rows has the same width.
        at, texts = _ticks(middles, TICKS)
        if max(map(len, texts)) > LONG:
            at, texts = _ticks(middles, TICKS - 1)
        ax.set_xticks(at, texts)
    highest = max(0.25, 1.08 * float(shares.max(initial=0.0)))
    ax.set(ylim=(-0.02 * highest, highest), ylabel="share of the rows", xlabel="")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.locator_params(axis="y", nbins=4)
    ax.spines[["top", "right"]].set_visible(False)


def _ticks(middles: np.ndarray, n: int) -> tuple[np.ndarray, list[str]]:
    """Places of at most ``n`` values, evenly spread, and what they say."""
    at = np.unique(np.linspace(0, len(middles) - 1, n).round().astype(int))
    return at, numbers(*middles[at])
