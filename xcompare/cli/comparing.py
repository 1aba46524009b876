"""The command ``compare``: compare methods on one dataset."""

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcompare.cli import options
from xcompare.cli.console import on_terminal, out, remark
from xcompare.cli.option_groups import Output, Running, Setup, SourceWithRoles
from xcompare.cli.running import (
    deliver,
    fail_if_empty,
    number_of_clusters,
    read_data,
    show_failures,
    show_notes,
    show_warnings,
    store_in,
)
from xcompare.core.errors import DataError

if TYPE_CHECKING:
    from xcompare.io.tables import DataTable
    from xcompare.results.comparison import Comparison

MethodsOption = Annotated[
    str,
    options.usual_option(
        metavar="A,B,...",
        help='Methods, listed by: xcompare methods; "default": the published ones and baselines; "all": every'
        " method; module:name: your own.",
    ),
]
RunsOption = Annotated[
    str,
    options.usual_option(
        metavar="N",
        help="Runs of each stochastic method; auto: 3 to 20, until the Monte Carlo error of every score is"
        " at most 0.02.",
    ),
]
MaxFeaturesOption = Annotated[
    str | None,
    options.run_option(
        metavar="M",
        help="Features drawn per replicate, for methods that draw feature subsets: a number, or a fraction"
        " such as 0.5. Default: all but one.",
    ),
]
EstimatorOption = Annotated[
    str | None,
    options.run_option(
        metavar="NAME",
        help="Base clusterer of the bagging methods in place of K-means, from scikit-learn, e.g. HDBSCAN or"
        ' "OPTICS(xi=0.1)".',
    ),
]

COMPARE_EXAMPLES = """
Examples:

    xcompare compare wine

    xcompare compare wine --engine both --runs 50 --out results/wine

    xcompare compare cells.csv --label type --drop id --missing drop

    xcompare compare cells.csv --clusters auto

    cut -f 2-9 cells.tsv | xcompare compare - -k 4 --json
"""


def compare(
    context: typer.Context,
    data: options.DataArgument,
    *,
    clusters: options.ClustersOption = None,
    methods: MethodsOption = "default",
    missing: options.MissingOption = None,
    runs: RunsOption = "auto",
    source: SourceWithRoles,
    setup: Setup,
    running: Running,
    output: Output,
    max_features: MaxFeaturesOption = None,
    estimator: EstimatorOption = None,
    significance: options.SignificanceOption = False,
    normalize: options.NormalizeOption = "paper",
    flip: options.FlipOption = False,
    audience: options.AudienceOption = "full",
    names: options.NamesOption = None,
    every: options.AllOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Compare methods on one dataset: which features made the clusters?

    Completed runs are saved in run.sqlite; repeating the command computes only what is missing.
    """
    import xcompare
    from xcompare.methods.own import with_own_methods  # imports numpy

    named = with_own_methods(methods)  # before anything slow
    sizes = options.subspace_sizes(max_features)
    if len(sizes) > 1:
        raise DataError(
            f"--max-features takes one number; for several use: xcompare sweep {shlex.quote(data)}"
        )
    table = read_data(data, source, missing, running.seed, sample=setup.sample)
    folder = output.out_folder or Path("out", table.name)
    n_comparisons = None if clusters == "auto" else 1  # each K that is tried is one too
    with store_in(folder, fresh=running.fresh, n_comparisons=n_comparisons) as store:
        comparison = xcompare.compare(
            table,
            number_of_clusters(clusters, table),
            methods=named,
            n_runs=options.number_or_auto("--runs", runs),
            max_features=sizes[0] if sizes else None,
            estimator=estimator,
            y_true=table.labels,
            store=store,
            progress=not output.quiet,
            normalize=normalize,
            flip=flip,
            name=table.name,
            names=options.cluster_names(names),
            preliminary=None if output.as_json or output.quiet or not on_terminal() else show_preliminary,
            **setup.settings(),
            **source.roles(table),
            **running.settings(),
        )
    show = partial(
        show_comparison, comparison, table, every=every, verbose=verbose, significance=significance
    )
    deliver(comparison, context, store, output, show=show, notes=table.notes, audience=audience)
    fail_if_empty(comparison, "method")


def show_preliminary(comparison: "Comparison") -> None:
    """Print the answer after one run of each method, while further runs continue."""
    remark(f"preliminary (1 run of each method): {comparison.answer}")


def show_comparison(
    comparison: "Comparison", table: "DataTable", *, every: bool, verbose: bool, significance: bool
) -> None:
    """Print the answer and the tables, then notes, failures and warnings."""
    from xcompare.cli.tables import (
        arrows_key,
        comparison_columns,
        method_table,
        score_tables,
        significance_table,
    )

    out.print(comparison.answer, style="bold", soft_wrap=True)
    show_notes(table.notes, comparison.notes)
    out.print(f"{comparison.caption}\n", style="dim")
    columns = comparison_columns(comparison, out, variants=verbose)
    order = list(comparison.overall_ranks.index)
    out.print(score_tables(comparison.feature_names, columns, out, order=order, every=every))
    key = arrows_key(columns, out)
    out.print(key.append(f"\n{comparison.footnote}") if comparison.footnote else key, end="\n\n")
    if significance and comparison.significance is not None:
        out.print(significance_table(comparison.significance, every=every))
        out.print()
    out.print(method_table(comparison, verbose=verbose))
    show_warnings(comparison.warnings)
    show_failures(comparison.failures)
