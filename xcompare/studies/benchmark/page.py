"""The benchmark as an HTML page: the leaderboard first, then scenarios, answers, statistics and pictures."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from xcompare.results.plots.leaderboards import accuracy_by_time, critical_differences, critical_height
from xcompare.results.report import Details, Figures, Page, Section, Table, code, figure, listed, text
from xcompare.results.report.colors import strength
from xcompare.results.report.page import Block, Cell, cell
from xcompare.studies.benchmark import ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xcompare.studies.benchmark.leaderboard import Leaderboard

TITLE = "Who finds the features that matter?"
MEANING = {
    "rank": "average rank by AUC over the scenarios, 1 the best",
    "auc": "chance that a relevant feature is before noise, mean over scenarios; .5 is random order",
    "auc_1, auc_2": "of the simulated and of the measured data",
    "lowest, at": "the scenario it does worst in",
    "precision": "share of relevant features among the first k, where k are relevant",
    "noise_above": "share of the noise one must take in before the last relevant feature is found",
    "ari": "agreement with the true clusters of K-means on the first k features",
    "own_ari": "agreement of the partition the method itself finds, where it finds one",
    "stability": "how alike the first k features are from draw to draw: 1 the same, 0 as at random",
    "seconds": "median of a run",
    "memory": "the most that a native run took, in MiB",
    "no_result": "runs that failed, took too long or were skipped: they count as random order",
}
ANSWER_RULE = (
    "The sentence a user reads, judged on every draw: whether clusters are found, and whether the first and"
    " all features named are relevant. Recall and precision are of the features said to differ between the"
    " clusters, where clusters are found. Where there are no clusters, at most 5% may be found."
)


def make_page(found: "Leaderboard", command: str | None, notes: Sequence[str]) -> Page:
    """The page on a benchmark."""
    sections = [
        _leaderboard_section(found),
        _scenarios_section(found),
        _statistics_section(found),
        _time_section(found),
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
    """What was compared, on what, when."""
    n_empty = found.answers.loc[found.answers["empty"].astype(bool), "scenario"].nunique()
    return (
        f"{len(found.methods)} methods on {len(found.results)} scenarios with clusters, up to"
        f" {found.effort.n_draws} draws each, and {n_empty} without; {datetime.now(UTC):%Y-%m-%d}."
    )


def _leaderboard_section(found: "Leaderboard") -> Section:
    table, printed = found.table.reset_index(), found.printed()
    shaded = ("auc", "auc_1", "auc_2", "ari", "own_ari")
    rows = tuple(
        tuple(
            Cell(
                printed.loc[at, name],
                strength(table.loc[at, name]) if name in shaded else "",
                number=name != "at",
            )
            for name in table.columns
        )
        for at in table.index
    )
    caption = "The best average rank first; truth is the upper control, random the lower."
    meaning = listed([f"{name}: {what}" for name, what in MEANING.items()])
    blocks = (Table(caption, tuple(table.columns), rows), Details("What the columns mean", (meaning,)))
    return Section("leaderboard", "Leaderboard", blocks)


def _scenarios_section(found: "Leaderboard") -> Section | None:
    if found.results.empty:
        return None
    order = ["truth", *found.ranks.index]
    blocks = []
    for measure, caption in (
        ("auc", "Chance that a relevant feature is before noise (AUC), mean over draws."),
        ("ari", "Agreement with the true clusters of K-means on the first k features."),
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


def _statistics_section(found: "Leaderboard") -> Section | None:
    test, difference = found.friedman, found.critical_difference
    if test is None or difference is None:
        return None
    groups = ranking.alike(found.ranks, difference)

    def draw(ax: "Axes") -> None:
        critical_differences(found.ranks, groups, difference, ax)

    drawing = figure(
        draw,
        "Average ranks; bars join methods that cannot be told apart (Nemenyi, .05)",
        "; ".join(f"{name}: {rank:.2f}" for name, rank in found.ranks.items()),
        size=(6.6, critical_height(len(found.ranks), len(groups))),
        left=0.1,
        bottom=0.1,
    )
    blocks: list[Block] = [
        text(
            f"That all methods are alike: Friedman's test, chi-square {test.chi_square:.1f},"
            f" p = {test.p_value:.2g}; F = {test.f:.1f}, p = {test.f_p_value:.2g}."
        ),
        Figures((drawing,), wide=True),
    ]
    best, pairs = found.against_best, found.pairs
    if best is None or pairs is None:
        blocks.append(text(f"Tests of pairs need scikit-posthocs and baycomp: {ranking.EXTRA}."))
        return Section("statistics", "Who is better, statistically", tuple(blocks))
    blocks += [
        Table.of(
            best,
            "The first against each other: probability that it is better, equal (mean AUCs within"
            f" {ranking.ROPE}) or worse (Bayesian signed rank test); Wilcoxon's p-value after Holm.",
            digits=3,
        ),
        Details(
            "Every two methods (Wilcoxon's signed rank test, Holm)",
            (Table.of(pairs, "Difference of mean AUCs, and its p-value.", digits=3),),
        ),
    ]
    return Section("statistics", "Who is better, statistically", tuple(blocks))


def _time_section(found: "Leaderboard") -> Section | None:
    if found.results.empty:
        return None

    def draw(ax: "Axes") -> None:
        accuracy_by_time(found.table, ax)

    drawing = figure(
        draw,
        "Mean AUC against the seconds of a run",
        "; ".join(f"{name}: {s:.2g} s" for name, s in found.table["seconds"].dropna().items()),
        size=(6.4, 4.6),
    )
    return Section("time", "Accuracy against time", (Figures((drawing,), wide=True),))


def _answers_section(found: "Leaderboard") -> Section | None:
    if found.answers.empty:
        return None
    table = Table.of(found.answer_shares.reset_index(), "Shares of draws.")
    return Section("answers", "How often the answer is right", (text(ANSWER_RULE), table))


def _about_section(found: "Leaderboard") -> Section:
    return Section(
        "about", "What the scenarios are", (Table.of(found.about, "Noise included in the features."),)
    )


def _failures_section(found: "Leaderboard") -> Section | None:
    if found.failures.empty:
        return None
    table = Table.of(found.failures, "Runs without a result; they count as random order.")
    return Section("failures", "What has no result, and why", (table,))


def _repeat_section(found: "Leaderboard", command: str | None) -> Section:
    call = command or f"xcompare.bench(random_state={found.random_state}, n_draws={found.effort.n_draws})"
    seeds = (
        "Every draw and every run has a seed that follows from what it is: any number of cores, any order."
    )
    return Section("repeat", "How to repeat it", (code([call]), text(seeds)))
