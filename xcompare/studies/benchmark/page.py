"""The benchmark as an HTML page: leaderboard, scenarios, answers, statistics and figures."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from xcompare.inference.rankings import LEADER
from xcompare.results.report import Details, Figures, Page, Section, Table, code, figure, listed, text
from xcompare.results.report.colors import strength
from xcompare.results.report.page import Block, Cell, cell
from xcompare.studies.benchmark import ranking
from xcompare.studies.benchmark.development import gap_sentences
from xcompare.studies.benchmark.families import first_place_table
from xcompare.studies.benchmark.plots import (
    accuracy_and_cost,
    cost_height,
    critical_differences,
    critical_height,
)
from xcompare.studies.benchmark.published_results import published_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xcompare.studies.benchmark.leaderboard import Leaderboard

TITLE = "Which methods find the relevant features?"
MEANING = {
    "rank": "average rank by AUC over the scenarios, 1 the best",
    "auc": "area under the ROC curve of the ranking, mean over scenarios; .5 is a random ranking",
    "auc_1": "the same for simulated data",
    "auc_2": "for real data with appended noise",
    "auc_3": "for tests that others designed",
    "development": "for scenarios on which `refined` was developed, with other draws",
    "judgement": "for scenarios that took no part in the development of `refined`",
    "min_auc": "smallest mean AUC of a scenario",
    "worst_scenario": "that scenario",
    "precision": "share of relevant features among the first k, where k is the number of relevant features",
    "false_positive_rate": "share of noise features ranked above the lowest-ranked relevant feature",
    "ari": "adjusted Rand index of K-means on the first k features with the true clusters",
    "own_ari": "adjusted Rand index of the method's own partition, if it finds one",
    "stability": "stability of the first k features over the draws: 1 for identical sets, 0 for random ones",
    "seconds": "median running time",
    "memory": "peak memory growth of a native run in MiB, median over draws, of the largest scenario",
    "n_failed": "runs that failed, exceeded the time limit or were skipped; they count as random rankings",
}
ANSWER_RULE = (
    "The answer is evaluated on every draw: whether clusters are found, and whether the first feature and"
    " all features named are relevant. Recall and precision refer to the features that differ between the"
    " clusters, if clusters are found. Without clusters, at most 5% of the draws should be found."
)


FIRST_PLACES = (
    "The method with the largest mean AUC of each family of scenarios, and its difference from the next. It"
    " is told apart from another if the interval of their paired differences is above 0 (Student's, 95% for"
    " all others of the family together): over the scenarios of a family of at least 5, for new scenarios of"
    " its kind; else over the draws, for new draws of the same scenarios; with fewer than 5 draws there is no"
    " interval."
)
PUBLISHED = (
    "Measured here, and in brackets what the authors of the test report for the method of that name."
    " precision is that of the first 10 (hits)."
)


def make_page(found: "Leaderboard", command: str | None, notes: Sequence[str]) -> Page:
    """The page on a benchmark."""
    sections = [
        _leaderboard_section(found),
        _scenarios_section(found),
        _first_places_section(found),
        _published_section(found),
        _statistics_section(found),
        _cost_section(found),
        _answers_section(found),
        _about_section(found),
        _failures_section(found),
        _repeat_section(found, command),
    ]
    return Page(
        title=TITLE,
        subject=subject(found),
        answer=found.answer,
        heat_map=None,
        sections=tuple(section for section in sections if section is not None),
        notes=(*notes, *(f"Left out: {name}: {why}" for name, why in found.left_out.items())),
        footer=", ".join(f"{name} {version}" for name, version in found.versions.items()),
    )


def subject(found: "Leaderboard") -> str:
    """Methods, scenarios and date."""
    n_empty = found.answers.loc[found.answers["no_clusters"].astype(bool), "scenario"].nunique()
    return (
        f"{len(found.methods)} methods on {len(found.results)} scenarios with clusters, up to"
        f" {found.effort.n_draws} draws each, and {n_empty} without; {datetime.now(UTC):%Y-%m-%d}."
    )


def _leaderboard_section(found: "Leaderboard") -> Section:
    table, printed = found.table.reset_index(), found.printed()
    shaded = ("auc", "auc_1", "auc_2", "auc_3", "development", "judgement", "ari", "own_ari")
    rows = tuple(
        tuple(
            Cell(
                printed.loc[at, name],
                strength(table.loc[at, name]) if name in shaded else "",
                number=name != "worst_scenario",
            )
            for name in table.columns
        )
        for at in table.index
    )
    caption = "Ordered by average rank; truth is the upper control, random the lower."
    meaning = listed([f"{name}: {what}" for name, what in MEANING.items() if name in table])
    blocks: tuple[Block, ...] = (
        Table(caption, tuple(table.columns), rows),
        Details("What the columns mean", (meaning,)),
    )
    gap = gap_sentences(found.results, LEADER)
    if gap:
        blocks = (text(" ".join(gap)), *blocks)
    return Section("leaderboard", "Leaderboard", blocks)


def _scenarios_section(found: "Leaderboard") -> Section | None:
    if found.results.empty:
        return None
    order = ["truth", *found.ranks.index]
    blocks = []
    for measure, caption in (
        ("auc", "Area under the ROC curve (AUC) of the ranking, mean over draws."),
        ("ari", "Adjusted Rand index of K-means on the first k features with the true clusters."),
    ):
        values = found.by_scenario(measure)[order]
        rows = tuple(
            (
                Cell(str(name)),
                *(Cell(cell(v).text, strength(v), f"{who}, {name}", True) for who, v in line.items()),
            )
            for name, line in values.iterrows()
        )
        table = Table(caption, ("Scenario", *order), rows, slanted=True)
        blocks.append(table if measure == "auc" else Details("Partitions on the first k features", (table,)))
    return Section("scenarios", "Method by scenario", tuple(blocks))


def _first_places_section(found: "Leaderboard") -> Section | None:
    if found.first_places.empty:
        return None
    blocks = (
        Table.of(first_place_table(found.first_places), FIRST_PLACES),
        Details("Paired differences", (Table.of(found.first_places, "Of mean AUCs.", digits=3),)),
    )
    return Section("first", "First places", blocks)


def _published_section(found: "Leaderboard") -> Section | None:
    if found.sources.empty:
        return None
    blocks: list[Block] = [Table.of(found.sources, "Scenarios that others designed.")]
    if not found.published.empty:
        blocks.append(Table.of(published_table(found.scores, LEADER), PUBLISHED))
    return Section("published", "Beside published results", tuple(blocks))


def _statistics_section(found: "Leaderboard") -> Section | None:
    test, difference = found.friedman, found.critical_difference
    if test is None or difference is None:
        return None
    groups = ranking.alike(found.ranks, difference)

    def draw(ax: "Axes") -> None:
        critical_differences(found.ranks, groups, difference, ax)

    drawing = figure(
        draw,
        "Average ranks; bars connect methods that do not differ significantly (Nemenyi, .05)",
        "; ".join(f"{name}: {rank:.2f}" for name, rank in found.ranks.items()),
        size=(6.6, critical_height(len(found.ranks), len(groups))),
        left=0.1,
        bottom=0.1,
    )
    blocks: list[Block] = [
        text(
            f"Friedman's test of equal methods: chi-square {test.chi_square:.1f},"
            f" p = {test.p_value:.2g}; F = {test.f:.1f}, p = {test.f_p_value:.2g}."
        ),
        Figures((drawing,), wide=True),
    ]
    best, pairs = found.against_best, found.pairs
    if best is None or pairs is None:
        blocks.append(text(f"Tests of pairs need scikit-posthocs and baycomp: {ranking.EXTRA}."))
        return Section("statistics", "Statistical comparison", tuple(blocks))
    blocks += [
        Table.of(
            best,
            "The top-ranked method against every other: probability that it is better, equal (mean AUCs"
            f" within {ranking.ROPE}) or worse (Bayesian signed rank test); Wilcoxon's p-value after Holm.",
            digits=3,
        ),
        Details(
            "All pairs of methods (Wilcoxon's signed rank test, Holm)",
            (Table.of(pairs, "Difference of mean AUCs, and its p-value.", digits=3),),
        ),
    ]
    return Section("statistics", "Statistical comparison", tuple(blocks))


def _cost_section(found: "Leaderboard") -> Section | None:
    if found.results.empty:
        return None

    def draw(ax: "Axes") -> None:
        accuracy_and_cost(found.table, ax)

    drawing = figure(
        draw,
        "Mean AUC, median running time and peak memory",
        "; ".join(f"{name}: {s:.2g} s" for name, s in found.table["seconds"].dropna().items()),
        size=(6.6, cost_height(len(found.methods))),
        left=1.1,
    )
    return Section("cost", "Accuracy, time and memory", (Figures((drawing,), wide=True),))


def _answers_section(found: "Leaderboard") -> Section | None:
    if found.answers.empty:
        return None
    table = Table.of(found.answer_shares.reset_index(), "Shares of draws.")
    return Section("answers", "How often the answer is right", (text(ANSWER_RULE), table))


def _about_section(found: "Leaderboard") -> Section:
    return Section("about", "Scenarios", (Table.of(found.about, "The numbers of features include noise."),))


def _failures_section(found: "Leaderboard") -> Section | None:
    if found.failures.empty:
        return None
    table = Table.of(found.failures, "Runs without a result; they count as random rankings.")
    return Section("failures", "Failed and skipped runs", (table,))


def _repeat_section(found: "Leaderboard", command: str | None) -> Section:
    call = command or f"xcompare.bench(random_state={found.random_state}, n_draws={found.effort.n_draws})"
    seeds = "Every draw and every run has its own seed, so results do not depend on the number of cores."
    return Section("repeat", "Reproduce this benchmark", (code([call]), text(seeds)))
