"""What a page is made of, and how it becomes one HTML file that needs nothing else.

A `Page` is plain data: an answer, a heat map, sections with texts, tables and figures. `render` turns it into
HTML; nothing is computed in the template.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from xcompare.plots.style import DASH
from xcompare.report import colors

DIGITS = 2


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, a class for its colour, and what is said on hover."""

    text: str
    shade: str = ""
    title: str = ""
    number: bool = False


@dataclass(frozen=True)
class Table:
    """A table. The first column names the rows."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    slanted: bool = False  # column names written upwards, where there are many

    @classmethod
    def of(cls, frame: pd.DataFrame, caption: str, *, digits: int = DIGITS) -> "Table":
        """A data frame as it stands, its index left out; numbers rounded, NaN as a dash."""
        rows = tuple(tuple(cell(value, digits) for value in row) for row in frame.itertuples(index=False))
        return cls(caption, tuple(map(str, frame.columns)), rows)


@dataclass(frozen=True)
class Figure:
    """An SVG drawing; its title is shown above it, the description read out in its place."""

    svg: Markup
    title: str
    description: str


@dataclass(frozen=True)
class Figures:
    """Figures side by side, as many as fit, with the colours they share explained once above."""

    figures: tuple[Figure, ...]
    legend: tuple[tuple[str, str], ...] = ()  # colour and text
    wide: bool = False


@dataclass(frozen=True)
class Text:
    """A paragraph, or the items of a list, or something to copy into a terminal."""

    lines: tuple[str, ...]
    kind: str = "paragraph"  # "paragraph", "list" or "code"


@dataclass(frozen=True)
class Details:
    """Blocks that open when asked for."""

    summary: str
    blocks: "tuple[Block, ...]"


Block = Table | Figures | Text | Details


@dataclass(frozen=True)
class Section:
    """A part of the page; its key is its address within the page."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class HeatCell:
    """One score of the heat map: what it shows in each view, and by what it is sorted."""

    mean: str
    rank: str
    sd: str
    mean_level: int | None
    sd_level: int | None
    key: float | None
    title: str


@dataclass(frozen=True)
class HeatMap:
    """Scores of methods (columns) and features (lines), to be sorted and switched by the reader."""

    caption: str
    methods: tuple[tuple[str, bool], ...]  # name, and whether larger is more important
    lines: tuple[tuple[str, int, tuple[HeatCell, ...]], ...]  # feature, its place in the data, cells
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A whole page."""

    title: str
    subject: str
    answer: str
    heat_map: HeatMap | None
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    footer: str = field(default="")


def cell(value: Any, digits: int = DIGITS) -> Cell:
    """A value as people read it."""
    if isinstance(value, float | np.floating):
        return Cell(DASH if np.isnan(value) else f"{value:.{digits}f}", number=True)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return Cell(str(value), number=True)
    return Cell(str(value))


def text(*lines: str) -> Text:
    """A paragraph."""
    return Text(lines)


def listed(lines: Sequence[str]) -> Text:
    """A list."""
    return Text(tuple(lines), "list")


def code(lines: Sequence[str]) -> Text:
    """Something to copy."""
    return Text(tuple(lines), "code")


def render(page: Page) -> str:
    """The page as HTML. Whatever the data contains is shown as text, never read as markup."""
    template = _environment().get_template("report.html.j2")
    return template.render(page=page, shades=colors.shades(), legend=colors.legend())


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("xcompare.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.tests["of_kind"] = lambda block, name: type(block).__name__ == name
    return environment
