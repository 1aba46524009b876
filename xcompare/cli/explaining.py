"""The command ``explain``: which features separate given clusters."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcompare.cli import options
from xcompare.cli.console import out
from xcompare.cli.option_groups import Output, Running, SourceWithRoles
from xcompare.cli.running import (
    deliver,
    fail_if_empty,
    read_data,
    show_failures,
    show_notes,
    show_warnings,
    store_in,
)
from xcompare.core.errors import DataError

if TYPE_CHECKING:
    from xcompare.io.tables import DataTable
    from xcompare.results.explanation import Explanation

ReferenceOption = Annotated[
    str,
    options.run_option(
        metavar="A,B,...",
        help="Also compare every cluster with this one, or with these together; each: compare all pairs.",
    ),
]
MeasuresOption = Annotated[
    str, options.run_option(metavar="A,B,...", help="Measures to compute, or all. Default: all but fact.")
]
BootstrapsOption = Annotated[
    int, options.run_option(metavar="N", help="Bootstrap samples for the intervals.")
]
ValidateOption = Annotated[
    str | None,
    options.run_option(
        "--validate",
        metavar="CLUSTERER",
        help="How the labels were made, e.g. 'KMeans(n_clusters=3)' or leiden. Tests each feature for"
        " clusters found without the data used in the test.",
    ),
]

EXPLAIN_EXAMPLES = """
Examples:

    xcompare explain wine

    xcompare explain cells.csv --labels cluster --drop id --out results/cells

    xcompare explain customers.csv --labels segment --reference 2 --names "1=Loyal,2=Lost"

    xcompare explain cells.h5ad --groupby leiden

    xcompare explain iris --validate "KMeans(n_clusters=3)"
"""


@dataclass(frozen=True)
class Clustered(SourceWithRoles):
    """How a table with clusters is read."""

    label: Annotated[
        str | None,
        options.usual_option(
            "--labels",
            "--label",
            "--groupby",
            metavar="COLUMN",
            help="Column with the clusters (for AnnData, a column of .obs). Rows without a label, or"
            " labelled -1 (noise), are left out.",
        ),
    ] = None


def explain(
    context: typer.Context,
    data: options.DataArgument,
    source: Clustered,
    running: Running,
    output: Output,
    missing: options.MissingOption = None,
    reference: ReferenceOption = "rest",
    measures: MeasuresOption = "default",
    runs: options.RunsOption = 5,
    bootstraps: BootstrapsOption = 50,
    validate: ValidateOption = None,
    audience: options.AudienceOption = "full",
    names: options.NamesOption = None,
    top: options.TopOption = 10,
    every: options.AllOption = False,
) -> None:
    """Explain given clusters: which features separate them, overall and cluster by cluster.

    Completed runs are saved in run.sqlite; repeating the command computes only what is missing.
    """
    import xcompare

    table = read_data(data, source, missing, running.seed, unlabelled=True)
    if table.labels is None:
        raise DataError("no cluster labels: give --labels COLUMN with the cluster of each row")
    folder = output.out_folder or Path("out", f"{table.name}-explained")
    with store_in(folder, fresh=running.fresh) as store:
        found = xcompare.explain(
            table,
            table.labels,
            reference=one_or_several(reference),
            measures=measures,
            n_runs=runs,
            n_bootstraps=bootstraps,
            store=store,
            progress=not output.quiet,
            name=table.name,
            names=options.cluster_names(names),
            validate=validate,
            **source.roles(table),
            **running.settings(),
        )
    show = partial(show_explanation, found, table, top=top, every=every)
    deliver(found, context, store, output, show=show, notes=table.notes, audience=audience)
    fail_if_empty(found, "measure")


def one_or_several(reference: str) -> str | list[str]:
    """``--reference``: rest, each, or names of clusters."""
    named = options.split_names(reference) or []
    return named if len(named) > 1 else reference.strip()


def show_explanation(found: "Explanation", data: "DataTable", *, top: int, every: bool) -> None:
    """Print the answer, a description and the effects of each cluster, and the table of measures."""
    from xcompare.cli.tables import comparison_columns, effect_tables, score_tables, validated_table
    from xcompare.results.summary import about_tests, cautions

    show_notes(data.notes, found.notes)
    out.print(f"{found.answer}\n", style="bold")
    for sentence in found.sentences:
        out.print(f"  {sentence}")
    out.print()
    out.print(effect_tables(found.top(top)))
    columns = comparison_columns(found.overall, out)
    order = list(found.overall_ranks.index)
    out.print(score_tables(found.feature_names, columns, out, order=order, every=every))
    if found.tested is not None and found.tested.device != "none":
        out.print(validated_table(found, every=every))
    for caution in (*cautions(found.clustered, found.effects), *about_tests(found.tested)):
        out.print(caution, style="dim")
    show_warnings(found.overall.warnings)
    show_failures(found.failures)
