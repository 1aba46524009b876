"""Sections on the number of clusters: the criteria as figures and as a table."""

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

PROCEDURE = (
    "The density gap is that of the least separated pair of neighbouring clusters, in standard errors;"
    " numbers of clusters with a gap of at least one (filled points) are candidates. The candidate with the"
    " best BIC is chosen; among BICs within 20 of it, the one with the deepest gap. The answer is one cluster"
    " unless a test on held-out rows rejects it (p at most .05)."
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
    tested = f"Test of no clusters: {p_text(choice.p_clusters)}."
    said = f"Separating features: {listed(choice.features, 10)}. {tested}"
    return Section("curves", "The criteria", (Figures(figures, legend), text(said), text(PROCEDURE)))


def numbers_section(choice: "KChoice") -> Section:
    """Table of the criteria."""
    curves = choice.curves.reset_index()
    curves.columns = ["K", "Density gap", "BIC", "Separated", "Chosen"]
    return Section("numbers", "Criteria by K", (Table.of(curves, "Each criterion for each K."),))
