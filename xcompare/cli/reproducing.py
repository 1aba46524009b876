"""The command ``reproduce``: reproduce the tables of the paper."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from xcompare.cli import options
from xcompare.cli.console import out, print_json, remark
from xcompare.cli.running import fail

if TYPE_CHECKING:
    from xcompare.studies.reproduction import Reproduction

Engine = Literal["python", "r", "both"]

DatasetsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DATASET...",
        help="Datasets of the paper: illustrative, overlap, proportion, correlation, wine, breast."
        " Default: all.",
    ),
]
QuickOption = Annotated[bool, options.run_option("--quick", help="Fewer runs and replicates; takes minutes.")]
EngineOption = Annotated[Engine, options.run_option(help="Engine; both: every table in Python and in R.")]
OutOption = Annotated[
    Path,
    options.output_option(
        "--out", metavar="DIR", help="Folder for tables, figures and the run store."
    )
]  # fmt: skip

REPRODUCE_EXAMPLES = """
Examples:

    xcompare reproduce wine

    xcompare reproduce all --quick
"""


def reproduce(
    datasets: DatasetsArgument = None,
    quick: QuickOption = False,
    engine: EngineOption = "python",
    jobs: options.JobsOption = None,
    seed: options.SeedOption = 0,
    fresh: options.FreshOption = False,
    out_folder: OutOption = Path("out", "reproduce"),
    figures: options.FiguresOption = "svg,png",
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Recompute every number in the paper's tables and show the differences.

    Completed runs are saved in run.sqlite; repeating the command computes only what is missing.
    """
    import xcompare
    from xcompare.cli.output import store_in

    with store_in(out_folder, fresh=fresh, n_comparisons=None):
        found = xcompare.reproduce(
            datasets or "all",
            quick=quick,
            engine=engine,
            out=out_folder,
            figures=options.split_names(figures) or (),
            n_jobs=jobs,
            random_state=seed,
            progress=not quiet,
        )
    if as_json:
        print_json(found.to_dict())
    elif not quiet:
        show_summary(found)
        for message, concerned in found.failures.groupby("message", sort=False):
            who = ", ".join(dict.fromkeys(concerned["method"] + " (" + concerned["engine"] + ")"))
            out.print(f"failed: {who}: {message}", style="yellow", soft_wrap=True)
        remark(
            f"in {out_folder}: reproduction.html, tables.md, summary.csv, cells.csv, figures and run.sqlite"
        )
    if found.cells["ours"].isna().all():
        fail("nothing could run: " + found.failures["message"].iloc[0])


def show_summary(found: "Reproduction") -> None:
    """Print a line per table of the paper."""
    from xcompare.cli.tables import grid
    from xcompare.results.wording import ENGINES

    frame = found.summary.reset_index()
    both = frame["engine"].nunique() > 1
    engine = ("engine",) if both else ()
    table = grid("dataset", "table", *engine, ">cells", ">within", ">largest", "at", ">ranks")
    for row in frame.to_dict(orient="records"):
        table.add_row(
            row["dataset"],
            row["table"],
            *((ENGINES[row["engine"]],) if both else ()),
            f"{row['cells']}",
            f"{row['within']:.1%}",
            f"{row['largest_difference']:.2f}",
            row["worst_cell"],
            f"{row['spearman']:.2f}",
        )
    out.print(table)
    out.print(
        "within: share of cells with |ours - paper| <= max(0.05, 2 sd); largest: difference; ranks: mean"
        f" Spearman correlation with the published rows.\n{found.protocol}",
        style="dim",
    )
