"""Sections on the number of clusters: the curves, what each criterion chooses, and every number."""

from functools import partial
from typing import TYPE_CHECKING

from xcompare.plots.choices import TITLES, curve_panel
from xcompare.plots.style import MUTED, color
from xcompare.report.drawing import figure
from xcompare.report.page import Details, Figures, Section, Table, text

if TYPE_CHECKING:
    from xcompare.comparison.choosing import KChoice

HOW = (
    "One Gaussian: draws from one cloud with the mean and covariance of the data, which K-means cuts too; the"
    " band is two standard errors to either side. Stability, Dunn index and silhouette choose one cluster"
    " unless the data are better than the draws for some K (p at most .05, over all K together), and then the"
    " K that is better by most. The gap statistic chooses the first K that the next does not better by"
    " more than one standard error. More than one cluster takes more than half of the criteria."
)


def curves_section(choice: "KChoice") -> Section:
    """Each criterion against the number of clusters."""
    curves = choice.curves
    figures = tuple(
        figure(
            partial(curve_panel, curve=curves.loc[[criterion]].droplevel(0)),
            f"{title}: {choice.choices[criterion]}",
            f"{title} for each number of clusters, beside draws from one Gaussian; it chooses"
            f" {choice.choices[criterion]}.",
        )
        for criterion, title in TITLES.items()
    )
    legend = ((color(0), "data"), (MUTED, "one Gaussian"), (color(1), "chosen"))
    return Section("curves", "What each criterion says", (Figures(figures, legend), text(HOW)))


def numbers_section(choice: "KChoice") -> Section:
    """The choices with their p-values, and the curves as numbers."""
    table = choice.table.reset_index()
    table.columns = ["Criterion", "Clusters", "p"]
    curves = choice.curves.drop(columns="chosen").reset_index()
    curves.columns = ["Criterion", "K", "Data", "One Gaussian", "Excess", "Standard error"]
    return Section(
        "numbers",
        "The numbers",
        (
            Table.of(table, "What each criterion chooses; p: how often one Gaussian does as well.", digits=3),
            Details("Every value", (Table.of(curves, "Each criterion for each K.", digits=3),)),
        ),
    )
