"""Sections on given clusters: descriptions, distributions and bootstrap intervals."""

from functools import partial
from typing import TYPE_CHECKING

from xcompare.results.plots.explanation_plots import strip_panel
from xcompare.results.plots.style import color
from xcompare.results.report.colors import strength
from xcompare.results.report.drawing import figure, left_margin
from xcompare.results.report.page import Cell, Figures, Section, Table, listed, text
from xcompare.results.report.partitions import density_figures
from xcompare.results.wording import named

if TYPE_CHECKING:
    from xcompare.results.explanation import Explanation

STRIPS = 6  # features with a strip plot


def rules_section(explanation: "Explanation") -> Section:
    """Description and rule of each cluster."""
    return Section(
        "rules",
        "What characterises each cluster",
        (
            text(
                "The features that separate each cluster from the rest, and the shortest rule of a shallow"
                " tree that recovers it. Pure: share of the selected rows that belong to the cluster;"
                " covers: share of the cluster's rows that are selected."
            ),
            listed(explanation.sentences),
        ),
    )


def clusters_section(explanation: "Explanation") -> Section:
    """Importance of each feature for each cluster against the rest."""
    scores = explanation.cluster_importances[list(explanation.overall_ranks.index)].T
    scores.columns = [f"{name} ({rows} rows)" for name, rows in explanation.sizes.items()]
    table = Table.indexed(
        scores,
        "Importance of each feature for each cluster against the rest, mean over the measures.",
        lambda value, *_: Cell(f"{value:.2f}", strength(value), number=True),
    )
    return Section("by-cluster", "Cluster by cluster", (table,))


def features_section(explanation: "Explanation") -> Section | None:
    """Densities and strip plots of the features within the clusters; None without the data."""
    X, codes = explanation.overall.X, explanation.overall.labels
    if X is None or codes is None:
        return None
    names = list(explanation.overall_ranks.index)
    legend = tuple((color(code), name) for code, name in enumerate(explanation.clusters))
    densities = density_figures(X, explanation.feature_names, names, codes)
    left = left_margin([named(name) for name in explanation.clusters])
    strips = tuple(
        figure(
            partial(
                strip_panel,
                values=X[:, explanation.feature_names.index(name)],
                codes=codes,
                clusters=explanation.clusters,
            ),
            f"{name}, row by row",
            f"Strip plot of {name} by cluster, with a line at the median.",
            size=(2.6 + left, 1.1 + 0.3 * len(explanation.clusters)),
            left=left,
            bottom=0.5,
        )
        for name in names[:STRIPS]
    )
    said = "Features whose curves or strips do not overlap separate the clusters; in units of the data."
    blocks = (text(said), Figures(densities, legend), Figures(strips))
    return Section("features", "Feature by feature", blocks)


def intervals_section(explanation: "Explanation") -> Section:
    """Bootstrap intervals of the scores."""
    known = explanation.intervals
    texts = [f"{low:.2f} to {high:.2f}" for low, high in known[["low", "high"]].itertuples(index=False)]
    shown = known.assign(text=texts).pivot(index="feature", columns="measure", values="text")
    shown = shown.loc[list(explanation.overall_ranks.index), list(explanation.table.index)]
    shown.columns = [row.title for row in explanation.overall.rows]
    n_bootstraps = len(explanation.resampled.rows[0].runs)
    caption = (
        f"95% intervals from {n_bootstraps} bootstrap samples, drawn within each cluster with fixed labels."
        " The intervals do not include the variability of the labels."
    )
    table = Table.indexed(shown, caption, lambda text, *_: Cell(text, number=True))
    return Section("intervals", "How precise are the scores?", (table,))
