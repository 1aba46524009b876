"""Sections on statistical tests: of the clusters, of each feature, and of the number of clusters."""

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from xcompare.inference.answer import listed
from xcompare.inference.number_of_clusters import p_text
from xcompare.results.plots.choice_plots import LABELS, TITLES, curve_panel
from xcompare.results.plots.scores import VERDICT_COLORS, verdict_bars
from xcompare.results.plots.style import color
from xcompare.results.report.drawing import figure
from xcompare.results.report.page import Block, Details, Figures, Section, Table, text

if TYPE_CHECKING:
    from xcompare.results.choosing_k import KChoice
    from xcompare.results.comparison import Comparison
    from xcompare.results.explanation import Explanation

FEATURES_SHOWN = 40  # in the figure at most
HYPOTHESES = (
    "Null hypotheses. No clusters: every projection of the data is unimodal; clusters and the directions that"
    " separate them come from one half of the rows, the test from the other (four splits, both ways)."
    " Associated: the feature is independent of a partition by the other features. Modes: the feature is"
    " unimodal (dip test). If clusters are found, features with q at most .05 differ between them, and are"
    " relevant if they also separate them. The tests assume independent rows."
)
PROCEDURE = (
    "The density gap is that of the least separated pair of neighbouring clusters, in standard errors;"
    " numbers of clusters with a gap of at least one (filled points) are candidates. The candidate with the"
    " best BIC is chosen; among BICs within 20 of it, the one with the deepest gap. The answer is one cluster"
    " unless a test on held-out rows rejects it (p at most .05)."
)


def significance_section(comparison: "Comparison") -> Section | None:
    """Tests for clusters and for features that differ between them; None if not tested."""
    found = comparison.significance
    if found is None:
        return None
    table = found.table.sort_values("importance", ascending=False, kind="stable")
    shown = table.iloc[:FEATURES_SHOWN]
    drawing = figure(
        lambda ax: verdict_bars(shown, "", ax, legend=False),
        "Importance of each feature, by test verdict",
        "; ".join(
            f"{name}: {row.verdict}" for name, row in zip(shown.index, shown.itertuples(), strict=True)
        ),
        size=(5.4, 1.0 + 0.25 * len(shown)),
        left=1.6,
    )
    return Section(
        "significance",
        "Is it more than noise?",
        (
            text(f"Test of no clusters: {p_text(found.p_clusters)}. {verdicts_text(table['verdict'])}."),
            Figures((drawing,), tuple((color, word) for word, color in VERDICT_COLORS.items()), wide=True),
            Details(
                "The tests of each feature",
                (Table.of(table.reset_index(), "p-values of each test and combined q-value.", digits=3),),
            ),
            text(HYPOTHESES),
        ),
    )


def verdicts_text(verdicts: pd.Series) -> str:
    """How many features have each verdict.

    Examples
    --------
    >>> verdicts_text(pd.Series(["relevant", "relevant", "noise"]))
    'Of 3 features, 2 are relevant, 0 more differ between the clusters, 1 is noise'
    """
    relevant, differing, noise = (int((verdicts == word).sum()) for word in VERDICT_COLORS)
    return (
        f"Of {len(verdicts)} features, {relevant} {'is' if relevant == 1 else 'are'} relevant,"
        f" {differing} more {'differs' if differing == 1 else 'differ'} between the clusters,"
        f" {noise} {'is' if noise == 1 else 'are'} noise"
    )


def validated_section(explanation: "Explanation") -> Section | None:
    """Tests of the features for clusters found again; None if not tested."""
    tested, table = explanation.tested, explanation.validated
    if tested is None or table is None:
        return None
    blocks: tuple[Block, ...] = (text(tested.sentence),)
    if tested.device != "none":
        shown = table.reset_index()[["feature", "p", "q"]].sort_values("p", kind="stable")
        blocks += (Table.of(shown, "p-value of each feature, and Benjamini-Hochberg q-value.", digits=3),)
    return Section("validated", "Are the differences real?", blocks)


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
