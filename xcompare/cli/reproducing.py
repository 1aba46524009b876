"""The command ``reproduce``: reproduce the tables of the paper."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from xcompare.cli import options
from xcompare.cli.console import out
from xcompare.cli.option_groups import Output
from xcompare.cli.running import deliver, fail, store_in

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
REPRODUCE_EXAMPLES = """
Examples:

    xcompare reproduce wine

    xcompare reproduce all --quick
"""


@dataclass(frozen=True)
class ReproductionOutput(Output):
    """What is written and printed, in a folder of its own."""

    out_folder: Annotated[
        Path,
        options.output_option("--out", metavar="DIR", help="Folder for tables, figures and the run store."),
    ] = Path("out", "reproduce")
    figures: options.FiguresOption = "svg,png"


def reproduce(
    context: typer.Context,
    *,
    datasets: DatasetsArgument = None,
    quick: QuickOption = False,
    engine: EngineOption = "python",
    jobs: options.JobsOption = None,
    seed: options.SeedOption = 0,
    fresh: options.FreshOption = False,
    output: ReproductionOutput,
) -> None:
    """Recompute every number in the paper's tables and show the differences.

    Completed runs are saved in run.sqlite; repeating the command computes only what is missing.
    """
    import xcompare

    with store_in(output.out_folder, fresh=fresh, n_comparisons=None) as store:
        found = xcompare.reproduce(
            datasets or "all",
            quick=quick,
            engine=engine,
            n_jobs=jobs,
            random_state=seed,
            store=store,
            progress=not output.quiet,
        )
    deliver(found, context, store, output, show=lambda: show_summary(found))
    if found.cells["ours"].isna().all():
        fail("nothing could run: " + found.failures["message"].iloc[0])


def show_summary(found: "Reproduction") -> None:
    """Print a line per table of the paper, then failures."""
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
    for message, concerned in found.failures.groupby("message", sort=False):
        who = ", ".join(dict.fromkeys(concerned["method"] + " (" + concerned["engine"] + ")"))
        out.print(f"failed: {who}: {message}", style="yellow", soft_wrap=True)
