"""The command ``choose-k``: choose the number of clusters."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcompare.cli import options
from xcompare.cli.console import out
from xcompare.cli.option_groups import OutputWithFigures, Running, SourceWithRoles
from xcompare.cli.running import deliver, read_data, show_failures, show_notes, store_in

if TYPE_CHECKING:
    from xcompare.io.tables import DataTable
    from xcompare.results.choosing_k import KChoice

KsOption = Annotated[
    str | None,
    options.usual_option(
        "--clusters",
        "-k",
        metavar="K,K,...",
        help="Numbers of clusters to try, e.g. 2-10 or 2,3,5; 1 is always included. Default: 2-10.",
    ),
]

CHOOSE_K_EXAMPLES = """
Examples:

    xcompare choose-k wine

    xcompare choose-k cells.csv --drop id --clusters 2-15 --out results/cells
"""


def choose_k(
    context: typer.Context,
    data: options.DataArgument,
    *,
    clusters: KsOption = None,
    missing: options.MissingOption = None,
    source: SourceWithRoles,
    running: Running,
    output: OutputWithFigures,
) -> None:
    """Choose the number of clusters: the best mixture with separated clusters, or one cluster.

    Completed runs are saved in run.sqlite; repeating the command computes only what is missing.
    """
    import xcompare

    ks = None if clusters is None else options.numbers_of_clusters(clusters)
    table = read_data(data, source, missing, running.seed)
    folder = output.out_folder or Path("out", f"{table.name}-choose-k")
    with store_in(folder, fresh=running.fresh) as store:
        found = xcompare.choose_k(
            table,
            ks,
            store=store,
            progress=not output.quiet,
            name=table.name,
            **source.roles(table),
            **running.settings(),
        )
    show = partial(show_choice, found, table)
    deliver(found, context, store, output, show=show, notes=table.notes)


def show_choice(found: "KChoice", data: "DataTable") -> None:
    """Print the answer, then the criteria by number of clusters, with the choice marked."""
    from xcompare.cli.tables import grid

    show_notes(data.notes, found.notes)
    out.print(found.answer, style="bold", soft_wrap=True)
    out.print("density gap in standard errors; * separated\n", style="dim")
    table = grid(">K", ">density gap", ">BIC")
    for row in found.curves.itertuples():
        gap = f"{row.density_gap:.1f}{'*' if row.separated else ' '}"
        table.add_row(str(row.Index), gap, f"{row.bic:.0f}", style="bold" if row.chosen else None)
    out.print(table)
    show_failures(found.failures)
