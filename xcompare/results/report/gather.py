"""Build the pages of results: answer, heat map and sections."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from xcompare.harness.plan import registered
from xcompare.inference.rankings import listed
from xcompare.results.data_checks import all_notes
from xcompare.results.plots.style import LINES
from xcompare.results.report import (
    explanations,
    inference,
    partitions,
    provenance,
    scores,
    summary,
)
from xcompare.results.report.colors import level
from xcompare.results.report.page import HeatCell, HeatMap, Page, Section
from xcompare.results.summary import NO_P_VALUES, about_tests
from xcompare.results.table import rank_texts
from xcompare.results.wording import DASH, ENGINES
from xcompare.version import __version__

if TYPE_CHECKING:
    from xcompare.results.choosing_k import KChoice
    from xcompare.results.comparison import Comparison
    from xcompare.results.explanation import Explanation
    from xcompare.results.sweep import Sweep
    from xcompare.results.table import TableRow

FEATURES_SHOWN = 100  # in the heat map; the files have all
FOOTER = f"Made by xcompare {__version__}. This file is self-contained."


def comparison_page(comparison: "Comparison", command: str | None, notes: tuple[str, ...]) -> Page:
    """The page on a comparison."""
    # In the report, 1 is the most important feature for every method.
    shown = comparison.flipped()
    rows = [(shown.label(row), row) for row in shown.rows]
    order = list(comparison.overall_ranks.index)
    heading, *lead = comparison.decision.sentences
    table, said = comparison.clustered, all_notes(notes, comparison.notes)
    opening: tuple[Section, ...] = ()
    effects: tuple[Section | None, ...] = ()
    if table is not None and not comparison.effects.empty:
        careful = [f"{note.rstrip('.')}." for note in said]
        opening = summary.opening_sections(comparison, table, [*careful, NO_P_VALUES])
        effects = summary.effects_section(comparison.effects), summary.profiles_section(table, order)
    return Page(
        title=f"{comparison.name}: which features made the clusters?",
        subject=_subject(comparison),
        answer=heading,
        lead=" ".join(lead),
        opening=opening,
        heat_map=_heat_map(rows, shown, order),
        notes=() if opening else tuple(said),
        sections=_present(
            *effects,
            inference.significance_section(comparison),
            scores.bars_section(shown),
            scores.redundancy_section(comparison),
            scores.agreement_section([(shown.label(row), row) for row in shown.method_rows]),
            scores.engines_section(comparison),
            partitions.partition_section(comparison, comparison.consensus),
            partitions.profiles_section(comparison, comparison.consensus),
            partitions.quality_section(comparison),
            scores.nearest_section(comparison),
            provenance.failures_section(comparison.failures, comparison.warnings),
            provenance.repeat_section([comparison], command, provenance.python_call(comparison)),
        ),
        footer=FOOTER,
    )


def sweep_page(sweep: "Sweep", command: str | None, notes: tuple[str, ...]) -> Page:
    """The page on a sweep: the rows of all values, then how they differ."""
    comparisons = list(sweep.comparisons.values())
    shown, swept = sweep.flipped(), sweep.swept
    first = comparisons[0]
    values = f"{listed(list(map(str, sweep.comparisons)), len(comparisons))} {swept.axis}"
    subject = (
        _subject(first, clusters=values) if swept.option == "n_clusters" else _subject(first, f"{values}; ")
    )
    rows = shown.labelled_rows
    order = list(sweep.overall_ranks.index)
    return Page(
        title=f"{sweep.name}: {swept.question}",
        subject=subject,
        answer=sweep.answer,
        heat_map=_heat_map(rows, first, order),
        notes=tuple(all_notes(notes, sweep.notes)),
        sections=_present(
            scores.sweep_section(shown),
            scores.agreement_section(rows),
            partitions.partition_section(first, sweep.consensus, order),
            partitions.profiles_section(first, sweep.consensus, order),
            partitions.sweep_quality_section(sweep),
            provenance.failures_section(sweep.failures, None),
            provenance.repeat_section(comparisons, command, provenance.python_call(first, sweep)),
        ),
        footer=FOOTER,
    )


def explanation_page(explanation: "Explanation", command: str | None, notes: tuple[str, ...]) -> Page:
    """The page on given clusters: descriptions, then the measures."""
    overall = explanation.overall
    rows = [(overall.label(row), row) for row in overall.rows]
    order = list(explanation.overall_ranks.index)
    table, effects = explanation.clustered, explanation.effects
    return Page(
        title=f"{explanation.name}: which features separate the clusters?",
        subject=_subject(overall, kind="measure"),
        answer=explanation.answer,
        opening=summary.opening_sections(
            explanation,
            table,
            [*all_notes(notes, explanation.notes), *about_tests(explanation.tested)],
        ),
        heat_map=_heat_map(rows, overall, order, kind="measure"),
        sections=_present(
            summary.effects_section(effects),
            summary.contrasts_section(effects),
            summary.profiles_section(table, order),
            explanations.rules_section(explanation),
            explanations.clusters_section(explanation),
            explanations.features_section(explanation) if len(explanation.clusters) <= LINES else None,
            inference.validated_section(explanation),
            explanations.intervals_section(explanation),
            scores.agreement_section(rows, kind="measure"),
            provenance.failures_section(explanation.failures, explanation.warnings),
            provenance.repeat_section([overall], command, provenance.python_explain_call(explanation)),
        ),
        footer=FOOTER,
    )


def choice_page(choice: "KChoice", command: str | None, notes: tuple[str, ...]) -> Page:
    """The page on the number of clusters."""
    ks = choice.plan.rows[0].options["ks"]
    return Page(
        title=f"{choice.name}: how many clusters?",
        subject=f"{ks[0]} to {ks[-1]} clusters, and one; data: {choice.name}, {choice.n_samples} rows,"
        f" {len(choice.feature_names)} features.",
        answer=choice.answer,
        heat_map=None,
        notes=(*notes, *choice.notes),
        sections=_present(
            inference.curves_section(choice),
            inference.numbers_section(choice),
            provenance.failures_section(choice.failures, None),
            provenance.repeat_choice_section(choice, command),
        ),
        footer=FOOTER,
    )


def _present(*sections: Section | None) -> tuple[Section, ...]:
    return tuple(filter(None, sections))


def _subject(
    comparison: "Comparison", more: str = "", *, kind: str = "method", clusters: str | None = None
) -> str:
    """Summary of methods, runs and data."""
    n_methods = len({row.method for row in comparison.plan.rows})
    engines = {row.engine for row in comparison.plan.rows}
    where = "Python and R" if len(engines) > 1 else ENGINES[next(iter(engines))]
    runs = f"{comparison.number_of_runs} of each stochastic one"
    return (
        f"{n_methods} {kind}{'s' if n_methods > 1 else ''} in {where}, {runs}; {more}data: {comparison.name},"
        f" {comparison.n_samples} rows, {len(comparison.feature_names)} features,"
        f" {clusters or f'{comparison.plan.n_clusters} clusters'}."
    )


def _heat_map(
    rows: "Sequence[tuple[str, TableRow]]",
    comparison: "Comparison",
    order: Sequence[str],
    kind: str = "method",
) -> HeatMap:
    """Scores of all rows, with features by overall importance."""
    ranks = [rank_texts(row.mean, row.larger_is_better) for _, row in rows]
    largest = max((float(np.nan_to_num(row.std).max()) for _, row in rows), default=0.0) or 1.0
    names = comparison.feature_names
    shown = list(order)[:FEATURES_SHOWN]

    def cell(number: int, at: int) -> HeatCell:
        label, row = rows[number]
        mean, std, importance = float(row.mean[at]), float(row.std[at]), float(row.importance[at])
        if np.isnan(mean):
            return HeatCell(DASH, DASH, DASH, None, None, None, f"{label}: no scores, see failures")
        spread = DASH if np.isnan(std) else f"{std:.2f}"
        runs = f"{len(row.runs)} run{'s' if len(row.runs) > 1 else ''}"
        said = f"{label}, {names[at]}: {mean:.2f} ± {spread} in {runs}, rank {ranks[number][at]}"
        return HeatCell(
            mean=f"{mean:.2f}",
            rank=ranks[number][at],
            sd=spread,
            mean_level=level(importance),
            sd_level=None if np.isnan(std) else level(std, largest),
            key=round(importance, 6),
            title=said,
        )

    notes = [f"1 is the most important feature of a {kind}. Scores equal at two decimals share ranks."]
    methods = [registered(row.method) for row in comparison.plan.rows]
    flipped = [method.title for method in methods if not method.larger_is_better]
    if flipped:
        notes.append(
            f"Flipped: {', '.join(dict.fromkeys(flipped))}, whose original scores are smaller for more"
            " important features; the files hold them as published."
        )
    if len(shown) < len(names):
        notes.append(f"The {len(shown)} most important of {len(names)} features; table.csv holds all.")
    if comparison.footnote:
        notes.append(f"{comparison.footnote}.")
    how = {"paper": "each method scaled as it was published", "max": f"each {kind} divided by its maximum"}
    scaled = how.get("max" if kind == "measure" else comparison.normalize, "each from 0 to 1")
    return HeatMap(
        caption=f"Normalised scores, mean over the runs: {scaled}.",
        methods=tuple(label for label, _ in rows),
        lines=tuple(
            (name, names.index(name), tuple(cell(number, names.index(name)) for number in range(len(rows))))
            for name in shown
        ),
        notes=(" ".join(notes),),
        kind=kind,
    )
