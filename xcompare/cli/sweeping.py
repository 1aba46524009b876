"""The command ``sweep``: sensitivity to ``max_features`` or to K."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcompare.cli import options
from xcompare.cli.console import out
from xcompare.cli.option_groups import OutputWithFigures, Running, Setup, Source
from xcompare.cli.running import (
    deliver,
    fail_if_empty,
    number_of_clusters,
    read_data,
    show_failures,
    show_notes,
    store_in,
)

if TYPE_CHECKING:
    from xcompare.io.tables import DataTable
    from xcompare.results.sweep import Sweep

SIZES = 6

ClustersOption = Annotated[
    str | None,
    options.usual_option(
        "--clusters",
        "-k",
        metavar="K,K,...",
        help="Numbers of clusters to vary, e.g. 2-6 or 2,3,5; a single number, or auto, to vary"
        " --max-features instead. Default: the number of distinct labels.",
    ),
]
SizesOption = Annotated[
    str | None,
    options.usual_option(
        "--max-features",
        metavar="M,M,...",
        help="Numbers or fractions of features per replicate. Default: six values from 2 to all but one.",
    ),
]
MethodsOption = Annotated[
    str,
    options.usual_option(
        metavar="A,B,...", help="Methods; when varying --max-features, only those that draw feature subsets."
    ),
]

SWEEP_EXAMPLES = """
Examples:

    xcompare sweep wine

    xcompare sweep wine --max-features 4,8,12 --methods efron,bbc --runs 50

    xcompare sweep wine --clusters 2-6
"""


def sweep(
    context: typer.Context,
    data: options.DataArgument,
    *,
    clusters: ClustersOption = None,
    max_features: SizesOption = None,
    methods: MethodsOption = "default",
    missing: options.MissingOption = None,
    runs: options.RunsOption = 20,
    source: Source,
    setup: Setup,
    running: Running,
    output: OutputWithFigures,
    normalize: options.NormalizeOption = "paper",
    every: options.AllOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Vary the number of features per replicate, or the number of clusters.

    Completed runs are saved in run.sqlite; repeating the command computes only what is missing.
    """
    import xcompare
    from xcompare.methods.own import with_own_methods

    named = with_own_methods(methods)  # before anything slow
    sizes = options.subspace_sizes(max_features)
    table = read_data(data, source, missing, running.seed, sample=setup.sample)
    ks = options.numbers_of_clusters(clusters) if clusters and set(clusters) & set(",-") else []
    if not ks:
        sizes = sizes or _spread_sizes(int((table.X.nunique() > 1).sum()))
    folder = output.out_folder or Path("out", f"{table.name}-sweep{'-clusters' if ks else ''}")
    with store_in(folder, fresh=running.fresh, n_comparisons=len(ks or sizes)) as store:
        found = xcompare.sweep(
            table,
            ks or number_of_clusters(clusters, table),
            sizes,
            methods=named,
            n_runs=runs,
            y_true=table.labels,
            store=store,
            progress=not output.quiet,
            normalize=normalize,
            name=table.name,
            **setup.settings(),
            **running.settings(),
        )
    show = partial(show_sweep, found, table, every=every, verbose=verbose)
    deliver(found, context, store, output, show=show, notes=table.notes)
    fail_if_empty(found, "method")


def show_sweep(found: "Sweep", data: "DataTable", *, every: bool, verbose: bool) -> None:
    """Print the answer, a table per method, then the quality of the partitions."""
    import numpy as np

    from xcompare.cli.tables import grid, score_tables
    from xcompare.methods import get_method
    from xcompare.results.wording import ENGINES

    out.print(found.answer, style="bold", soft_wrap=True)
    show_notes(data.notes, found.notes)
    out.print()
    first, swept = found.first, found.swept
    order = list(found.overall_ranks.index)
    for number, row in enumerate(first.rows):
        if not verbose and row not in first.method_rows:
            continue
        if swept.option == "max_features" and not get_method(row.name).draws:
            continue  # does not depend on max_features
        engine = f" ({ENGINES[row.engine]})" if first.shows_engines else ""
        out.print(f"{row.name}{engine}: score by number of {swept.axis}\n", style="bold")
        columns = [(swept.label(value), one.rows[number]) for value, one in found.comparisons.items()]
        out.print(score_tables(first.feature_names, columns, out, order=order, every=every, ranks=False))
    if not found.clustering.empty:
        table = grid("agreement with the labels", *(f">{swept.label(value)}" for value in found.comparisons))
        values = found.clustering.unstack(swept.option, sort=False)
        for who in values.index:
            name = f"{who[0]} ({ENGINES[who[1]]})" if isinstance(who, tuple) else who
            for measure, title in (("ari_mean", "ARI"), ("fm_mean", "FM")):
                found_by = values[measure].loc[[who]].to_numpy().ravel()
                table.add_row(f"{name} {title}", *("-" if np.isnan(v) else f"{v:z.2f}" for v in found_by))
        out.print(table)
    show_failures(found.failures)


def _spread_sizes(n_features: int) -> list[int | float]:
    """Evenly spaced numbers of features, from 2 to all but one."""
    last = max(n_features - 1, 1)
    first = min(2, last)
    steps = max(min(SIZES, last - first + 1) - 1, 1)
    return list(dict.fromkeys(round(first + (last - first) * step / steps) for step in range(steps + 1)))
