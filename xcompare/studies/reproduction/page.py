"""The reproduction as an HTML page: summary, tables with differences, figures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from xcompare.results.report import Details, Figure, Figures, Page, Section, Table, figure, text
from xcompare.results.report.colors import deviation
from xcompare.results.report.page import Cell
from xcompare.studies.reproduction.layout import BY_GROUP, OUTSIDE, RULE, TITLE, summary_texts
from xcompare.studies.reproduction.protocol import ONE_DRAW

if TYPE_CHECKING:
    from xcompare.studies.reproduction import Reproduction
    from xcompare.studies.reproduction.figures import PaperFigure

FULL_SHADE = 0.25  # difference with the strongest colour


def make_page(found: "Reproduction", notes: Sequence[str]) -> Page:
    """The page on a reproduction."""
    cells = found.cells
    answer = f"{cells['within'].mean():.1%} of the {len(cells):,} published numbers agree within tolerance."
    summary = Table.of(summary_texts(found.summary), "Agreement by table of the paper.")
    sections = [Section("summary", "Summary", (text(RULE), summary))]
    tables = found.tables
    for dataset in found.datasets:
        note = (text(f"For {', '.join(ONE_DRAW)} {BY_GROUP}"),) if dataset in ONE_DRAW else ()
        blocks = [
            *note,
            *(
                _table(tables[dataset, table], f"{dataset}: {table}")
                for table in ("importance", "clustering")
            ),
            *(Details(one.caption, (_panels(one),)) for one in found.paper_figures(dataset).values()),
        ]
        sections.append(Section(dataset, dataset.capitalize(), tuple(blocks)))
    software = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    return Page(
        title=TITLE,
        subject=found.protocol,
        answer=answer,
        heat_map=None,
        notes=tuple(notes),
        sections=tuple(sections),
        footer=software,
    )


def _table(frame: pd.DataFrame, title: str) -> Table:
    """A table of the paper; differences are coloured, and marked if beyond the tolerance."""
    rows = []
    for name, row in zip(frame.index, frame.itertuples(index=False), strict=True):
        is_difference = name[1].startswith("difference")
        shown = tuple(Cell(value, _shade(value) if is_difference else "", number=True) for value in row)
        # The name of the method only once, before the published numbers.
        rows.append((Cell(name[0] if name[1] == "paper" else ""), Cell(name[1]), *shown))
    return Table(title, ("", "", *map(str, frame.columns)), tuple(rows))


def _shade(difference: str) -> str:
    try:
        return deviation(float(difference.removesuffix(OUTSIDE)), FULL_SHADE)
    except ValueError:  # a dash: no result
        return ""


def _panels(shown: "PaperFigure") -> Figures:
    """The panels of a figure, with their legend."""

    def drawn(name: str) -> Figure:
        return figure(lambda ax: shown.draw(ax, name), name, shown.about.format(name))

    return Figures(tuple(map(drawn, shown.panels)), tuple(shown.legend))
