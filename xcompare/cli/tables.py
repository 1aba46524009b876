"""Results as tables for a terminal of any width."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from xcompare.harness.comparison import Comparison, TableRow

ENGINES = {"python": "Python", "r": "R"}
FEATURES_SHOWN = 40
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


def score_tables(comparison: "Comparison", console: Console) -> Group:
    """Scores and ranks with one line per feature and one column per method and engine.

    As many columns stand side by side as the terminal holds; the others follow below. This way round, names
    of features may be long, and a column is read from top to bottom.
    """
    plain = console.options.ascii_only
    ranks = comparison.ranks.set_axis(range(len(comparison.rows)))
    shown = _features_shown(ranks)
    names = [_cut(comparison.feature_names[feature]) for feature in shown]
    columns = [
        _cells(row.mean[shown], ranks.iloc[number, shown].tolist(), plain)
        for number, row in enumerate(comparison.rows)
    ]
    titles = [_title(row, plain, comparison.shows_engines) for row in comparison.rows]
    widths = [
        max([*map(len, title.plain.splitlines()), *(cell.cell_len for cell in column)])
        for title, column in zip(titles, columns, strict=True)
    ]
    parts: list[RenderableType] = []
    for block in _blocks(widths, console.width - max(map(cell_len, ["feature", *names]))):
        table = grid("feature")
        for number in block:
            table.add_column(titles[number], justify="right", no_wrap=True, vertical="bottom")
        for line, name in enumerate(names):
            table.add_row(Text(name), *(columns[number][line] for number in block))
        parts += [table, ""]
    left = len(comparison.feature_names) - len(shown)
    if left:
        parts.append(Text(f"and {left} more features, which rank lower with every method", style="dim"))
    arrows = "^ v" if plain else "↑ ↓"
    up, down = arrows.split()
    key = f"score and rank of each feature; {up} larger is more important, {down} smaller is"
    return Group(*parts, Text(key, style="dim"))


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
            table.add_row(name[0], ENGINES[name[1]], *[""] * 4, *_judgement(scores), style="dim")
    return table


def _judgement(scores: "pd.Series | None") -> tuple[str, str]:
    return ("", "") if scores is None else (f"{scores['ari_mean']:.2f}", f"{scores['fm_mean']:.2f}")


def _by_row(frame: "pd.DataFrame", comparison: "Comparison") -> dict[tuple[str, str], "pd.Series"]:
    """Lines of a frame by method and engine; the engine is left out where all have the same."""
    engine = comparison.rows[0].engine
    keys = frame.index if comparison.shows_engines else [(name, engine) for name in frame.index]
    return {(name, of): line for (name, of), (_, line) in zip(keys, frame.iterrows(), strict=True)}


def _blocks(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Columns that fit side by side, each with a gap of two."""
    block: list[int] = []
    used = 0
    for column, width in enumerate(widths):
        if block and used + width + 2 > room:
            yield block
            block, used = [], 0
        block.append(column)
        used += width + 2
    if block:
        yield block


def _features_shown(ranks: "pd.DataFrame") -> list[int]:
    """Positions of all features; of very many, those that rank best with some method."""
    best = ranks.map(_first_rank).min().to_numpy()
    return sorted(best.argsort(kind="stable")[:FEATURES_SHOWN].tolist())


def _cells(scores: "np.ndarray", ranks: list[str], plain: bool) -> list[Text]:
    """Bars, scores and ranks of a column, e.g. ``▅ 0.55  7``; dashes where the method failed."""
    width = max(map(len, ranks))
    cells = []
    for score, rank in zip(scores, ranks, strict=True):
        if math.isnan(score):
            cells.append(Text("-", style="dim"))
            continue
        place = _first_rank(rank)
        style = RANK_STYLES[place - 1] if place <= len(RANK_STYLES) else ""
        level = round(min(max(score, 0.0), 1.0) * (len(BARS) - 1))
        bar = "" if plain else f"{BARS[level]} "
        cells.append(Text(f"{bar}{score:.2f} {rank:>{width}}", style=style))
    return cells


def _title(row: "TableRow", plain: bool, engine: bool) -> Text:
    """Method and which way it reads, over its engine; a long name takes two lines."""
    up, down = ("^", "v") if plain else ("↑", "↓")
    name = row.name if len(row.name) <= LONGEST_TITLE else "\n".join(row.name.rsplit("_", 1))
    return Text(
        f"{name} {up if row.larger_is_better else down}" + (f"\n{ENGINES[row.engine]}" if engine else "")
    )


def _first_rank(rank: str) -> int:
    """5 of ``"5/6"`` or ``"5-7"``, which are ties; beyond all places when there is none."""
    number = re.match(r"\d+", rank)
    return int(number[0]) if number else 10**9


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."
