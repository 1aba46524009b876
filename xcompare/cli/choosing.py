"""The command ``choose-k``: choose the number of clusters."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcompare.cli import options
from xcompare.cli.console import out
from xcompare.cli.running import deliver, kept_when_stopped, read_data, show_failures, show_notes

if TYPE_CHECKING:
    from xcompare.io.tables import DataTable
    from xcompare.results.choosing_k import KChoice

KsOption = Annotated[
    str | None,
    options.run_option(
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
    clusters: KsOption = None,
    label: options.LabelOption = None,
    columns: options.ColumnsOption = None,
    drop: options.DropOption = None,
    nominal: options.NominalOption = None,
    ordinal: options.OrdinalOption = None,
    numeric: options.NumericOption = None,
    date_as: options.DateOption = None,
    missing: options.MissingOption = None,
    no_header: options.HeaderOption = False,
    transpose: options.TransposeOption = False,
    max_size: options.MaxSizeOption = 2.0,
    jobs: options.JobsOption = None,
    seed: options.SeedOption = 0,
    timeout: options.TimeoutOption = None,
    scheduler: options.SchedulerOption = None,
    fresh: options.FreshOption = False,
    out_folder: options.OutOption = None,
    figures: options.FiguresOption = "png",
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Choose the number of clusters: the best mixture with separated clusters, or one cluster.

    Completed runs are saved in run.sqlite; repeating the command computes only what is missing.
    """
    import xcompare
    from xcompare.cli.output import store_in

    ks = None if clusters is None else options.numbers_of_clusters(clusters)
    table = read_data(
        data, label=label, columns=columns, drop=drop, nominal=nominal, ordinal=ordinal, numeric=numeric,
        dates=date_as, missing=missing, header=not no_header,
        transpose=transpose, max_size=max_size, seed=seed,
    )  # fmt: skip
    from xcompare.results.plots.files import check_formats

    drawn = check_formats(options.split_names(figures) or ())
    folder = out_folder or Path("out", f"{table.name}-choose-k")
    with store_in(folder, fresh=fresh) as store, kept_when_stopped(store, 1):
        found = xcompare.choose_k(
            table,
            ks,
            n_jobs=jobs,
            random_state=seed,
            store=store,
            timeout=timeout,
            progress=not quiet,
            name=table.name,
            scheduler=scheduler,
        )
    deliver(
        found,
        context,
        folder,
        show=lambda: show_choice(found, table),
        as_json=as_json,
        quiet=quiet,
        figures=drawn,
        notes=table.notes,
        beside=[store],
    )


def show_choice(found: "KChoice", data: "DataTable") -> None:
    """Print the answer, then the criteria by number of clusters, with the choice marked."""
    from xcompare.cli.tables import grid

    show_notes(data.notes)
    out.print(found.answer, style="bold", soft_wrap=True)
    out.print("density gap in standard errors; * separated\n", style="dim")
    table = grid(">K", ">density gap", ">BIC")
    for row in found.curves.itertuples():
        gap = f"{row.density_gap:.1f}{'*' if row.separated else ' '}"
        table.add_row(str(row.Index), gap, f"{row.bic:.0f}", style="bold" if row.chosen else None)
    out.print(table)
    show_failures(found.failures)
