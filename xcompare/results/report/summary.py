"""The opening of a report on clusters, for readers without statistics; and the effect sizes behind it."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from xcompare.results import wording
from xcompare.results.clustered_table import ClusteredTable
from xcompare.results.effect_sizes import TOP, largest, titles_of
from xcompare.results.plots.distributions import NAMED_LEVELS, curve_panel, distribution_panel
from xcompare.results.plots.profiles import LARGEST, contrast_panel, shown_deviations, snake_panel
from xcompare.results.plots.style import LINES, color
from xcompare.results.report.colors import deviation
from xcompare.results.report.drawing import figure, left_margin
from xcompare.results.report.page import (
    Block,
    Card,
    Cards,
    Cell,
    Details,
    Figures,
    Section,
    Table,
    listed,
    text,
)
from xcompare.results.summary import cautions

if TYPE_CHECKING:
    import pandas as pd

    from xcompare.results.comparison import Comparison
    from xcompare.results.explanation import Explanation

SHOWN = 30  # features in the table of deviations
FIGURES = 6  # features with a figure of their own, and clusters with a snake
UPRIGHT = 6  # clusters with horizontal names in a table
OPEN = 3  # tables that are not folded


def opening_sections(
    found: "Comparison | Explanation", table: ClusteredTable, careful: Sequence[str]
) -> tuple[Section, ...]:
    """Each cluster in words, the deviations, and what to be careful about."""
    cards = tuple(
        Card(one.name, f"{one.rows:,} rows, {wording.share(one.share)}", one.sentences)
        for one in found.summaries
    )
    said = [*cautions(table, found.effects), *careful]
    in_words = Section(
        "summary",
        "The clusters in words",
        (text("Numbers are means, or shares for categories, in the units of the data."), Cards(cards)),
    )
    sections = [
        in_words,
        Section(
            "deviations",
            "Above and below the average",
            (_deviations(table, table.profiled(found.overall_ranks.index)),),
        ),
    ]
    if said:
        sections.append(Section("careful", "What to be careful about", (listed(said),)))
    return tuple(sections)


def _deviations(table: ClusteredTable, order: Sequence[str]) -> Table:
    found = shown_deviations(table, order, SHOWN)
    means = {
        feature.title: [wording.numbers(mean)[0] for mean in table.means(x)]
        for feature, x in zip(table.features, table.X.T, strict=True)
        if feature.kind == "numeric"
    }
    found.columns = heads = [wording.named(name) for name in table.clusters]

    def cell(value: float, name: str, cluster: str) -> Cell:
        mean = f"{cluster}, mean {means[name][heads.index(cluster)]}" if name in means else ""
        return Cell(f"{round(value, 1) + 0.0:+.1f}", deviation(value, LARGEST), mean, number=True)

    cut = f" The {len(found)} that deviate most." if len(found) == SHOWN else ""
    caption = (
        "Mean of each cluster above (orange) or below (purple) the mean of all rows, in standard deviations."
        f" Similar features are adjacent.{cut}"
    )
    return Table.indexed(found, caption, cell, slanted=len(heads) > UPRIGHT)


def effects_section(effects: "pd.DataFrame") -> Section:
    """Effect sizes of the first features of each contrast, in the units of the data."""
    said = (
        "Differences of means in the units of the data, with 95% bootstrap intervals; for features with a"
        " heavy tail, differences of medians, without intervals. Delta: Cliff's delta, from -1 to 1, 0 for"
        " equal distributions; V: Cramér's V of a category, whose most over-represented level is shown; g:"
        " difference in standard deviations (Hedges). Condition: the best one on this feature alone. Covers:"
        " share of the cluster's rows that meet it; pure: share of the rows that meet it that are in the"
        " cluster."
    )
    tables = []
    for (cluster, reference), some in largest(effects, TOP).groupby(["cluster", "reference"], sort=False):
        title = _title(cluster, reference)
        tables.append((title, _effect_table(some, title)))
    blocks: list[Block] = [text(said)]
    blocks += [table for _, table in tables[:OPEN]]
    blocks += [Details(title, (table,)) for title, table in tables[OPEN:]]
    return Section("effects", "How large are the differences?", tuple(blocks))


def _title(cluster: object, reference: object) -> str:
    against = "the rest" if reference == "rest" else wording.named(reference)
    return f"{wording.named(cluster)} against {against}"


def _effect_table(effects: "pd.DataFrame", title: str) -> Table:
    def row(effect: dict) -> tuple[Cell, ...]:
        here, there = wording.value_texts(effect)
        numbers = (
            here, there, wording.difference_text(effect), wording.interval_text(effect),
            wording.size_text(effect), wording.standardized_text(effect),
        )  # fmt: skip
        shares = (wording.share(effect["coverage"]), wording.share(effect["purity"]))
        return (
            Cell(effect["title"]),
            *(Cell(number, number=True) for number in numbers),
            Cell(wording.condition_text(effect)),
            *(Cell(one, number=True) for one in shares),
        )

    heads = ("Feature", "Here", "There", "Difference", "95% interval", "Delta or V", "g", "Condition",
             "Covers", "Pure")  # fmt: skip
    capital = title[0].upper() + title[1:]
    return Table(
        f"{capital}.",
        heads,
        tuple(row(one) for one in effects.assign(title=titles_of(effects)).to_dict(orient="records")),
    )


def contrasts_section(effects: "pd.DataFrame") -> Section | None:
    """Bars of the contrasts between clusters; None without any."""
    between = effects[effects["reference"] != "rest"]
    if between.empty:
        return None
    figures = []
    for (cluster, reference), some in largest(between, TOP).groupby(["cluster", "reference"], sort=False):
        left = left_margin([*some["feature"], *(some["feature"] + ": " + some["level"])])
        title = _title(cluster, reference)
        described = "; ".join(
            f"{one['feature']} {wording.difference_text(one)}" for one in some.to_dict(orient="records")
        )
        figures.append(
            figure(
                partial(contrast_panel, effects=some),
                title,
                f"{title}: {described}",
                size=(2.6 + left, 0.8 + 0.24 * len(some)),
                left=left,
            )
        )
    said = (
        "Cliff's delta of the first features of each contrast, with 95% bootstrap intervals: to the right the"
        " first cluster has larger values. Of a category, the difference of the shares of a level."
    )
    return Section("contrasts", "Cluster against cluster", (text(said), Figures(tuple(figures))))


def profiles_section(table: ClusteredTable, order: Sequence[str]) -> Section:
    """Snake plot, distributions and effect curves of the first features."""
    found = shown_deviations(table, table.profiled(list(order)[:SHOWN]), SHOWN)
    together = len(table.clusters) <= LINES
    legend = tuple((color(k), wording.named(name)) for k, name in enumerate(table.clusters))
    left = left_margin(list(found.index))
    snakes = tuple(
        figure(
            partial(snake_panel, found=found, code=code),
            "All clusters" if code is None else wording.named(table.clusters[code]),
            "Deviation from the overall mean along the features, a line per cluster; as in the table.",
            size=(2.4 + left, 0.8 + 0.19 * len(found)), left=left,
        )
        for code in ([None] if together else range(len(table.clusters))[:FIGURES])
    )  # fmt: skip
    left = left_margin([wording.named(name) for name in table.clusters])
    names = table.profiled(list(order)[:FIGURES])[: 2 * FIGURES]
    distributions = tuple(
        figure(
            partial(distribution_panel, table=table, name=name),
            table.column(name)[0].title,
            f"Distribution of {name} in each cluster.",
            size=(2.4 + left, 0.9 + 0.28 * len(table.clusters)), left=left, top=_legend_height(table, name),
        )
        for name in names
    )  # fmt: skip
    curves = tuple(
        figure(
            partial(curve_panel, table=table, name=name),
            table.column(name)[0].title,
            f"Share of each cluster along the values of {name}.",
            left=0.7,
        )
        for name in names
    )
    blocks: list[Block] = [
        text("Profiles: deviation of each cluster from the overall mean, in standard deviations."),
        Figures(snakes, legend if together else ()),
        text(
            "Distributions: a thin line marks the median of a cluster, a thick one its interquartile range."
        ),
        Figures(distributions),
    ]
    if together:
        blocks += [
            text("Share of each cluster along a feature, in groups of equal size ordered by its values."),
            Figures(curves, legend),
        ]
    return Section("pictures", "The clusters in pictures", tuple(blocks))


def _legend_height(table: ClusteredTable, name: str) -> float:
    """Top margin for the legend of the levels of a category, in inches."""
    feature, _ = table.column(name)
    named = min(max(len(feature.levels), 2), NAMED_LEVELS)
    return 0.1 if feature.kind == "numeric" else 0.1 + 0.18 * -(-named // 4)
