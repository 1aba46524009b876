"""The benchmark as an HTML page."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from xcompare.inference.rankings import LEADER
from xcompare.results.report import Details, Figures, Page, Section, Table, code, figure, listed, text
from xcompare.results.report.colors import strength
from xcompare.results.report.page import Block, Cell, cell
from xcompare.studies.benchmark.development import gap_sentences
from xcompare.studies.benchmark.plots import accuracy_and_cost, cost_height
from xcompare.studies.benchmark.sections import MEANING, TITLE, parts

if TYPE_CHECKING:
    from xcompare.studies.benchmark.leaderboard import Leaderboard

SHADED = ("auc", "auc_1", "auc_2", "auc_3", "development", "judgement", "ari", "own_ari")


def make_page(found: "Leaderboard", command: str | None, notes: Sequence[str]) -> Page:
    """The page on a benchmark."""
    n_empty = found.answers.loc[found.answers["no_clusters"].astype(bool), "scenario"].nunique()
    call = command or f"xcompare.bench(random_state={found.random_state}, n_draws={found.effort.n_draws})"
    seeds = "Every draw and every run has its own seed, so results do not depend on the number of cores."
    return Page(
        title=TITLE,
        subject=f"{len(found.methods)} methods on {len(found.results)} scenarios with clusters, up to"
        f" {found.effort.n_draws} draws each, and {n_empty} without; {datetime.now(UTC):%Y-%m-%d}.",
        answer=found.answer,
        heat_map=None,
        sections=(
            _leaderboard_section(found),
            *([] if found.results.empty else [_scenarios_section(found), _cost_section(found)]),
            *(
                Section(key, title, (Table.of(table, said.replace("`", "")),))
                for key, title, said, table in parts(found)
            ),
            Section("repeat", "Reproduce this benchmark", (code([call]), text(seeds))),
        ),
        notes=(*notes, *(f"Left out: {name}: {why}" for name, why in found.left_out.items())),
        footer=", ".join(f"{name} {version}" for name, version in found.versions.items()),
    )


def _leaderboard_section(found: "Leaderboard") -> Section:
    table, printed = found.table.reset_index(), found.printed()
    rows = tuple(
        tuple(
            Cell(
                printed.loc[at, name],
                strength(table.loc[at, name]) if name in SHADED else "",
                number=name != "worst_scenario",
            )
            for name in table.columns
        )
        for at in table.index
    )
    caption = "Ordered by average rank; truth is the upper control, random the lower."
    meaning = listed([f"{name}: {what}" for name, what in MEANING.items() if name in table])
    gap = gap_sentences(found.results, LEADER)
    blocks: list[Block] = [text(" ".join(gap))] if gap else []
    blocks += [Table(caption, tuple(table.columns), rows), Details("What the columns mean", (meaning,))]
    if not found.first_places.empty:
        differences = Table.of(found.first_places, "Of mean AUCs.", digits=3)
        blocks.append(Details("Paired differences", (differences,)))
    return Section("leaderboard", "Leaderboard", tuple(blocks))


def _scenarios_section(found: "Leaderboard") -> Section:
    order = ["truth", *found.ranks.index]

    def table(measure: str, caption: str) -> Table:
        rows = tuple(
            (
                Cell(str(name)),
                *(Cell(cell(v).text, strength(v), f"{who}, {name}", True) for who, v in line.items()),
            )
            for name, line in found.by_scenario(measure)[order].iterrows()
        )
        return Table(caption, ("Scenario", *order), rows, slanted=True)

    aucs = table("auc", "Area under the ROC curve (AUC) of the ranking, mean over draws.")
    aris = table("ari", "Adjusted Rand index of K-means on the first k features with the true clusters.")
    details = Details("Partitions on the first k features", (aris,))
    return Section("scenarios", "Method by scenario", (aucs, details))


def _cost_section(found: "Leaderboard") -> Section:
    drawing = figure(
        lambda ax: accuracy_and_cost(found.table, ax),
        "Mean AUC, median running time and peak memory",
        "; ".join(f"{name}: {s:.2g} s" for name, s in found.table["seconds"].dropna().items()),
        size=(6.6, cost_height(len(found.methods))),
        left=1.1,
    )
    return Section("cost", "Accuracy, time and memory", (Figures((drawing,), wide=True),))
