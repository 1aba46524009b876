"""The command ``compare``, and what other commands that run methods share with it."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcompare.cli import options
from xcompare.cli.console import command_line, complain, out, print_json, remark
from xcompare.exceptions import DataError

if TYPE_CHECKING:
    import pandas as pd

    from xcompare.cli.reading import Table
    from xcompare.comparison.result import Comparison

FAILED, INTERRUPTED = 1, 130
WARNINGS_SHOWN = 5

MethodsOption = Annotated[
    str,
    typer.Option(metavar="A,B,...", help="Names from: xcompare methods.", rich_help_panel=options.RUN),
]
MaxFeaturesOption = Annotated[
    str | None,
    typer.Option(
        metavar="M",
        help="Features a replica draws, for methods that draw some: a number, or a share of them as in 0.5."
        " Default: all but one.",
        rich_help_panel=options.RUN,
        show_default=False,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="A,B,...",
        help="Files to write, of csv, latex, markdown, parquet. Default: all.",
        rich_help_panel=options.OUTPUT,
        show_default=False,
    ),
]

COMPARE_EXAMPLES = """
Examples:

    xcompare compare wine

    xcompare compare wine --engine both --runs 50 --out results/wine

    xcompare compare cells.csv --label type --drop id --missing drop

    cut -f 2-9 cells.tsv | xcompare compare - -k 4 --json
"""


def compare(
    context: typer.Context,
    data: options.DataArgument,
    clusters: options.ClustersOption = None,
    label: options.LabelOption = None,
    columns: options.ColumnsOption = None,
    drop: options.DropOption = None,
    missing: options.MissingOption = None,
    methods: MethodsOption = "all",
    engine: options.EngineOption = "auto",
    runs: options.RunsOption = 20,
    max_features: MaxFeaturesOption = None,
    jobs: options.JobsOption = None,
    seed: options.SeedOption = 0,
    timeout: options.TimeoutOption = None,
    scheduler: options.SchedulerOption = None,
    fresh: options.FreshOption = False,
    normalize: options.NormalizeOption = "paper",
    flip: options.FlipOption = False,
    out_folder: options.OutOption = None,
    formats: FormatOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Every method side by side on one dataset: which features made the clusters?

    Finished runs are kept at once in run.sqlite: the same command again computes only what is missing.
    """
    import xcompare
    from xcompare.cli.output import check_formats, comparison_json, store_in, write_outputs
    from xcompare.cli.reading import read_table

    wanted = check_formats(options.split_names(formats))
    sizes = options.subspace_sizes(max_features)
    if len(sizes) > 1:
        raise DataError(
            f"--max-features takes one number here; for several: xcompare sweep {shlex.quote(data)}"
        )
    table = read_table(
        data,
        label=label,
        columns=options.split_names(columns),
        drop=options.split_names(drop),
        missing=missing,
        seed=seed,
    )
    folder = out_folder or Path("out", table.name)
    with store_in(folder, fresh=fresh) as store, kept_when_stopped(store):
        comparison = xcompare.compare(
            table.X,
            number_of_clusters(clusters, table),
            methods=methods,
            engine=engine,
            n_runs=runs,
            max_features=sizes[0] if sizes else None,
            y_true=table.labels,
            n_jobs=jobs,
            random_state=seed,
            store=store,
            timeout=timeout,
            progress=not quiet,
            normalize=normalize,
            flip=flip,
            name=table.name,
            scheduler=scheduler,
        )
    files = write_outputs(comparison, folder, wanted, command=command_line(context), notes=table.notes)
    if as_json:
        print_json(comparison_json(comparison, table, files))
    elif not quiet:
        show_comparison(comparison, table)
        remark(f"in {folder}: {', '.join(file.name for file in [*files, store])}")
    if comparison.table.isna().all(axis=None):
        complain("no method could run: " + comparison.failures["message"].iloc[0])
        raise typer.Exit(FAILED)


def show_comparison(comparison: "Comparison", data: "Table") -> None:
    """Print the tables, then what there is to know about them."""
    from xcompare.cli.tables import arrows_key, comparison_columns, method_table, score_tables

    for note in data.notes:
        remark(f"note: {note}")
    out.print(f"{comparison.caption}\n", style="bold")
    out.print(score_tables(comparison.feature_names, comparison_columns(comparison, out), out))
    out.print(arrows_key(out), end="\n\n")
    out.print(method_table(comparison))
    show_failures(comparison.failures)
    show_warnings(comparison.warnings)


def show_failures(failures: "pd.DataFrame") -> None:
    """What did not run and why, one line for each reason."""
    for (status, message), concerned in failures.groupby(["status", "message"], sort=False):
        out.print(f"{status}: {_who(concerned)}: {message}", style="yellow", soft_wrap=True)


def show_warnings(warned: "pd.DataFrame") -> None:
    """The first few warnings, one line for each text."""
    texts = list(warned.groupby("message", sort=False))
    for message, concerned in texts[:WARNINGS_SHOWN]:
        remark(f"warning: {_who(concerned)}: {message}")
    if len(texts) > WARNINGS_SHOWN:
        remark(f"and {len(texts) - WARNINGS_SHOWN} more warnings (--json lists all)")


def _who(concerned: "pd.DataFrame") -> str:
    """Methods with engine and number of runs, e.g. ``ls (r, 1 run), fgkm (r, 20 runs)``."""
    rows = concerned.to_dict(orient="records")
    return ", ".join(
        f"{row['method']} ({row['engine']}, {row['runs']} run{'s' if row['runs'] > 1 else ''})"
        for row in rows
    )


def number_of_clusters(clusters: int | None, table: "Table") -> int:
    """What was asked for, or what the data say themselves."""
    found = table.n_clusters if clusters is None else clusters
    if found is None:
        raise DataError(
            "how many clusters? give --clusters K, or --label COLUMN with the ground truth to take its number"
        )
    return found


@contextmanager
def kept_when_stopped(store: Path, n_comparisons: int = 1) -> Iterator[None]:
    """On Ctrl-C say in one line what is kept and how to go on."""
    from xcompare import list_runs

    try:
        yield
    except KeyboardInterrupt:
        if not store.exists():
            complain("stopped before anything ran")
        else:
            latest = list_runs(store).iloc[:n_comparisons]
            kept = f"{latest['done'].sum()} of {latest['units'].sum()} runs are kept in {store}"
            complain(f"stopped; {kept}, and the same command goes on from there")
        raise typer.Exit(INTERRUPTED) from None
