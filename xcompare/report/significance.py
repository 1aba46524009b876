"""Section on what features have to do with the clusters: verdicts, noise floor, and the tests behind them."""

from typing import TYPE_CHECKING

from xcompare.comparison.answer import listed
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
        said = [text(one) for one in (_quick_look(comparison), _half(comparison)) if one]
        return Section("significance", title, tuple(said)) if said else None
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
        *(text(one) for one in (_half(comparison),) if one),
    )
    return Section("significance", title, blocks)


def _bars(ax, table) -> None:
    verdict_bars(table, "", ax, legend=False)


def _half(comparison: "Comparison") -> str:
    """What becomes of the answer when replicas draw half of the features."""
    half = comparison.with_half
    if half is None or not half.ranks_features:
        return ""
    first = [comparison.feature_names[j] for j in sorted(half.first)]
    return (
        "Replicas drew all features but one, as published. Half (max_features=0.5) are better where one"
        f" or few features make the clusters among noise; with half, {half.title} puts {listed(first)} first."
    )


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
