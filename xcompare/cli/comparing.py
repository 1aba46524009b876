"""The command ``compare``: compare methods on one dataset."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from xcompare.cli import options
from xcompare.cli.console import on_terminal, out, remark
from xcompare.cli.running import (
    deliver,
    fail,
    kept_when_stopped,
    number_of_clusters,
    read_data,
    show_failures,
    show_notes,
    show_warnings,
)
from xcompare.core.errors import DataError

if TYPE_CHECKING:
    from xcompare.io.tables import DataTable
    from xcompare.results.comparison import Comparison

MethodsOption = Annotated[
    str,
    options.run_option(
        metavar="A,B,...",
        help='Methods, listed by: xcompare methods; "default": the published ones and baselines; "all": every'
        " method; module:name: your own.",
    ),
]
RunsOption = Annotated[
    str,
    options.run_option(
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
        " \"GaussianMixture(covariance_type='tied')\".",
    ),
]
FormatOption = Annotated[
    str | None,
    options.output_option(
        "--format", metavar="A,B,...", help="Table formats: csv, latex, markdown, parquet. Default: all."
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
    clusters: options.ClustersOption = None,
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
    methods: MethodsOption = "default",
    engine: options.EngineOption = "auto",
    runs: RunsOption = "auto",
    standardize: options.StandardizeOption = "robust",
    sample: options.SampleOption = None,
    max_features: MaxFeaturesOption = None,
    estimator: EstimatorOption = None,
    significance: options.SignificanceOption = False,
    jobs: options.JobsOption = None,
    seed: options.SeedOption = 0,
    timeout: options.TimeoutOption = None,
    scheduler: options.SchedulerOption = None,
    data_on_workers: options.DataOnWorkersOption = None,
    fresh: options.FreshOption = False,
    normalize: options.NormalizeOption = "paper",
    flip: options.FlipOption = False,
    out_folder: options.OutOption = None,
    formats: FormatOption = None,
    figures: options.FiguresOption = None,
    audience: options.AudienceOption = "full",
    names: options.NamesOption = None,
    every: options.AllOption = False,
    verbose: options.VerboseOption = False,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Compare methods on one dataset: which features made the clusters?

    Completed runs are saved in run.sqlite; repeating the command computes only what is missing.
    """
    import xcompare
    from xcompare.cli.output import store_in
    from xcompare.methods.own import with_own_methods
    from xcompare.results.formats import COMPARISON_FORMATS, check_formats

    wanted = check_formats(options.split_names(formats), COMPARISON_FORMATS)
    named = with_own_methods(methods)  # before anything slow
    sizes = options.subspace_sizes(max_features)
    if len(sizes) > 1:
        raise DataError(
            f"--max-features takes one number; for several use: xcompare sweep {shlex.quote(data)}"
        )
    table = read_data(
        data, label=label, columns=columns, drop=drop, nominal=nominal, ordinal=ordinal, numeric=numeric,
        dates=date_as, missing=missing, header=not no_header,
        transpose=transpose, max_size=max_size, seed=seed, sample=sample,
    )  # fmt: skip
    from xcompare.results.plots.files import check_formats as check_figure_formats

    drawn = check_figure_formats(options.split_names(figures) or ())
    folder = out_folder or Path("out", table.name)
    n_comparisons = None if clusters == "auto" else 1  # each K that is tried is one too
    with store_in(folder, fresh=fresh) as store, kept_when_stopped(store, n_comparisons):
        comparison = xcompare.compare(
            table,
            number_of_clusters(clusters, table),
            methods=named,
            engine=engine,
            n_runs=number_of_runs(runs),
            max_features=sizes[0] if sizes else None,
            estimator=estimator,
            y_true=table.labels,
            standardize=None if standardize == "none" else standardize,
            sample=sample,
            n_jobs=jobs,
            random_state=seed,
            store=store,
            timeout=timeout,
            progress=not quiet,
            normalize=normalize,
            flip=flip,
            name=table.name,
            names=options.cluster_names(names),
            scheduler=scheduler,
            data_on_workers=data_on_workers,
            preliminary=None if as_json or quiet or not on_terminal() else show_preliminary,
        )
    deliver(
        comparison,
        context,
        folder,
        show=lambda: show_comparison(
            comparison, table, every=every, verbose=verbose, significance=significance
        ),
        as_json=as_json,
        quiet=quiet,
        formats=wanted,
        figures=drawn,
        notes=table.notes,
        beside=[store],
        audience=audience,
    )
    if comparison.table.isna().all(axis=None):
        fail("no method could run: " + comparison.failures["message"].iloc[0])


def number_of_runs(runs: str) -> int | Literal["auto"]:
    """Parse ``--runs``."""
    if runs == "auto":
        return "auto"
    try:
        return int(runs)
    except ValueError:
        raise DataError(f"--runs must be a number or auto; got {runs!r}") from None


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
    from xcompare.results.data_checks import all_notes

    out.print(comparison.answer, style="bold", soft_wrap=True)
    show_notes(all_notes(table.notes, comparison.notes))
    out.print(f"{comparison.caption}\n", style="dim")
    columns = comparison_columns(comparison, out, variants=verbose)
    order = list(comparison.overall_ranks.index)
    out.print(score_tables(comparison.feature_names, columns, out, order=order, every=every))
    key = arrows_key(columns, out)
    out.print(key.append(f"\n{comparison.footnote}") if comparison.footnote else key, end="\n\n")
    if significance and comparison.significance is not None:
        out.print(significance_table(comparison.significance, every=every), end="\n\n")
    out.print(method_table(comparison, verbose=verbose))
    show_warnings(comparison.warnings)
    show_failures(comparison.failures)
