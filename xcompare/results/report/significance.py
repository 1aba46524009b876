"""Section on the tests behind the answer."""

from typing import TYPE_CHECKING

from xcompare.inference.number_of_clusters import p_text
from xcompare.results.plots.scores import VERDICT_COLORS, verdict_bars
from xcompare.results.report.drawing import figure
from xcompare.results.report.page import Details, Figures, Section, Table, text

if TYPE_CHECKING:
    from xcompare.results.comparison import Comparison

FEATURES_SHOWN = 40  # in the figure at most
HYPOTHESES = (
    "Null hypotheses. No clusters: every projection of the data is unimodal; clusters and the directions that"
    " separate them come from one half of the rows, the test from the other (four splits, both ways)."
    " Associated: the feature is independent of a partition by the other features. Modes: the feature is"
    " unimodal (dip test). If clusters are found, features with q at most .05 differ between them, and are"
    " relevant if they also separate them. The tests assume independent rows."
)


def significance_section(comparison: "Comparison") -> Section | None:
    """Tests for clusters and for features that differ between them; None if not tested."""
    found = comparison.significance
    if found is None:
        return None
    table = found.table.sort_values("importance", ascending=False, kind="stable")
    shown = table.iloc[:FEATURES_SHOWN]
    counts = [int((table["verdict"] == word).sum()) for word in VERDICT_COLORS]
    said = "{} are relevant, {} more differ between the clusters, {} are noise".format(*counts)
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
            text(f"Test of no clusters: {p_text(found.p_clusters)}. Of {len(table)} features, {said}."),
            Figures((drawing,), tuple((color, word) for word, color in VERDICT_COLORS.items()), wide=True),
            Details(
                "The tests of each feature",
                (Table.of(table.reset_index(), "p-values of each test and combined q-value.", digits=3),),
            ),
            text(HYPOTHESES),
        ),
    )
