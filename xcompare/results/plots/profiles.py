"""Plots of many features at once: deviation heat map, dot plot, snake plot, bars of a contrast."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from xcompare.results.clustered_table import ClusteredTable, cluster_means, deviations
from xcompare.results.effect_sizes import titles_of
from xcompare.results.plots.heat_maps import heat_map
from xcompare.results.plots.style import (
    COLORS,
    DIVERGING,
    LINES,
    MUTED,
    SEQUENTIAL,
    color,
    marker,
    name_axis,
    own_axes,
    panels,
)
from xcompare.results.wording import named

SHORT_NAME = 12  # characters beside which a figure needs no further width
SHOWN = 60  # features at most
LARGEST = 2.0  # standard deviations at the ends of the colour scale
WRITTEN = 12  # clusters at most for numbers in the cells


def shown_deviations(table: ClusteredTable, features: Sequence[str], most: int = SHOWN) -> pd.DataFrame:
    """Deviations of these features, or of the ``most`` that deviate most, in the order of a dendrogram."""
    chosen = set(features)
    part = table.select(j for j, feature in enumerate(table.features) if feature.name in chosen)
    found = deviations(part).fillna(0.0)
    if len(found) > most:
        largest = found.abs().max(axis=1).nlargest(most).index
        found = found[found.index.isin(largest)]
    found = found.iloc[dendrogram_order(found.to_numpy())]
    weights = found.abs().max(axis=1).to_numpy()
    at = np.arange(len(found))
    return found[::-1] if weights @ at > weights[::-1] @ at else found  # the strongest at the top


def dendrogram_order(values: np.ndarray) -> list[int]:
    """Order of the rows in a dendrogram (average linkage), neighbours as alike as can be."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(values) < 3:
        return list(range(len(values)))
    return leaves_list(linkage(values, "average", optimal_ordering=True)).tolist()


def headings(table: ClusteredTable) -> list[str]:
    """Clusters with their sizes."""
    return [f"{named(name)}\n{size:,} rows" for name, size in zip(table.clusters, table.sizes, strict=True)]


def deviation_map(table: ClusteredTable, features: Sequence[str], title: str, ax: Any = None) -> Axes:
    """Heat map of the deviations of each cluster from the overall mean, features by clusters.

    ``features``: the 60 that deviate most, if there are more.
    """
    found = shown_deviations(table, features)
    few = len(table.clusters) <= WRITTEN
    found.columns = heads = headings(table) if few else [named(name) for name in table.clusters]
    ax = heat_map(
        found, f"{title}: deviation from the overall mean in sd", ax, form="+z.1f" if few else "",
        cell=(0.9 if few else 0.35, 0.24), margins=(2.5 + _room(found.index), 1.5), colors=DIVERGING,
        limits=(-LARGEST, LARGEST),
    )  # fmt: skip
    if len(heads) <= LINES:
        ax.set_xticks(range(len(heads)), heads, rotation=0, ha="center", parse_math=False)
    elif not few:
        ax.tick_params(axis="x", rotation=90)
        ax.figure.colorbar(ax.images[0], ax=ax, shrink=0.5, label="standard deviations")
    return ax


def dot_plot(table: ClusteredTable, features: Sequence[str], title: str, ax: Any = None) -> Axes:
    """Dot plot: size is the share of rows above the overall median (or above 0, if that is the median).

    The colour is the mean, from the cluster with the smallest to the one with the largest. Of a category,
    both are the share of a level.
    """
    sizes, means = dot_values(table, features)
    ax = ax or own_axes(2.9 + 0.42 * len(table.clusters) + _room(sizes.index), 1.8 + 0.24 * len(sizes))
    y, x = np.indices(sizes.shape)
    dots = ax.scatter(x, y, 6 + 110 * np.nan_to_num(sizes.to_numpy()), np.nan_to_num(means.to_numpy()),
                      cmap=SEQUENTIAL, vmin=0, vmax=1, edgecolors=MUTED, linewidths=0.5)  # fmt: skip
    ax.set_xticks(range(len(table.clusters)), [named(name) for name in table.clusters],
                  rotation=45, ha="right", parse_math=False)  # fmt: skip
    ax.set_yticks(range(len(sizes)), list(sizes.index), parse_math=False)
    ax.set(xlim=(-0.7, len(table.clusters) - 0.3), ylim=(len(sizes) - 0.4, -0.6))
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_title(f"{title}: size: share above the median or 0", fontsize=9, parse_math=False)
    bar = ax.figure.colorbar(dots, ax=ax, shrink=0.5, label="mean")
    bar.set_ticks([0, 1], labels=["smallest", "largest"])
    for share in (0.25, 0.5, 1.0):
        ax.scatter([], [], 6 + 110 * share, color=MUTED, label=f"{share:.0%}")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7, frameon=False)
    return ax


def _room(names: Iterable[str]) -> float:
    """Further width of a figure beside long names, in inches."""
    return 0.085 * max(0, max(map(len, names), default=0) - SHORT_NAME)


def dot_values(table: ClusteredTable, features: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Shares above the threshold, and means scaled from 0 to 1 over the clusters: features by clusters."""
    sizes: dict[str, np.ndarray] = {}
    means: dict[str, np.ndarray] = {}
    for name in list(features)[:SHOWN]:
        feature, x = table.column(name)
        present = ~np.isnan(x)
        x, codes = x[present], table.codes[present]
        if feature.kind in ("nominal", "binary"):
            levels = list(enumerate(feature.levels or ("0", "1")))
            for code, level in levels[1:] if feature.kind == "binary" else levels:
                share = cluster_means(x == code, codes, len(table.clusters))
                sizes[f"{feature.title}: {level}"] = means[f"{feature.title}: {level}"] = share
            continue
        middle = float(np.median(x)) if len(x) else 0.0
        above = x > middle if (x > middle).any() else x >= middle
        sizes[feature.title] = cluster_means(above, codes, len(table.clusters))
        mean = cluster_means(x, codes, len(table.clusters))
        low, high = np.nanmin(mean), np.nanmax(mean)
        means[feature.title] = (mean - low) / (high - low if high > low else 1.0)
    columns = list(table.clusters)
    return tuple(pd.DataFrame.from_dict(one, orient="index", columns=columns) for one in (sizes, means))  # type: ignore[return-value]


def snake_plot(table: ClusteredTable, features: Sequence[str], title: str) -> list[Axes]:
    """Profile lines: the deviation of each cluster along the features.

    Up to six clusters share a panel; more have a panel each, with the others in grey.
    """
    found = shown_deviations(table, features)
    together = len(table.clusters) <= LINES
    items: list[int | None] = [None] if together else list(range(len(table.clusters)))
    size = 5.0 if together else 3.0, 0.9 + 0.19 * len(found)
    axes = panels(items, lambda ax, code: snake_panel(ax, found, code), size, columns=4)
    if together:
        axes[0].legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        axes[0].set_title(f"{title}: deviation from the overall mean in sd", fontsize=9, parse_math=False)
    return axes


def snake_panel(ax: Axes, found: pd.DataFrame, code: int | None = None) -> None:
    """One panel of `snake_plot`: the lines of all clusters, or of one before the others in grey."""
    y = np.arange(len(found))
    for k, name in enumerate(found.columns):
        chosen = code is None or k == code
        style: dict[str, Any] = (
            {"color": color(k), "marker": marker(k), "zorder": 3, "linewidth": 1.4}
            if chosen
            else {"color": MUTED, "alpha": 0.35, "linewidth": 0.6}
        )
        ax.plot(found.iloc[:, k], y, markersize=3.5, label=named(name), **style)
    ax.axvline(0, color=MUTED, linewidth=0.8)
    ax.set_yticks(y, list(found.index), parse_math=False)
    ax.set_ylim(len(found) - 0.5, -0.5)
    widest = max(1.0, float(found.abs().to_numpy().max(initial=0.0)) * 1.05)
    ax.set_xlim(-widest, widest)
    ax.set_xlabel("standard deviations")
    ax.spines[["top", "right"]].set_visible(False)
    if code is not None:
        ax.set_title(named(found.columns[code]), parse_math=False)


def contrast_bars(effects: pd.DataFrame, ax: Any = None) -> Axes:
    """Bars of one contrast, with 95% bootstrap intervals, in the order given.

    Cliff's delta: the probability that a row of the cluster has a larger value than one of the reference,
    minus the reverse. Of a category without an order, the difference of the shares of a level.

    ``effects``: rows of ``Explanation.effects`` with one cluster and reference.
    """
    ax = ax or own_axes(5.2, 1.2 + 0.27 * len(effects))
    contrast_panel(ax, effects)
    cluster, reference = effects["cluster"].iloc[0], effects["reference"].iloc[0]
    ax.set_title(f"{named(cluster)} against {named(reference)}", fontsize=9, parse_math=False)
    return ax


def contrast_panel(ax: Axes, effects: pd.DataFrame) -> None:
    """The bars and intervals."""
    values, low, high = bar_values(effects)
    labels = [
        f"{name}: {level}" if kind in ("nominal", "binary") else name
        for name, level, kind in zip(titles_of(effects), effects["level"], effects["kind"], strict=True)
    ]
    y = np.arange(len(values))
    colors = [COLORS[1] if value > 0 else COLORS[0] for value in values]
    ax.barh(y, np.nan_to_num(values), color=colors, height=0.62, alpha=0.75)
    known = np.isfinite(low) & np.isfinite(high)
    ink = ax.xaxis.label.get_color()
    ax.hlines(y[known], low[known], high[known], color=ink, linewidth=1.2)
    ax.axvline(0, color=ink, linewidth=0.8)
    ax.set(xlim=(-1.03, 1.03), xlabel="lower   ← Cliff's delta →   higher")
    name_axis(ax, labels)


def bar_values(effects: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cliff's delta, or the difference of shares, with its interval."""
    ordered = effects["cliffs_delta"].notna().to_numpy()
    return tuple(
        np.where(ordered, effects[f"cliffs_delta{end}"], effects[f"difference{end}"]).astype(float)
        for end in ("", "_low", "_high")
    )  # type: ignore[return-value]
