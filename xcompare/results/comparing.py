"""`compare`: every method side by side on one dataset, in one call."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

from xcompare.bagging.clusterer_text import clusterer_text
from xcompare.core.errors import DataError
from xcompare.core.standardization import Scaling
from xcompare.harness.data import Data, prepare
from xcompare.harness.execution import Execution
from xcompare.harness.plan import (
    EngineChoice,
    Plan,
    clustering_rows,
    plan_rows,
    registered,
    rows_of_tests,
    seed_of,
    subspace_size,
)
from xcompare.harness.progress import ProgressReport
from xcompare.harness.run import Results, run_in_stages, run_plans
from xcompare.inference.number_of_clusters import p_text
from xcompare.inference.rankings import LEADER
from xcompare.results.choosing_k import choose_k
from xcompare.results.comparison import Comparison
from xcompare.results.runs_needed import FEWEST_RUNS, check_runs, with_runs_needed
from xcompare.results.table import Normalization, check_normalization

TESTED = (LEADER, "bagging")  # families whose rankings are worth a test of whether there are clusters


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
    sample: int | None = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
    normalize: Normalization = "paper",
    flip: bool = False,
    name: str | None = None,
    scheduler: str | None = None,
    options: Mapping[str, Any] | None = None,
    preliminary: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """Feature importance by many methods, side by side.

    The data is standardised once. Each method runs several times with its own seeds; a method without
    randomness runs once and counts for all. A method that fails, takes too long or cannot run here leaves
    the others alone: see `Comparison.failures`.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features), or Dataset
        Finite numbers. Column names of a data frame are kept; constant columns are left out with a warning.
    n_clusters : int, "auto" or None, default=None
        Clusters to look for, from 2 to n_samples. "auto": as many as `choose_k` finds, of 2 to 10. None: a
        ``Dataset``'s own number, else that of the distinct labels in ``y_true``.
    methods : "default", "all", str or iterable of str, default="default"
        Names of `xcompare.methods.METHODS`; one string may hold several, separated by commas. "default":
        ``refined``, the published methods and their baselines; above 500 features those that still find
        the relevant ones there, ``refined``, ``sparse_kmeans`` and ``spec``. "all": every one there is.
    engine : {"auto", "python", "r", "both"}, default="auto"
        "auto" is the native implementation where there is one, else R: today native for every method,
        so that results do not depend on what else is installed. "both" runs every engine a method has.
    n_runs : int or "auto", default="auto"
        Runs of each method that has randomness. "auto": 3, and more until the Monte Carlo error (standard
        error of the mean over the runs) of each of its scores, normalised as published, is at most 0.02,
        up to 20; a method with a failed run gets no more. ``plan.rows`` of the result holds the numbers.
    max_features : int, float or None, default=None
        Features a replica draws, for the methods that draw some: a number, or a share of them. None:
        all but one, as published.
    estimator : scikit-learn clusterer, str or None, default=None
        What the bagging methods bag in place of K-means, natively: an object, or the call that makes it as a
        text, e.g. ``"GaussianMixture(covariance_type='tied')"``. That text is part of what a run is.
    y_true : array-like of shape (n_samples,) or None, default=None
        Reference labels of any kind, to judge partitions by; no method sees them. None: a ``Dataset``'s
        own, if it has some.
    standardize : {"robust", "sd", "rank"} or None, default="robust"
        How each feature is brought to mean 0 and sample standard deviation 1. "robust": after values far from
        the bulk of their feature are brought nearer, so that a few very large ones do not set its scale; the
        same as "sd" where there are none. "sd": as published. "rank": by the ranks of the values. None: the
        methods see the data as it is.
    sample : int or None, default=None
        For a first look at large data: this many rows, drawn at random from the seed of the whole, stand
        for all. The name of the data then says so, in tables and reports too.
    n_jobs : int or None, default=None
        Processes; None: one per core. The result does not depend on it.
    random_state : int or None, default=0
        Seed of the whole; None draws a new one, which ``plan.random_state`` of the result holds. Each
        unit's seed follows from it and from what the unit is: data, method,
        run. Adding a method or runs changes no other number.
    store : str, Path or None, default=None
        Run store (an SQLite file, made when missing). Every unit is committed as it finishes, and a
        comparison that is in the store already is not computed again: only what is missing or failed.
    timeout : float or None, default=None
        Seconds each unit may take; it is then stopped and counts as failed.
    progress : bool or callable, default=True
        True: a bar on stderr when that is a terminal and the work takes over two seconds. A callable
        gets a `ProgressReport` after each unit.
    normalize : {"paper", "max", "minmax"}, default="paper"
        "paper": each method as its published row was normalised. Or all alike.
    flip : bool, default=False
        Turn rows that read "smaller is more important", so that 1 is always the most important.
    name : str or None, default=None
        Name of the data, for tables and the store.
    scheduler : str or None, default=None
        Address of a Dask scheduler (``"tcp://host:8786"``) to run on instead of local processes; needs
        ``xcompare-clustering[dask]``. With the same ``random_state`` the numbers are those of a local run.
    options : mapping or None, default=None
        Options for methods: ``{"n_replicas": 50}`` for all that have it,
        ``{"urf_perm": {"protocol": "paper"}}`` for one.
    preliminary : callable or None, default=None
        Called with a `Comparison` of one run of each method as soon as there is one, if more are to run.

    Returns
    -------
    Comparison

    Raises
    ------
    DataError
        Data or parameters that cannot be used; also a ``ValueError``.
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
    execution = Execution(n_jobs, store, timeout, progress, scheduler)
    check_normalization(normalize)
    check_runs(n_runs)
    seed = seed_of(random_state)
    chosen = ""
    if n_clusters == "auto":
        n_clusters, chosen = chosen_clusters(X, execution, seed, name, sample)
    data = prepare(X, n_clusters, y_true, name, sample=sample, seed=seed, how=standardize)
    given = with_subspace(options, max_features, data)
    if estimator is not None:
        given["estimator"] = clusterer_text(estimator)
    runs = FEWEST_RUNS if n_runs == "auto" else n_runs
    plan = replace(with_tests(make_plan(data, methods, engine, runs, given, seed)), chosen=chosen)
    return _run_comparison(data, plan, execution, normalize, flip, n_runs == "auto", preliminary)


def chosen_clusters(
    X: Any, execution: Execution, seed: int, name: str | None, sample: int | None = None
) -> tuple[int, str]:
    """As many clusters as `choose_k` finds, at least two, and who chose them, in words."""
    choice = choose_k(
        X,
        sample=sample,
        n_jobs=execution.n_jobs,
        random_state=seed,
        store=execution.store,
        timeout=execution.timeout,
        progress=execution.progress,
        name=name,
        scheduler=execution.scheduler,
    )
    if choice.best == 1:
        raise DataError(
            f"n_clusters='auto' found one cluster ({p_text(choice.p_clusters)}), and nothing to compare:"
            " give a number of clusters to compare methods anyway"
        )
    return choice.best, f"{choice.best} clusters chosen: {choice.answer.split(': ', 1)[1].rstrip('.')}"


def make_plan(
    data: Data,
    methods: str | Iterable[str],
    engine: EngineChoice,
    n_runs: int,
    options: Mapping[str, Any],
    random_state: int | None,
) -> Plan:
    """The plan of a comparison; with reference labels, the plain clusterings are part of it."""
    rows = plan_rows(methods, engine, n_runs, options, len(data.feature_names))
    clusterings = () if data.labels is None else clustering_rows(n_runs, len(data.X))
    return Plan(data.fingerprint, data.n_clusters, seed_of(random_state), rows, clusterings)


def with_tests(plan: Plan) -> Plan:
    """The plan with the tests behind the answer, where a ranking is worth one."""
    tested = any(registered(row.method).family in TESTED for row in plan.rows)
    return replace(plan, tests=rows_of_tests()) if tested else plan


def with_subspace(options: Mapping[str, Any] | None, max_features: Any, data: Data) -> dict[str, Any]:
    """Options for all methods, with the size of the subspace among them if it was given."""
    size = subspace_size(max_features, len(data.feature_names))
    given = dict(options or {})
    return given if size is None else {**given, "max_features": size}


def run_comparisons(
    work: Sequence[tuple[Data, Plan]],
    execution: Execution,
    normalize: Normalization = "paper",
    flip: bool = False,
) -> list[Comparison]:
    """Run what the store lacks of these plans, all in one go; a comparison for each."""
    return [
        _comparison(data, plan, results, normalize, flip)
        for (data, plan), results in zip(work, run_plans(work, execution), strict=True)
    ]


def _run_comparison(
    data: Data,
    plan: Plan,
    execution: Execution,
    normalize: Normalization,
    flip: bool,
    as_needed: bool,
    preliminary: Callable[[Comparison], None] | None,
) -> Comparison:
    """Run what the store lacks of one plan, with more runs where scores need them if ``as_needed``."""

    def found(plan: Plan, results: Results) -> Comparison:
        return _comparison(data, plan, results, normalize, flip)

    extend = (lambda *stage: with_runs_needed(found(*stage))) if as_needed else None
    preview = None if preliminary is None else (lambda *first: preliminary(found(*first)))
    return found(*run_in_stages(data, plan, execution, extend=extend, preview=preview))


def _comparison(data: Data, plan: Plan, results: Results, normalize: Normalization, flip: bool) -> Comparison:
    return Comparison(data.info, plan, results, normalize, flip, data.values)
