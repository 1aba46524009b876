"""Results as tables for a terminal of any width."""

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from xcompare.core.escaping import one_line
from xcompare.results.wording import BARS, ENGINES

if TYPE_CHECKING:
    import pandas as pd

    from xcompare.results.comparison import Comparison
    from xcompare.results.explanation import Explanation
    from xcompare.results.significance import Significance
    from xcompare.results.table import TableRow

FEATURES_SHOWN = 20
GAP = 2  # between two columns
LONGEST_NAME, LONGEST_TITLE = 24, 11
Columns = Sequence[tuple[str, "TableRow"]]  # each with its title
# Styles of the top ranks; others are plain.
RANK_STYLES = ("bold green", "green", "green")


def grid(*headings: str, title: str | None = None) -> Table:
    """An empty table; a heading that starts with ``>`` is right-aligned."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        show_edge=False,
        title=title,
        title_justify="left",
        title_style="bold",
    )
    for heading in headings:
        right = heading.startswith(">")
        table.add_column(heading.removeprefix(">"), justify="right" if right else "left", vertical="top")
    return table


def comparison_columns(comparison: "Comparison", console: Console, *, variants: bool = False) -> "Columns":
    """A column per method and engine, with an arrow for its direction."""
    up, down = _arrows(console)
    columns = []
    shown = comparison.rows if variants else comparison.method_rows
    for row in shown:
        name = row.name if len(row.name) <= LONGEST_TITLE else "\n".join(row.name.rsplit("_", 1))
        engine = f"\n{ENGINES[row.engine]}" if comparison.shows_engines else ""
        title = f"{name} {up if row.larger_is_better else down}{engine}"
        columns.append((title, row))
    return columns


def score_tables(
    names: Sequence[str],
    columns: "Columns",
    console: Console,
    *,
    order: Sequence[str],
    every: bool = False,
    ranks: bool = True,
) -> Group:
    """Print scores, optionally with ranks, one line per feature in this order; the first 20 unless ``every``.

    Columns that do not fit the terminal follow below. Features are rows because their names may be long.
    """
    plain = console.options.ascii_only
    places = {name: at for at, name in enumerate(names)}
    shown = [places[name] for name in order][: None if every else FEATURES_SHOWN]
    labels = [_cut(names[feature]) for feature in shown]
    texts = [_cells(row, shown, ranks, plain) for _, row in columns]
    widths = [
        max([*map(len, title.splitlines()), *(cell.cell_len for cell in cells)])
        for (title, _), cells in zip(columns, texts, strict=True)
    ]
    parts: list[RenderableType] = []
    for block in _blocks(widths, console.width - max(map(cell_len, ["feature", *labels]))):
        table = grid("feature")
        for number in block:
            title = Text(columns[number][0])
            table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
        for line, label in enumerate(labels):
            table.add_row(Text(label), *(texts[number][line] for number in block))
        parts += [table, ""]
    left = len(names) - len(shown)
    if left:
        parts.append(Text(f"and {left} more features, which rank lower overall (--all shows them)", "dim"))
    return Group(*parts)


def effect_tables(effects: "pd.DataFrame") -> Group:
    """Features of each contrast with their effect sizes, in the units of the data."""
    from xcompare.results import wording
    from xcompare.results.effect_sizes import titles_of

    parts: list[RenderableType] = []
    for (cluster, reference), some in effects.groupby(["cluster", "reference"], sort=False):
        title = f"{one_line(wording.named(cluster))} against {one_line(wording.named(reference))}"
        table = grid("feature", ">here", ">there", ">difference", ">size", "condition", ">covers", ">pure",
                     title=title)  # fmt: skip
        for effect in some.assign(feature=titles_of(some)).to_dict(orient="records"):
            here, there = wording.value_texts(effect)
            shares = (wording.share(effect[name]) for name in ("coverage", "purity"))
            cells = (here, there, wording.difference_text(effect), wording.size_text(effect))
            table.add_row(
                Text(_cut(effect["feature"])),
                *map(Text, cells),
                Text(wording.condition_text(effect)),
                *shares,
            )
        parts += [table, ""]
    said = (
        "means (medians of heavy-tailed features), or the share of the most over-represented level; size:"
        " Cliff's delta, or Cramér's V (V); then the best single condition, the share of the cluster it"
        " covers and how pure it is"
    )
    return Group(*parts, Text(said, "dim"), "")


def arrows_key(columns: "Columns", console: Console) -> Text:
    """Legend of the bars and arrows."""
    up, down = _arrows(console)
    key = "score and rank, most important feature first; a longer bar is more important"
    if console.options.ascii_only:
        key = "score and rank, most important feature first"
    if any(f" {down}" in title for title, _ in columns):
        key += f"\n{up} a larger score is more important, {down} a smaller one is"
    return Text(key, style="dim")


def significance_table(significance: "Significance", *, every: bool = False) -> Group:
    """Print importance, p- and q-values and verdict of each feature.

    Most important feature first; the first 20 unless ``every``.
    """
    table = grid("feature", ">importance", ">p associated", ">p modes", ">q", "verdict")
    found = significance.table.sort_values("importance", ascending=False, kind="stable")
    verdicts = found["verdict"]
    found = found if every else found.head(FEATURES_SHOWN)
    shown = found[["importance", "p_associated", "p_modes", "q"]]
    for name, values, verdict in zip(found.index, shown.to_numpy(), found["verdict"], strict=True):
        numbers = [f"{value:.3f}" for value in values]
        table.add_row(one_line(name), *numbers, verdict, style="dim" if verdict == "noise" else None)
    rest = verdicts.iloc[len(found) :].value_counts().to_dict()
    if not rest:
        return Group(table)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in rest.items())
    return Group(table, Text(f"and {sum(rest.values())} more features: {counts} (--all shows them)", "dim"))


def validated_table(explanation: "Explanation", *, every: bool = False) -> Group:
    """p- and q-values of each feature for clusters found again, the smallest first; 20 unless ``every``."""
    assert explanation.validated is not None
    found = explanation.validated.sort_values("p", kind="stable")
    shown = found if every else found.head(FEATURES_SHOWN)
    table = grid("feature", ">p", ">q")
    for name, p, q in shown[["p", "q"]].itertuples(name=None):
        table.add_row(one_line(str(name)), f"{p:.3f}", f"{q:.3f}", style="dim" if q > 0.05 else None)
    rest = len(found) - len(shown)
    return Group(table, *([Text(f"and {rest} more features (--all shows them)", "dim")] if rest else []))


def method_table(comparison: "Comparison", *, verbose: bool = False) -> Table:
    """Print runs, times and partition quality by method, optionally with software and normalization."""
    judged = comparison.labels is not None
    how = ["software", "scaled by"] if verbose else []
    table = grid("method", "engine", *how, ">runs", ">s/run", *([">ARI", ">FM"] if judged else []))
    seconds = comparison.timings["mean"].to_dict()
    clustering = dict(comparison.clustering.iterrows())
    for row in comparison.rows if verbose else comparison.method_rows:
        key = comparison.key(row)
        # A variant uses the runs of its method, so it has no times or partitions of its own.
        table.add_row(
            row.name,
            ENGINES[row.engine],
            *([row.software or "-", row.normalization] if verbose else []),
            str(len(row.runs)),
            f"{seconds[key]:.2f}" if key in seconds else "",
            *(_judgement(clustering.get(key)) if judged else ()),
        )
    shown = {comparison.key(row) for row in comparison.rows}
    for key, scores in clustering.items():
        if key not in shown:
            # Plain clusterings have a single engine.
            name, empty = key[0] if isinstance(key, tuple) else key, [""] * (len(how) + 2)
            table.add_row(str(name), ENGINES["python"], *empty, *_judgement(scores), style="dim")
    return table


def _judgement(scores: "pd.Series | None") -> tuple[str, str]:
    return ("", "") if scores is None else (f"{scores['ari_mean']:z.2f}", f"{scores['fm_mean']:z.2f}")


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    """Split columns into as few blocks as fit the width, about equally wide."""
    fewest = len(_filled(widths, room))
    limits = range(max(widths, default=0) + GAP, max(room, 1))
    return next(
        (blocks for limit in limits if len(blocks := _filled(widths, limit)) == fewest), _filled(widths, room)
    )


def _filled(widths: Sequence[int], room: int) -> list[list[int]]:
    """Split columns into blocks greedily; no block is empty."""
    blocks: list[list[int]] = []
    used = room
    for column, width in enumerate(widths):
        if used + width + GAP > room:
            blocks.append([])
            used = 0
        blocks[-1].append(column)
        used += width + GAP
    return blocks


def _cells(row: "TableRow", shown: Sequence[int], ranks: bool, plain: bool) -> list[Text]:
    """Bars of the importance, scores and ranks, e.g. ``▅ 0.55  7``; dashes where the method failed."""
    from xcompare.results.table import rank_texts

    scores, importance = row.mean, row.importance
    places = rank_texts(scores, row.larger_is_better)
    width = max(len(places[feature]) for feature in shown)
    longest = max(importance) or 1.0
    cells = []
    for feature in shown:
        score, rank = scores[feature], places[feature]
        if math.isnan(score):
            cells.append(Text("-", style="dim"))
            continue
        place = _first_rank(rank)
        style = RANK_STYLES[place - 1] if place <= len(RANK_STYLES) else ""
        level = round(max(importance[feature] / longest, 0.0) * (len(BARS) - 1))
        bar = "" if plain else f"{BARS[level]} "
        cells.append(Text(f"{bar}{score:.2f}" + (f" {rank:>{width}}" if ranks else ""), style=style))
    return cells


def _arrows(console: Console) -> tuple[str, str]:
    return ("^", "v") if console.options.ascii_only else ("↑", "↓")


def _first_rank(rank: str) -> int:
    """First rank of a tie such as ``"5/6"`` or ``"5-7"``; larger than all ranks if there is none."""
    number = re.match(r"\d+", rank)
    return int(number[0]) if number else 10**9


def _cut(name: str) -> str:
    """A name on one line, truncated to `LONGEST_NAME`."""
    name = one_line(name)
    return name if cell_len(name) <= LONGEST_NAME else f"{set_cell_size(name, LONGEST_NAME - 3)}..."
