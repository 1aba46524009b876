"""`compare`: run many importance methods on one dataset; `significance`: the tests alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

from xcompare.bagging.clusterer_text import clusterer_text
from xcompare.core.errors import DataError
from xcompare.core.seeds import as_seed
from xcompare.core.standardization import Scaling
from xcompare.harness.data import Data
from xcompare.harness.execution import Execution
from xcompare.harness.plan import (
    EngineChoice,
    Plan,
    clustering_rows,
    plan_rows,
    registered,
    rows_of_tests,
    subspace_size,
)
from xcompare.harness.preparation import Missing, prepare
from xcompare.harness.progress import ProgressReport
from xcompare.harness.roles import FeatureGroups
from xcompare.harness.run import Results, run_in_stages, run_plans
from xcompare.inference.number_of_clusters import p_text
from xcompare.inference.rankings import LEADER
from xcompare.results.choosing_k import choose_k
from xcompare.results.clustered_table import numbered, renamed
from xcompare.results.comparison import Comparison
from xcompare.results.runs_needed import FEWEST_RUNS, check_runs, with_runs_needed
from xcompare.results.significance import Significance
from xcompare.results.table import Normalization, check_normalization

TESTED = (LEADER, "bagging")  # families for which the existence of clusters is tested


def compare(
    X: Any,
    n_clusters: int | Literal["auto"] | None = None,
    *,
    methods: str | Iterable[str] = "default",
    engine: EngineChoice = "auto",
    n_runs: int | Literal["auto"] = "auto",
    max_features: int | float | None = None,
    estimator: Any = None,
    y_true: Any = None,
    standardize: Scaling | None = "robust",
    columns: Mapping[str, Any] | None = None,
    missing: Missing = "resample",
    sample_weight: Any = None,
    cluster_on: Sequence[str] | None = None,
    describe: Sequence[str] | None = None,
    feature_groups: FeatureGroups | None = None,
    sample: int | None = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
    normalize: Normalization = "paper",
    flip: bool = False,
    name: str | None = None,
    names: Mapping[Any, str] | None = None,
    scheduler: str | None = None,
    data_on_workers: str | PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
    preliminary: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """Compare feature importances from many methods on one dataset.

    The data is standardised once. Each method runs several times with its own seeds; a deterministic method
    runs once. A method that fails, times out or is not available does not affect the others: see
    `Comparison.failures`.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features), Dataset or AnnData
        Columns of a data frame may be numbers, flags, and categories, ordered or not; a note names those that
        are not numbers or are left out, such as identifiers. Constant columns are dropped with a warning. For
        an AnnData object, ``X`` with the highly variable genes if they are marked, else all genes. A SciPy
        sparse matrix gives the same results as its dense form; only the rows of ``sample`` become dense.
    n_clusters : int, "auto" or None, default=None
        Number of clusters, from 2 to n_samples. "auto": chosen by `choose_k` from 2 to 10. None: that of the
        ``Dataset``, else the number of distinct labels in ``y_true``.
    methods : "default", "all", str or iterable of str, default="default"
        Names of `xcompare.methods.METHODS`; one string may hold several, separated by commas. "default":
        ``refined``, the published methods and their baselines; above 500 features only those that work well
        there: ``refined``, ``sparse_kmeans`` and ``spec``. "all": every method.
    engine : {"auto", "python", "r", "both"}, default="auto"
        "auto" is the native implementation if there is one, else R.
        "both" runs every engine a method has.
    n_runs : int or "auto", default="auto"
        Runs of each stochastic method. "auto": 3, and more until the Monte Carlo error (standard error of
        the mean over the runs) of each of its scores, normalised as published, is at most 0.02, up to 20; a
        method with a failed run gets no more. ``plan.rows`` of the result holds the numbers.
    max_features : int, float or None, default=None
        Features drawn per replicate, for methods that draw feature subsets: a number or a fraction. None:
        all but one, as published.
    estimator : scikit-learn clusterer, str or None, default=None
        Base clusterer of the bagging methods in place of K-means (Python engine only): an object, or its
        constructor call as a string, e.g. ``"GaussianMixture(covariance_type='tied')"``. The string is part
        of the identity of a run.
    y_true : array-like of shape (n_samples,) or None, default=None
        Reference labels of any type, used only to evaluate partitions. None: those of the ``Dataset``, if
        any.
    standardize : {"robust", "sd", "rank"} or None, default="robust"
        How each feature is scaled to mean 0 and sample standard deviation 1. "robust": after shrinking
        outliers, so that a few very large values do not set the scale; same as "sd" without outliers.
        "sd": as published. "rank": ranks of the values. None: no scaling.
    columns : mapping or None, default=None
        Kinds of columns, by name, that do not follow from the dtypes: "numeric", "binary", "nominal",
        "drop", "days" (a date as a number), or the levels of an ordinal column, ascending. A column is one
        feature in every table, whatever its kind.
    missing : {"resample", "drop", "median", "error"}, default="resample"
        Treatment of missing values. "resample": the bagging methods impute them in every replicate, other
        methods once in every run, by the value of one of the most similar rows. "drop": leave out rows with
        missing values. "median": fill in the median, or the most frequent level. "error": raise an error.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the rows, for methods that support them: bagging methods draw rows in proportion to their
        weights, K-means uses them directly. Other methods do not run, and `Comparison.failures` says so. A
        note lists what is not weighted.
    cluster_on, describe : sequence of str or None, default=None
        Columns used for clustering, and columns that only describe the clusters. The latter have effect sizes
        and profiles, marked as described, but no scores. If only one of the two is given, it leaves the
        remaining columns to the other.
    feature_groups : mapping of str to sequence of str or None, default=None
        Columns that form one feature, by its name: ``{"shape": ["area", "perimeter"]}``. Methods draw,
        permute and score them together if they can; otherwise the scores of the columns are combined.
        Indicators with exactly one 1 in every row become one column of categories.
    sample : int or None, default=None
        Use a random sample of this many rows, for a first look at large data. The sample is noted in the
        name of the data.
    n_jobs : int or None, default=None
        Number of processes; None: one per core. The result does not depend on it.
    random_state : int or None, default=0
        Random seed; None draws a new one, stored in ``plan.random_state`` of the result. Each unit's seed is
        derived from it, the data, the method and the run, so adding methods or runs changes no other result.
    store : str, Path or None, default=None
        Run store (an SQLite file, created if missing). Every unit is committed as it finishes; only units
        that are missing or failed are computed.
    timeout : float or None, default=None
        Time limit per unit in seconds; a unit that exceeds it is stopped and counts as failed.
    progress : bool or callable, default=True
        True: show a progress bar on stderr if that is a terminal and the run takes over two seconds. A
        callable receives a `ProgressReport` after each unit.
    normalize : {"paper", "max", "minmax"}, default="paper"
        "paper": each method as in its publication. "max" or "minmax": all methods alike.
    flip : bool, default=False
        Reverse rows in which smaller is more important, so that 1 is always the most important.
    name : str or None, default=None
        Name of the data, for tables and the store.
    names : mapping or None, default=None
        Names of clusters of the consensus, for the report: ``{1: "Loyal"}``, 1 the largest. See also
        `Comparison.renamed`; a store does not keep them.
    scheduler : str or None, default=None
        Address of a Dask scheduler (``"tcp://host:8786"``) to run on instead of local processes; needs
        ``xcompare-clustering[dask]``. The results are the same as those of a local run.
    data_on_workers : str, Path or None, default=None
        Folder that all workers of the scheduler share under the same path. The standardised data is written
        there once and read by the workers. None: the data is sent with each unit.
    options : mapping or None, default=None
        Options of methods: ``{"n_replicas": 50}`` for all that have it,
        ``{"urf_perm": {"protocol": "paper"}}`` for one.
    preliminary : callable or None, default=None
        Called with a `Comparison` of the first run of each method, if more runs follow.

    Returns
    -------
    Comparison

    Raises
    ------
    DataError
        Invalid data or parameters; also a ``ValueError``.
    UnknownNameError
        No such method, engine or option; also a ``ValueError``.
    StoreError, SchedulerError

    Examples
    --------
    >>> import xcompare
    >>> wine = xcompare.load_dataset("wine")
    >>> found = xcompare.compare(wine, methods="efron, cubt, ls", n_runs=2, n_jobs=1)
    >>> found.table.idxmax(axis=1)["efron"]
    'Flavanoids'
    >>> found.directions["ls"]
    'smaller is more important'
    """
    execution = Execution(n_jobs, store, timeout, progress, scheduler, data_on_workers)
    check_normalization(normalize)
    check_runs(n_runs)
    seed = as_seed(random_state)
    chosen = ""
    table: Any = {
        "columns": columns, "missing": missing, "sample_weight": sample_weight, "cluster_on": cluster_on,
        "describe": describe, "feature_groups": feature_groups, "sample": sample,
    }  # fmt: skip
    if n_clusters == "auto":
        n_clusters, chosen = chosen_clusters(X, execution, seed, name, **table)
    data = prepare(X, n_clusters, y_true, name, seed=seed, how=standardize, **table)
    renamed(numbered(data.n_clusters), names or {})  # before hours of computing
    given = with_subspace(options, max_features, data)
    if estimator is not None:
        given["estimator"] = clusterer_text(estimator)
    runs = FEWEST_RUNS if n_runs == "auto" else n_runs
    plan = make_plan(data, methods, engine, runs, given, seed, chosen)
    plan = replace(plan, as_needed=n_runs == "auto")

    def found(plan: Plan, results: Results) -> Comparison:
        return Comparison(data.info, plan, results, normalize, flip, data.values)

    extend = (lambda *stage: with_runs_needed(found(*stage))) if plan.as_needed else None
    preview = None if preliminary is None else (lambda *first: preliminary(found(*first)))
    comparison = found(*run_in_stages(data, plan, execution, extend=extend, preview=preview))
    return comparison.renamed(names) if names else comparison


def significance(
    X: Any,
    n_clusters: int | None = None,
    *,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
    name: str | None = None,
    scheduler: str | None = None,
) -> Significance:
    """Test whether there are clusters, and which features differ between them.

    - *p_clusters*: null hypothesis: every projection of the data is unimodal. Rows are split into halves
      repeatedly; clusters and the directions that separate them come from one half, the test from the other.
    - *p_associated*: null hypothesis: the feature is independent of the others. It is tested against a
      partition by the other features.
    - *p_modes*: null hypothesis: the feature is unimodal (Hartigan's dip test).

    If clusters are found (``p_clusters`` at most .05), features whose q-value (last two tests combined) is
    at most .05 differ between the clusters; those that also have at least .3 of the largest importance, or
    more than one mode, are *relevant*. The others are *noise*. docs/the-answer.md has the error rates.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features), or Dataset
        With more than 2,000 rows, the tests use a random sample of 2,000.
    n_clusters : int or None, default=None
    n_jobs, random_state, store, timeout, progress, name, scheduler
        As for `compare`, which this runs with ``refined``.

    Returns
    -------
    Significance

    Raises
    ------
    DataError
        Invalid data, or a test that failed.

    Examples
    --------
    >>> import numpy as np, xcompare
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> X[:40, :2] += 5
    >>> found = xcompare.significance(X, 2, n_jobs=1, name="two groups")
    >>> list(found.verdicts.values())
    ['relevant', 'relevant', 'noise', 'noise']
    """
    found = compare(
        X, n_clusters, methods="refined", n_runs=1, n_jobs=n_jobs, random_state=random_state,
        store=store, timeout=timeout, progress=progress, name=name, scheduler=scheduler,
    )  # fmt: skip
    if found.significance is None:
        raise DataError(f"the tests failed: {found.failures['message'].iloc[0]}")
    return found.significance


def chosen_clusters(
    X: Any, execution: Execution, seed: int, name: str | None, **table: Any
) -> tuple[int, str]:
    """The number of clusters chosen by `choose_k`, at least 2, and a note on how it was chosen."""
    choice = choose_k(
        X, **table, n_jobs=execution.n_jobs, random_state=seed, store=execution.store, name=name,
        timeout=execution.timeout, progress=execution.progress, scheduler=execution.scheduler,
    )  # fmt: skip
    if choice.best == 1:
        raise DataError(
            f"n_clusters='auto' found one cluster ({p_text(choice.p_clusters)}), so there is nothing to"
            " compare. Set n_clusters to compare methods anyway"
        )
    return choice.best, f"{choice.best} clusters chosen: {choice.answer.split(': ', 1)[1].rstrip('.')}"


def make_plan(
    data: Data,
    methods: str | Iterable[str],
    engine: EngineChoice,
    n_runs: int,
    options: Mapping[str, Any],
    seed: int,
    chosen: str = "",
) -> Plan:
    """The plan of a comparison.

    It includes plain clusterings, if there are reference labels, and the tests behind the answer, if any row
    belongs to a tested family.
    """
    rows = plan_rows(methods, engine, n_runs, options, len(data.feature_names))
    weighted = data.weights is not None
    clusterings = () if data.labels is None else clustering_rows(n_runs, len(data.X), weighted)
    tested = any(registered(row.method).family in TESTED for row in rows)
    return Plan(
        data.fingerprint, data.n_clusters, seed, rows, clusterings,
        tests=rows_of_tests() if tested else (), chosen=chosen, weighted=weighted, described=data.described,
    )  # fmt: skip


def with_subspace(options: Mapping[str, Any] | None, max_features: Any, data: Data) -> dict[str, Any]:
    """Options for all methods, including ``max_features`` if given."""
    size = subspace_size(max_features, len(data.feature_names))
    given = dict(options or {})
    return given if size is None else {**given, "max_features": size}


def run_comparisons(
    work: Sequence[tuple[Data, Plan]], execution: Execution, normalize: Normalization = "paper"
) -> list[Comparison]:
    """Run the units of all plans that the store lacks; return one comparison per plan."""
    return [
        Comparison(data.info, plan, results, normalize, data=data.values)
        for (data, plan), results in zip(work, run_plans(work, execution), strict=True)
    ]
