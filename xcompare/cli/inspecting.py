"""The command ``inspect``: show a table before anything runs."""

from typing import TYPE_CHECKING, Annotated

from xcompare.cli import options
from xcompare.cli.console import out, print_json
from xcompare.cli.option_groups import Source
from xcompare.cli.running import show_notes

if TYPE_CHECKING:
    from xcompare.results.inspection import Inspection

COLUMNS_SHOWN = 60

EveryOption = Annotated[
    bool, options.output_option("--all", help=f"Print all columns, not only the first {COLUMNS_SHOWN}.")
]

INSPECT_EXAMPLES = """
Examples:

    xcompare inspect customers.csv

    xcompare inspect customers.csv --label segment --nominal zip --ordinal 'size: S<M<L'
"""


def inspect(
    data: options.DataArgument,
    source: Source,
    seed: options.SeedOption = 0,
    every: EveryOption = False,
    as_json: options.JsonOption = False,
) -> None:
    """Inspect a table before you compare: kinds of columns, missing values, and what looks odd."""
    from xcompare.results.inspection import inspect_file

    found = inspect_file(data, **source.settings(), seed=seed)
    if as_json:
        print_json(found.to_dict())
    else:
        show_inspection(found, every=every)


def show_inspection(found: "Inspection", *, every: bool) -> None:
    """Print the columns, then what looks odd, then how values were interpreted."""
    from xcompare.cli.tables import grid

    out.print(found.title, style="bold", soft_wrap=True)
    table = grid("column", "kind", "treatment", ">missing", ">distinct", "", "values")
    table.columns[0].overflow = "fold"  # never cut: options take the whole name
    for column in table.columns[1:-1]:
        column.no_wrap = True
    rows = found.to_dict()["columns"]
    shown = rows if every else rows[:COLUMNS_SHOWN]
    for row in shown:
        missing = f"{row['missing'] / found.n_samples:.0%}" if row["missing"] else ""
        cells = [str(row[part]) for part in ("distinct", "histogram", "values")]
        style = "dim" if row["treatment"] == "left out" else None
        table.add_row(row["column"], row["kind"], row["treatment"], missing, *cells, style=style)
    out.print(table)
    if len(shown) < len(rows):
        out.print(f"and {len(rows) - len(shown)} more columns (--all prints them)", style="dim")
    for line in found.odd:
        out.print(f"odd: {line}", style="yellow", soft_wrap=True)
    show_notes(found.notes)
