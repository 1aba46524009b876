"""The command ``validate``: compare Python and R on the same inputs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xcompare.cli.console import err, out, print_json
from xcompare.cli.options import JsonOption, QuietOption, SeedOption
from xcompare.cli.running import fail

if TYPE_CHECKING:
    from xcompare.studies.validation import Validation

SILENT_SECONDS = 2.0  # before progress is shown

DatasetsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="DATASET", help="Bundled datasets. Default: all.")
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="Fewer runs and less data for stochastic quantities.")
]
AllOption = Annotated[
    bool, typer.Option("--all", help="Print every dataset, not only the worst of each quantity.")
]

VALIDATE_EXAMPLES = """
Examples:

    xcompare validate

    xcompare validate wine iris --quick

    xcompare validate --json > validation.json
"""


def validate(
    datasets: DatasetsArgument = None,
    quick: QuickOption = False,
    every: AllOption = False,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare Python and R on the same inputs; needs R.

    Exit status 1 if a quantity differs by more than its tolerance.
    """
    import xcompare

    with _counting(show=not quiet and err.is_terminal) as on_check:
        validation = xcompare.validate(datasets or None, quick=quick, seed=seed, on_check=on_check)
    if as_json:
        print_json(validation.to_dict())
    elif not quiet:
        show_validation(validation, every=every)
    if not validation.passed:
        failed = [f"{check.quantity} on {check.dataset}" for check in validation.failures]
        fail(f"{len(failed)} of {len(validation.checks)} comparisons failed: {', '.join(failed)}")


def show_validation(validation: "Validation", *, every: bool) -> None:
    """Print the worst dataset of each quantity, or every line."""
    from rich.text import Text

    from xcompare.cli.tables import grid

    rows = validation.table if every else validation.summary
    # The version of R is printed below the table.
    r_version = f"R {validation.versions['R']}"
    table = grid(
        "quantity", "dataset" if every else "worst on", ">difference", ">tolerance", "verdict", "R engine"
    )
    for row in rows.to_dict(orient="records"):
        style = {"agree": "green", "differ": "bold red", "error": "bold red"}.get(row["verdict"], "dim")
        table.add_row(
            row["quantity"],
            row["dataset"],
            f"{row['largest_difference']:.2g}",
            f"{row['tolerance']:.2g}",
            Text(row["verdict"], style=style),
            row["r"].removeprefix(r_version).removeprefix(", ") or "base R",
        )
    out.print(table)
    for row in rows.to_dict(orient="records"):
        if row["verdict"] != "agree" and row["note"]:
            line = f"{row['verdict']}: {row['quantity']} on {row['dataset']}: {row['note']}"
            out.print(line, style="yellow", soft_wrap=True)
    versions = ", ".join(f"{name} {version}" for name, version in validation.versions.items())
    out.print(f"{len(validation.checks)} comparisons in {validation.seconds:.0f} s; {versions}", style="dim")


@contextmanager
def _counting(*, show: bool) -> Iterator[Callable[[Any], None] | None]:
    """Show the number of completed comparisons on standard error, after a delay."""
    if not show:
        yield None
        return
    started, done = time.monotonic(), 0
    status = err.status("comparing Python and R")

    def count(check: Any) -> None:
        nonlocal done
        done += 1
        seconds = time.monotonic() - started
        status.update(f"{done} comparisons in {seconds:.0f} s, the last: {check.quantity} on {check.dataset}")
        if seconds > SILENT_SECONDS:
            status.start()

    try:
        yield count
    finally:
        status.stop()
