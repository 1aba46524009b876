"""Sections on given clusters: what makes each, how the features lie in them, how sure the scores are."""

from functools import partial
from typing import TYPE_CHECKING

from xcompare.results.plots.explanations import strip_panel
from xcompare.results.plots.style import color
from xcompare.results.report.colors import strength
from xcompare.results.report.drawing import figure
from xcompare.results.report.page import Cell, Figures, Section, Table, listed, text
from xcompare.results.report.partitions import density_figures

if TYPE_CHECKING:
    from xcompare.results.explanation import Explanation

STRIPS = 6  # features drawn row by row


def rules_section(explanation: "Explanation") -> Section:
    """What makes each cluster, in words."""
    return Section(
        "rules",
        "What makes each cluster",
        (
            text(
                "The features that tell each cluster from the rest, and the shortest rule of a shallow tree"
                " that finds it again: pure is the share of the rows found that belong to it, covers the"
                " share of its rows that are found."
            ),
            listed(explanation.sentences),
        ),
    )


def clusters_section(explanation: "Explanation") -> Section:
    """Each cluster against the rest, feature by feature."""
    scores = explanation.cluster_importances[list(explanation.overall_ranks.index)].T
    rows = tuple(
        (Cell(str(name)), *(Cell(f"{value:.2f}", strength(value), number=True) for value in line))
        for name, line in zip(scores.index, scores.to_numpy(), strict=True)
    )
    heads = tuple(f"{name} ({rows} rows)" for name, rows in explanation.sizes.items())
    caption = "How much each feature tells each cluster from the rest: mean over the measures, 1 is most."
    return Section("by-cluster", "Cluster by cluster", (Table(caption, ("Feature", *heads), rows),))


def features_section(explanation: "Explanation") -> Section | None:
    """Densities of the features within the clusters, and the rows themselves; nothing without the data."""
    X, codes = explanation.overall.X, explanation.overall.labels
    if X is None or codes is None:
        return None
    names = list(explanation.overall_ranks.index)
    legend = tuple((color(code), name) for code, name in enumerate(explanation.clusters))
    densities = density_figures(X, explanation.feature_names, names, codes)
    strips = tuple(
        figure(
            partial(
                strip_panel,
                values=X[:, explanation.feature_names.index(name)],
                codes=codes,
                clusters=explanation.clusters,
            ),
            f"{name}, row by row",
            f"Every row's {name}, a strip for each cluster, with a line at the median.",
            size=(3.4, 0.9 + 0.3 * len(explanation.clusters)),
            left=0.25,
            bottom=0.3,
        )
        for name in names[:STRIPS]
    )
    said = "Where curves or strips stand apart, the feature tells the clusters apart; in units of the data."
    blocks = (text(said), Figures(densities, legend), Figures(strips))
    return Section("features", "Feature by feature", blocks)


def intervals_section(explanation: "Explanation") -> Section:
    """How much the scores depend on the rows."""
    known = explanation.intervals.set_index(["feature", "measure"])[["low", "high"]]
    texts = {key: f"{low:.2f} to {high:.2f}" for key, low, high in known.itertuples(name=None)}
    rows = tuple(
        (Cell(str(name)), *(Cell(texts[name, one], number=True) for one in explanation.table.index))
        for name in explanation.overall_ranks.index
    )
    n_bootstraps = len(explanation.resampled.rows[0].runs)
    caption = (
        f"95% of {n_bootstraps} bootstraps: the rows of each cluster drawn again with replacement, the labels"
        " kept. How the labels themselves would change is not in these intervals."
    )
    titles = tuple(row.title for row in explanation.overall.rows)
    return Section("intervals", "How sure are the scores?", (Table(caption, ("Feature", *titles), rows),))
