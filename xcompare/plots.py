"""Plots of what was found."""

from typing import TYPE_CHECKING, Any

import numpy as np

from xcompare.harness.table import DASH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xcompare.harness.comparison import Comparison
    from xcompare.harness.sweep import Sweep


def heat_map(comparison: "Comparison", ax: Any = None) -> "Axes":
    """Methods by features, darker for more important, with the scores of the table written in.

    Parameters
    ----------
    comparison : Comparison
    ax : Axes or None, default=None
        None: a figure of its own.

    Returns
    -------
    Axes
    """
    rows, names = comparison.rows, comparison.feature_names
    if ax is None:
        from matplotlib import pyplot

        size = 2.5 + 0.6 * len(names), 1.5 + 0.35 * len(rows)
        ax = pyplot.figure(figsize=size, layout="constrained").add_subplot()
    strength = np.ma.masked_invalid([row.importance for row in rows])
    ax.imshow(strength, cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    for i, row in enumerate(rows):
        for j, score in enumerate(row.mean):
            text = DASH if np.isnan(score) else f"{score:.2f}"
            dark = not np.isnan(score) and row.importance[j] > 0.65
            ax.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(
        range(len(rows)),
        [comparison.label(row) + ("" if row.larger_is_better else " (small = important)") for row in rows],
    )
    ax.set_title(comparison.caption, fontsize=9)
    return ax


def sweep_lines(sweep: "Sweep") -> "list[Axes]":
    """Importance of every feature against the size of the subspace, one panel per method.

    Parameters
    ----------
    sweep : Sweep

    Returns
    -------
    list of Axes
        The last one shows the adjusted Rand index, where reference labels were given.
    """
    from matplotlib import pyplot

    sizes = list(sweep.comparisons)
    first = next(iter(sweep.comparisons.values()))
    labels = [first.label(row) for row in first.rows]
    judged = not sweep.clustering.empty
    n_panels = len(labels) + judged
    n_columns = min(3, n_panels)
    n_lines = -(-n_panels // n_columns)
    figure = pyplot.figure(figsize=(4.5 * n_columns, 3.2 * n_lines), layout="constrained")
    panels = figure.subplots(n_lines, n_columns, squeeze=False).ravel().tolist()
    for empty in panels[n_panels:]:
        empty.remove()
    colors = pyplot.get_cmap("turbo")(np.linspace(0.05, 0.95, len(first.feature_names)))
    for at, label in enumerate(labels):
        means = np.array([comparison.rows[at].mean for comparison in sweep.comparisons.values()])
        for feature, values, color in zip(first.feature_names, means.T, colors, strict=True):
            panels[at].plot(sizes, values, marker="o", markersize=3, color=color, label=feature)
        panels[at].set(title=label, xlabel="features drawn", ylabel="importance", ylim=(-0.03, 1.05))
    if judged:
        who_levels = list(range(sweep.clustering.index.nlevels - 1))
        for who, scores in sweep.clustering.groupby(level=who_levels, sort=False):
            name = " ".join(map(str, who)) if isinstance(who, tuple) else str(who)
            at_size = scores.index.get_level_values("max_features")
            panels[n_panels - 1].errorbar(
                at_size, scores["ari_mean"], scores["ari_std"], marker="o", markersize=3, label=name
            )
        panels[n_panels - 1].set(title="Partition", xlabel="features drawn", ylabel="adjusted Rand index")
        panels[n_panels - 1].legend(fontsize=7)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=7, fontsize=7)
    return panels[:n_panels]
