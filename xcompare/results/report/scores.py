"""Sections on the scores: bars, agreement of methods and engines, the sweep, and recommended methods."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from xcompare.results.plots.scores import PANELS, bar_panel
from xcompare.results.plots.style import LINES, MUTED, color
from xcompare.results.plots.sweep_plots import partition_panel, sweep_panel
from xcompare.results.recommendation import DESCRIPTION, nearest_scenarios
from xcompare.results.report.colors import strength
from xcompare.results.report.drawing import figure, left_margin
from xcompare.results.report.page import Block, Cell, Figures, Section, Table, listed, text
from xcompare.results.wording import DASH

if TYPE_CHECKING:
    from xcompare.results.comparison import Comparison
    from xcompare.results.sweep import Sweep
    from xcompare.results.table import TableRow


def bars_section(comparison: "Comparison") -> Section:
    """Bar charts by feature, most important first."""
    ranks = comparison.overall_ranks
    rows = [row for row in comparison.method_rows if len(row.runs)]
    shown = list(ranks.index[:PANELS])

    def described(name: str) -> str:
        at = comparison.feature_names.index(name)
        return f"Importance of {name}: {', '.join(_score(comparison, row, at) for row in rows)}"

    labels = [comparison.label(row) for row in comparison.method_rows]
    left = left_margin(labels)
    figures = tuple(
        figure(
            partial(_bars, comparison=comparison, name=name),
            f"{rank}. {name}",
            described(name),
            size=(2.0 + left, 0.7 + 0.2 * len(labels)),
            left=left,
        )
        for rank, name in enumerate(shown, 1)
    )
    cut = f" The first {len(shown)} of {len(ranks)} features." if len(shown) < len(ranks) else ""
    legend = ((color(0), "Python"), (color(1), "R")) if comparison.shows_engines else ()
    intro = text(
        "Longer is more important. Error bars are one standard deviation over the runs, clipped to 0 and 1;"
        f" deterministic methods have none. Features are sorted by overall rank.{cut}"
    )
    return Section("bars", "Feature by feature", (intro, Figures(figures, legend)))


def _score(comparison: "Comparison", row: "TableRow", at: int) -> str:
    spread = "" if np.isnan(row.std[at]) else f" ± {row.std[at]:.2f}"
    return f"{comparison.label(row)} {row.importance[at]:.2f}{spread}"


def _bars(ax, comparison: "Comparison", name: str) -> None:
    bar_panel(ax, comparison, name)
    ax.set_xlabel("importance")


def redundancy_section(comparison: "Comparison") -> Section | None:
    """Groups of redundant features and their importance; None if there are none."""
    if not comparison.redundant_groups:
        return None
    frame = comparison.group_importances
    frame.insert(0, "Method", [comparison.label(row) for row in comparison.method_rows])
    intro = text(
        "Features that are strongly associated, over all rows and within clusters, count more than once in"
        " every distance and may dominate the clusters. A group's importance is its largest score in a run."
    )
    table = Table.of(frame, "Importance of each group of redundant features as one feature.")
    return Section("redundancy", "Redundant features", (intro, table))


def agreement_section(rows: "Sequence[tuple[str, TableRow]]", *, kind: str = "method") -> Section | None:
    """Rank correlations between rows; None for a single row."""
    if len(rows) < 2:
        return None
    names = [label for label, _ in rows]
    scores = pd.DataFrame([row.importance for _, row in rows], names)
    matrix = scores.T.corr(method="spearman")  # NaN for constant scores, which have no ranking
    caption = (
        f"Spearman correlation between {kind}s: 1 is the same order of features, 0 unrelated, -1 the reverse"
        " order."
    )
    table = Table.indexed(matrix, caption, _correlation, first=kind.capitalize(), slanted=True)
    said = text(_agreement_summary(names, matrix.to_numpy(), kind))
    return Section("agreement", f"Do the {kind}s agree?", (said, table))


def _correlation(value: float, name: str, other: str) -> Cell:
    if np.isnan(value):
        return Cell(DASH, title=f"{name} and {other}: one of them has constant scores")
    return Cell(f"{value:.2f}", strength(value), f"{name} and {other}: {value:.2f}")


def _agreement_summary(names: list[str], matrix: np.ndarray, kind: str) -> str:
    i, j = np.triu_indices(len(names), 1)
    values = matrix[i, j]
    if np.isnan(values).all():
        return f"Agreement needs two {kind}s that rank the features."
    least = int(np.nanargmin(values))
    return (
        f"Median rank correlation: {np.nanmedian(values):.2f}. Lowest agreement:"
        f" {names[i[least]]} and {names[j[least]]} ({values[least]:.2f})."
    )


def engines_section(comparison: "Comparison") -> Section | None:
    """Agreement of Python and R by method, if both ran."""
    pairs = comparison.agreement()
    pairs = pairs[pairs["method"] == pairs["other_method"]]
    if pairs.empty:
        return None
    frame = pairs[["method", "spearman", "kendall", "overlap", "difference"]]
    frame.columns = ["Method", "Spearman", "Kendall", "Top 3 in common", "Largest difference"]
    software = comparison.software
    lines = [f"{name}: {software[name, 'python']}; {software[name, 'r']}" for name in frame["Method"]]
    intro = text(
        "The same methods in two languages. Stochastic methods use different random numbers in each, so their"
        " means differ by chance; xcompare validate uses the same random numbers and compares exact values."
    )
    table = Table.of(frame, "Python against R: rank correlations, and the largest difference of mean scores.")
    title = "Do Python and R agree?"
    return Section("engines", title, (intro, table, text("Software, Python first:"), listed(lines)))


def sweep_section(sweep: "Sweep") -> Section:
    """Scores and partitions against the parameter varied."""
    swept = sweep.swept
    first, *_, last = [*sweep.comparisons.values()] * 2
    values = list(sweep.comparisons)
    leading = list(sweep.overall_ranks.index[:LINES])
    figures = [
        figure(
            partial(sweep_panel, sweep=sweep, row=at),
            first.label(row),
            f"Scores by {first.label(row)}, {values[0]} to {values[-1]} {swept.words}, as in the heat map.",
        )
        for at, row in enumerate(first.method_rows)
    ]
    blocks: list[Block] = [
        text(_sweep_summary(first, last, [swept.label(value) for value in values], swept.axis))
    ]
    others = [(MUTED, "other features")] if len(first.feature_names) > LINES else []
    legend = [(color(number), name) for number, name in enumerate(leading)]
    blocks.append(Figures(tuple(figures), (*legend, *others)))
    if not sweep.clustering.empty:
        who = list(dict.fromkeys(" ".join(map(str, index[:-1])) for index in sweep.clustering.index))
        drawn = figure(
            partial(partition_panel, sweep=sweep),
            "Agreement of the partitions with the reference labels",
            f"Adjusted Rand index against the number of {swept.words}, as in the table on quality.",
            (5.0, 3.2),
        )
        blocks.append(Figures((drawn,), tuple((color(n), name) for n, name in enumerate(who)), wide=True))
    between = sweep.partition_agreement
    if len(values) > 1 and between.notna().any(axis=None):
        between = between.rename(index=swept.label, columns=swept.label).reset_index(names=swept.title)
        caption = f"Adjusted Rand index between the consensus partitions, by number of {swept.words}."
        blocks.append(Table.of(between, caption))
    return Section("sweep", swept.title, tuple(blocks))


def _sweep_summary(first: "Comparison", last: "Comparison", values: list[str], axis: str) -> str:
    """Agreement of the first and the last value."""
    said = [
        f"{first.label(a)} {spearmanr(a.importance, b.importance).statistic:.2f}"
        for a, b in zip(first.method_rows, last.method_rows, strict=True)
        if len(a.runs) and len(b.runs) and np.ptp(a.importance) > 0 and np.ptp(b.importance) > 0
    ]
    if not said or len(values) < 2:
        return f"Mean scores against the number of {axis}."
    return (
        f"Mean scores against the number of {axis}. Flat lines mean little effect. Rank"
        f" correlation of the scores at {values[0]} with those at {values[-1]}: {', '.join(said)}."
    )


def nearest_section(comparison: "Comparison") -> Section | None:
    """The nearest benchmark scenarios and the best methods there; None without the data."""
    hint = None if comparison.X is None else nearest_scenarios(comparison.X)
    if hint is None:
        return None
    shown = hint.scenarios[[*DESCRIPTION, *hint.methods.index[:5]]].rename_axis("scenario")
    here = pd.DataFrame([hint.description], [comparison.name])
    table = pd.concat([here, shown]).rename_axis("data").reset_index()
    table = table.astype({"n_samples": int, "n_features": int})
    caption = "These data, the nearest scenarios, and the mean AUC of the best methods there."
    return Section(
        "benchmark", "Which method for data like these?", (text(str(hint)), Table.of(table, caption))
    )
