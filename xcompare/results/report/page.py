"""`Page` and its parts, and `render`, which turns it into one self-contained HTML file.

A `Page` is plain data: an answer, a heat map, sections with texts, tables and figures. Nothing is computed in
the template.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Literal, get_args

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from xcompare.core.checks import check_choice
from xcompare.results.report import colors
from xcompare.results.wording import DASH

DIGITS = 2
Audience = Literal["summary", "full"]


@dataclass(frozen=True)
class Cell:
    """A table cell: text, CSS class for its colour, and tooltip."""

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
    slanted: bool = False  # vertical column names, for many columns

    @classmethod
    def of(cls, frame: pd.DataFrame, caption: str, *, digits: int = DIGITS) -> "Table":
        """A data frame without its index; numbers rounded, NaN as a dash."""
        rows = tuple(tuple(cell(value, digits) for value in row) for row in frame.itertuples(index=False))
        return cls(caption, tuple(map(str, frame.columns)), rows)

    @classmethod
    def indexed(
        cls,
        frame: pd.DataFrame,
        caption: str,
        cell: Callable[[Any, Any, Any], Cell],
        *,
        first: str = "Feature",
        slanted: bool = False,
    ) -> "Table":
        """A data frame with its index as first column; ``cell`` gets a value, its row and its column."""
        rows = tuple(
            (Cell(str(name)), *(cell(value, name, column) for column, value in zip(frame, line, strict=True)))
            for name, line in zip(frame.index, frame.to_numpy(), strict=True)
        )
        return cls(caption, (first, *map(str, frame.columns)), rows, slanted)


@dataclass(frozen=True)
class Figure:
    """An SVG figure with its title and its description for screen readers."""

    svg: Markup
    title: str
    description: str


@dataclass(frozen=True)
class Figures:
    """Figures side by side, with a shared legend above."""

    figures: tuple[Figure, ...]
    legend: tuple[tuple[str, str], ...] = ()  # colour and text
    wide: bool = False


@dataclass(frozen=True)
class Text:
    """A paragraph, a list or a code block."""

    lines: tuple[str, ...]
    kind: str = "paragraph"  # "paragraph", "list" or "code"


@dataclass(frozen=True)
class Details:
    """Collapsible blocks."""

    summary: str
    blocks: "tuple[Block, ...]"


@dataclass(frozen=True)
class Card:
    """A titled box of sentences."""

    title: str
    subtitle: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Cards:
    """Boxes side by side."""

    cards: tuple[Card, ...]


Block = Table | Figures | Text | Details | Cards


@dataclass(frozen=True)
class Section:
    """A section of the page; its key is the HTML anchor."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class HeatCell:
    """One cell of the heat map: text and level in each view, and sort key."""

    mean: str
    rank: str
    sd: str
    mean_level: int | None
    sd_level: int | None
    key: float | None
    title: str


@dataclass(frozen=True)
class HeatMap:
    """Interactive table of scores: features by methods or measures."""

    caption: str
    methods: tuple[str, ...]
    lines: tuple[tuple[str, int, tuple[HeatCell, ...]], ...]  # feature, its index in the data, cells
    notes: tuple[str, ...] = ()
    kind: str = "method"  # "method" or "measure"


@dataclass(frozen=True)
class Page:
    """A whole page.

    Attributes
    ----------
    title, subject, answer : str
        ``answer`` is the heading.
    heat_map : HeatMap or None
    sections : tuple of Section
    notes : tuple of str, default=()
    footer : str, default=""
    lead : str, default=""
        Follows the heading.
    opening : tuple of Section, default=()
        For all readers; the subject, the notes, the heat map and the sections come after it, and are left
        out of a summary.
    """

    title: str
    subject: str
    answer: str
    heat_map: HeatMap | None
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    footer: str = ""
    lead: str = ""
    opening: tuple[Section, ...] = ()

    def for_audience(self, audience: Audience) -> "Page":
        """The page for these readers; without an opening, "summary" is the same as "full"."""
        check_audience(audience)
        if audience == "full" or not self.opening:
            return self
        return replace(self, heat_map=None, sections=())


def check_audience(audience: str) -> None:
    """Raise ``UnknownNameError`` for an unknown audience."""
    check_choice("audience", audience, get_args(Audience))


def cell(value: Any, digits: int = DIGITS) -> Cell:
    """A value formatted for display."""
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
    """A code block."""
    return Text(tuple(lines), "code")


def render(page: Page) -> str:
    """The page as HTML, with all text escaped."""
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
    """Content security policy: only this style sheet and this script."""
    allowed = {
        "default-src": "'none'",
        "style-src": _fingerprint(style),
        "script-src": "'none'" if script is None else _fingerprint(script),
        "img-src": "data:",  # the empty icon, so that browsers do not request one
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{what} {where}" for what, where in allowed.items())


def _fingerprint(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


@cache
def _style() -> str:
    """The style sheet, with the cell colours in light and dark mode."""
    cell = ".{}{{background:{};color:{}}}\n"
    light = "".join(cell.format(name, back, ink) for name, back, ink, _, _ in colors.shades())
    dark = "".join(cell.format(name, back, ink) for name, _, _, back, ink in colors.shades())
    return f"{_source('report.css')}{light}@media screen and (prefers-color-scheme: dark){{\n{dark}}}\n"


def _source(name: str) -> str:
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
