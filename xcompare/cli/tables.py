"""Results as tables for a terminal of any width."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from xcompare.escaping import one_line

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from xcompare.comparison.result import Comparison

ENGINES = {"python": "Python", "r": "R"}
FEATURES_SHOWN = 40
GAP = 2  # between two columns
LONGEST_NAME, LONGEST_TITLE = 24, 11
BARS = " ▁▂▃▄▅▆▇█"
# From the most important feature down; the rest stays plain.
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


@dataclass(frozen=True, eq=False)
class Column:
    """Scores to show: one per feature, with their ranks; NaN for a method that failed."""

    title: str
    scores: "np.ndarray"
    ranks: Sequence[str]


def comparison_columns(comparison: "Comparison", console: Console) -> list[Column]:
    """A column per method and engine, with an arrow that says which way it reads."""
    up, down = _arrows(console)
    columns = []
    for row, ranks in zip(comparison.rows, comparison.ranks.to_numpy().tolist(), strict=True):
        name = row.name if len(row.name) <= LONGEST_TITLE else "\n".join(row.name.rsplit("_", 1))
        engine = f"\n{ENGINES[row.engine]}" if comparison.shows_engines else ""
        columns.append(Column(f"{name} {up if row.larger_is_better else down}{engine}", row.mean, ranks))
    return columns


def score_tables(
    names: Sequence[str], columns: Sequence[Column], console: Console, *, ranks: bool = True
) -> Group:
    """Scores, and ranks if wanted, with one line per feature.

    As many columns stand side by side as the terminal holds; the others follow below. This way round, names
    of features may be long, and a column is read from top to bottom.
    """
    plain = console.options.ascii_only
    shown = _features_shown(columns, len(names))
    labels = [_cut(names[feature]) for feature in shown]
    texts = [_cells(column, shown, ranks, plain) for column in columns]
    widths = [
        max([*map(len, column.title.splitlines()), *(cell.cell_len for cell in cells)])
        for column, cells in zip(columns, texts, strict=True)
    ]
    parts: list[RenderableType] = []
    for block in _blocks(widths, console.width - max(map(cell_len, ["feature", *labels]))):
        table = grid("feature")
        for number in block:
            title = Text(columns[number].title)
            table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
        for line, label in enumerate(labels):
            table.add_row(Text(label), *(texts[number][line] for number in block))
        parts += [table, ""]
    left = len(names) - len(shown)
    if left:
        parts.append(Text(f"and {left} more features, which never rank higher", style="dim"))
    return Group(*parts)


def arrows_key(console: Console) -> Text:
    """What the arrows over the columns mean."""
    up, down = _arrows(console)
    key = f"score and rank of each feature; {up} larger is more important, {down} smaller is"
    return Text(key, style="dim")


def method_table(comparison: "Comparison") -> Table:
    """How each column of scores came about: software, scaling, runs, time, and how good its partitions."""
    judged = comparison.labels is not None
    table = grid(
        "method", "engine", "software", "scaled by", ">runs", ">s/run", *([">ARI", ">FM"] if judged else [])
    )
    timings = _by_row(comparison.timings, comparison)
    clustering = _by_row(comparison.clustering, comparison)
    for row in comparison.rows:
        # A variant is another reading of a method's runs: its time and partitions are the method's.
        took = timings.get((row.name, row.engine))
        scores = clustering.get((row.name, row.engine))
        table.add_row(
            row.name,
            ENGINES[row.engine],
            row.software or "-",
            row.normalization,
            str(len(row.runs)),
            "" if took is None else f"{took['mean']:.2f}",
            *(_judgement(scores) if judged else ()),
        )
    for name, scores in clustering.items():
        if name not in {(row.name, row.engine) for row in comparison.rows}:
            # Plain clusterings have no other engine.
            table.add_row(name[0], ENGINES["python"], *[""] * 4, *_judgement(scores), style="dim")
    return table


def _judgement(scores: "pd.Series | None") -> tuple[str, str]:
    return ("", "") if scores is None else (f"{scores['ari_mean']:z.2f}", f"{scores['fm_mean']:z.2f}")


def _by_row(frame: "pd.DataFrame", comparison: "Comparison") -> dict[tuple[str, str], "pd.Series"]:
    """Lines of a frame by method and engine; the engine is left out where all have the same."""
    engine = comparison.rows[0].engine
    keys = frame.index if comparison.shows_engines else [(name, engine) for name in frame.index]
    return {(name, of): line for (name, of), (_, line) in zip(keys, frame.iterrows(), strict=True)}


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns that fit side by side, in as few blocks as possible and those about equally wide."""
    fewest = len(_filled(widths, room))
    limits = range(max(widths, default=0) + GAP, max(room, 1))
    return next(
        (blocks for limit in limits if len(blocks := _filled(widths, limit)) == fewest), _filled(widths, room)
    )


def _filled(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns in blocks, each filled before the next is begun; never an empty one."""
    blocks: list[list[int]] = []
    used = room
    for column, width in enumerate(widths):
        if used + width + GAP > room:
            blocks.append([])
            used = 0
        blocks[-1].append(column)
        used += width + GAP
    return blocks


def _features_shown(columns: Sequence[Column], n_features: int) -> list[int]:
    """Positions of all features; of very many, those that rank best in some column."""
    best = [min(_first_rank(column.ranks[feature]) for column in columns) for feature in range(n_features)]
    return sorted(sorted(range(n_features), key=best.__getitem__)[:FEATURES_SHOWN])


def _cells(column: Column, shown: Sequence[int], ranks: bool, plain: bool) -> list[Text]:
    """Bars, scores and ranks, e.g. ``▅ 0.55  7``; dashes where the method failed."""
    width = max(len(column.ranks[feature]) for feature in shown)
    cells = []
    for feature in shown:
        score, rank = column.scores[feature], column.ranks[feature]
        if math.isnan(score):
            cells.append(Text("-", style="dim"))
            continue
        place = _first_rank(rank)
        style = RANK_STYLES[place - 1] if place <= len(RANK_STYLES) else ""
        level = round(min(max(score, 0.0), 1.0) * (len(BARS) - 1))
        bar = "" if plain else f"{BARS[level]} "
        cells.append(Text(f"{bar}{score:.2f}" + (f" {rank:>{width}}" if ranks else ""), style=style))
    return cells


def _arrows(console: Console) -> tuple[str, str]:
    return ("^", "v") if console.options.ascii_only else ("↑", "↓")


def _first_rank(rank: str) -> int:
    """5 of ``"5/6"`` or ``"5-7"``, which are ties; beyond all places when there is none."""
    number = re.match(r"\d+", rank)
    return int(number[0]) if number else 10**9


def _cut(name: str) -> str:
    """A name on one line, cut to the room there is for names."""
    name = one_line(name)
    return name if cell_len(name) <= LONGEST_NAME else f"{set_cell_size(name, LONGEST_NAME - 3)}..."
