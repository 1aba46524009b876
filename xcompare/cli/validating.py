"""The command ``validate``: compare Python and R on the same inputs."""

from itertools import count
from typing import TYPE_CHECKING, Annotated

import typer

from xcompare.cli.console import SafeConsole, out, print_json
from xcompare.cli.options import JsonOption, QuietOption, SeedOption
from xcompare.cli.running import fail

if TYPE_CHECKING:
    from xcompare.studies.validation import Check, Validation

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

    done = count(1)
    with SafeConsole(stderr=True, quiet=quiet).status("comparing Python and R") as status:

        def on_check(check: "Check") -> None:
            status.update(f"{next(done)} comparisons, the last: {check.quantity} on {check.dataset}")

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
