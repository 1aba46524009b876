"""Sections on the number of clusters: the criteria, and every number."""

from functools import partial
from typing import TYPE_CHECKING

from xcompare.inference.answer import listed
from xcompare.inference.number_of_clusters import p_text
from xcompare.results.plots.choices import LABELS, TITLES, curve_panel
from xcompare.results.plots.style import color
from xcompare.results.report.drawing import figure
from xcompare.results.report.page import Figures, Section, Table, text

if TYPE_CHECKING:
    from xcompare.results.choosing_k import KChoice

HOW = (
    "The density gap is that of the cluster which is least separated from its nearest neighbour, in standard"
    " errors; numbers with a gap of at least one (filled points) are candidates. Of these, the one with the"
    " best BIC is chosen, and of BICs within 20 of it the one with the deepest gap. One cluster is the answer"
    " unless a test on rows that had no part in finding the clusters rejects it (p at most .05)."
)


def curves_section(choice: "KChoice") -> Section:
    """Each criterion against the number of clusters."""
    figures = tuple(
        figure(
            partial(curve_panel, curves=choice.curves, criterion=criterion),
            title,
            f"{title} ({LABELS[criterion]}) for each number of clusters.",
        )
        for criterion, title in TITLES.items()
    )
    legend = ((color(0), "separated"), (color(1), "chosen"))
    said = f"Separating features: {listed(choice.features, 10)}. No clusters: {p_text(choice.p_clusters)}."
    return Section("curves", "The criteria", (Figures(figures, legend), text(said), text(HOW)))


def numbers_section(choice: "KChoice") -> Section:
    """The criteria as numbers."""
    curves = choice.curves.reset_index()
    curves.columns = ["K", "Density gap", "BIC", "Separated", "Chosen"]
    return Section("numbers", "The numbers", (Table.of(curves, "Each criterion for each K.", digits=2),))
