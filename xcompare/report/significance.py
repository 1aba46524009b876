"""Section on what features have to do with the clusters: verdicts, noise floor, and the tests behind them."""

from typing import TYPE_CHECKING

from xcompare.plots.significance import VERDICT_COLORS, verdict_bars
from xcompare.report.drawing import figure
from xcompare.report.page import Block, Figures, Section, Table, text

if TYPE_CHECKING:
    from xcompare.comparison.result import Comparison

FEATURES_SHOWN = 40  # in the figure
QUICK = (
    " This was a quick look, with 40 draws, that finds anything where there is nothing in about 5 of 100"
    " cases; significance=True (--significance) tests every feature."
)
HYPOTHESES = (
    "Shared: that the feature is independent of all others is rejected. Own groups: that its distribution"
    " has one peak is rejected (dip test). One Gaussian: that the rows are one Gaussian cloud is rejected,"
    " for what the feature knows of K-means' partitions. A feature makes clusters if the q-value of one of"
    " the last two is at most .05, and goes along with others if only that of the first is."
)


def significance_section(comparison: "Comparison") -> Section | None:
    """What stands out from noise, and why; None where nothing was looked at."""
    title = "Is it more than noise?"
    found = comparison.significance
    if found is None:
        said = _quick_look(comparison)
        return None if said is None else Section("significance", title, (text(said),))
    table = found.table.sort_values("importance", ascending=False, kind="stable")
    shown = table.iloc[:FEATURES_SHOWN]
    counts = ", ".join(f"{int((table['verdict'] == word).sum())} {word}" for word in VERDICT_COLORS)
    drawing = figure(
        lambda ax: _bars(ax, shown),
        "Importance, and the noise floor that 95 of 100 clouds without clusters stay below (marks)",
        "; ".join(
            f"{name}: {row.verdict}" for name, row in zip(shown.index, shown.itertuples(), strict=True)
        ),
        size=(7.2, 1.0 + 0.25 * len(shown)),
        left=1.6,
    )
    blocks: tuple[Block, ...] = (
        text(f"Of {len(table)} features: {counts}."),
        Figures((drawing,), tuple((color, word) for word, color in VERDICT_COLORS.items()), wide=True),
        Table.of(table.reset_index(), "Importance, noise floor, p- and q-values of each test.", digits=3),
        text(HYPOTHESES),
    )
    return Section("significance", title, blocks)


def _bars(ax, table) -> None:
    verdict_bars(table, "", ax, legend=False)


def _quick_look(comparison: "Comparison") -> str | None:
    """What the reference that is part of every comparison says."""
    out = comparison.standing_out
    if out is None:
        return None
    if not out:
        return "No feature knows more of the partitions than features of one Gaussian cloud do." + QUICK
    return (
        f"{len(out)} of {len(comparison.feature_names)} features stand out from what K-means finds in one"
        f" Gaussian cloud, or have groups of their own: {', '.join(out)}." + QUICK
    )
