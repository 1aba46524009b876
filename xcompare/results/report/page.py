"""What a page is made of, and how it becomes one HTML file that needs nothing else.

A `Page` is plain data: an answer, a heat map, sections with texts, tables and figures. `render` turns it into
HTML; nothing is computed in the template.
"""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from xcompare.results.plots.style import DASH
from xcompare.results.report import colors

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
    """Scores of methods or measures (columns) and features (lines), for the reader to sort and switch."""

    caption: str
    methods: tuple[str, ...]
    lines: tuple[tuple[str, int, tuple[HeatCell, ...]], ...]  # feature, its place in the data, cells
    notes: tuple[str, ...] = ()
    kind: str = "method"  # what the columns are


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
    style, script = _style(), _source("report.js")
    return template.render(
        page=page,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script if page.heat_map else None),
        legend=colors.legend(),
    )


def _policy(style: str, script: str | None) -> str:
    """What a browser may do with the page: this style and this script, and nothing else."""
    allowed = {
        "default-src": "'none'",
        "style-src": _fingerprint(style),
        "script-src": "'none'" if script is None else _fingerprint(script),
        "img-src": "data:",  # the empty icon, without which browsers ask for one
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{what} {where}" for what, where in allowed.items())


def _fingerprint(content: str) -> str:
    """How a security policy names what stands in the page itself."""
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


@cache
def _style() -> str:
    """The style sheet, with the colours of cells in light and in dark."""
    cell = ".{}{{background:{};color:{}}}\n"
    light = "".join(cell.format(name, back, ink) for name, back, ink, _, _ in colors.shades())
    dark = "".join(cell.format(name, back, ink) for name, _, _, back, ink in colors.shades())
    return f"{_source('report.css')}{light}@media screen and (prefers-color-scheme: dark){{\n{dark}}}\n"


def _source(name: str) -> str:
    """A file of the templates as it is."""
    return files("xcompare.results.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("xcompare.results.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.tests["of_kind"] = lambda block, name: type(block).__name__ == name
    return environment
