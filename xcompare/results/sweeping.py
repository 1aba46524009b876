"""`sweep`: sensitivity to ``max_features`` or to the number of clusters."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, Literal

from xcompare.core.errors import DataError
from xcompare.core.seeds import as_seed
from xcompare.core.standardization import Scaling
from xcompare.harness.execution import Execution
from xcompare.harness.hashing import as_text, digest
from xcompare.harness.plan import (
    EngineChoice,
    Part,
    Plan,
    chosen_methods,
    registered,
    subspace_size,
)
from xcompare.harness.preparation import Missing, prepare
from xcompare.harness.progress import ProgressReport
from xcompare.inference.rankings import LEADER
from xcompare.methods import METHODS
from xcompare.results.choosing_k import numbers_of_clusters
from xcompare.results.comparing import chosen_clusters, make_plan, run_comparisons, with_subspace
from xcompare.results.sweep import Sweep
from xcompare.results.table import Normalization, check_normalization


def sweep(
    X: Any,
    n_clusters: int | Iterable[int] | Literal["auto"] | None = None,
    max_features: int | float | Iterable[int | float] = (),
    *,
    methods: str | Iterable[str] = "default",
    engine: EngineChoice = "auto",
    n_runs: int = 20,
    y_true: Any = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
    normalize: Normalization = "paper",
    name: str | None = None,
    scheduler: str | None = None,
    data_on_workers: str | PathLike[str] | None = None,
    standardize: Scaling | None = "robust",
    columns: Mapping[str, Any] | None = None,
    missing: Missing = "resample",
    sample: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Sweep:
    """Compare methods over values of ``max_features`` or ``n_clusters``.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features), Dataset or AnnData
    n_clusters : int, iterable of int, "auto" or None, default=None
        Numbers of clusters to vary; or a single one, as for `compare`, if ``max_features`` is varied.
    max_features : int, float or iterable of them, default=()
        Numbers or fractions of features to vary; or a single one, if ``n_clusters`` is varied. Empty: all
        but one.
    methods : "default", "all", str or iterable of str, default="default"
        When varying ``max_features``: the methods that draw feature subsets (the bagging schemes), and
        ``refined``, which leads the answer and does not depend on it.
    engine, n_runs, y_true, n_jobs, random_state, store, timeout, progress, normalize, name
        As for `compare`. In a store, each value is a comparison of its own.
    scheduler, data_on_workers, standardize, columns, missing, sample, options
        As for `compare`.

    Returns
    -------
    Sweep

    Examples
    --------
    >>> import xcompare
    >>> iris = xcompare.load_dataset("iris")
    >>> found = xcompare.sweep(iris, max_features=[2, 3], methods="efron", n_runs=1, n_jobs=1)
    >>> found.table.loc["efron"].idxmin(axis=1).to_dict()
    {2: 'Sepal width', 3: 'Sepal width'}
    >>> found = xcompare.sweep(iris, [2, 3], methods="efron", n_runs=1, n_jobs=1)
    >>> found.table.loc["efron"].idxmin(axis=1).to_dict()
    {2: 'Sepal width', 3: 'Sepal width'}
    """
    execution = Execution(n_jobs, store, timeout, progress, scheduler, data_on_workers)
    check_normalization(normalize)
    seed = as_seed(random_state)
    sizes = list(max_features) if isinstance(max_features, Iterable) else [max_features]
    prepared = partial(
        prepare, y_true=y_true, name=name, sample=sample, seed=seed, how=standardize, columns=columns,
        missing=missing,
    )  # fmt: skip
    if isinstance(n_clusters, Iterable) and not isinstance(n_clusters, str):
        if len(sizes) > 1:
            raise DataError("vary either n_clusters or max_features; got several values of both")
        ks = numbers_of_clusters("n_clusters", n_clusters)
        data = prepared(X, ks[-1])
        given = with_subspace(options, sizes[0] if sizes else None, data)
        plan = make_plan(data, methods, engine, n_runs, given, seed)
        plans = {k: part_of_sweep(plan, data.name, k, "n_clusters") for k in ks}
    else:
        chosen = ""
        if n_clusters == "auto":
            n_clusters, chosen = chosen_clusters(
                X, execution, seed, name, sample=sample, columns=columns, missing=missing
            )
        data = prepared(X, n_clusters)
        numbers = [subspace_size(size, len(data.feature_names)) for size in sizes]
        if not numbers or None in numbers:
            raise DataError("give several values of max_features, e.g. [3, 5, 8], or of n_clusters; got none")
        given = with_subspace(options, None, data)
        plan = make_plan(data, _schemes(methods), engine, n_runs, given, seed, chosen)
        plans = {size: part_of_sweep(plan, data.name, size) for size in numbers if size is not None}
    found = run_comparisons([(data, one) for one in plans.values()], execution, normalize)
    return Sweep.of(dict(zip(plans, found, strict=True)))


def part_of_sweep(
    plan: Plan, name: str, at: int, option: Literal["max_features", "n_clusters"] = "max_features"
) -> Plan:
    """The plan at one value, as part of the sweep of this name."""
    if option == "n_clusters":
        alike, one = replace(plan, n_clusters=1), replace(plan, n_clusters=at)
    else:
        alike, one = _drawing(plan, None), _drawing(plan, at)
    return replace(one, part=Part("sweep", digest(as_text([name, alike.to_json()])), at, option=option))


def _drawing(plan: Plan, size: int | None) -> Plan:
    """The plan with this ``max_features`` for the methods that have it."""
    rows = (
        replace(row, options=row.options | {"max_features": size}) if registered(row.method).draws else row
        for row in plan.rows
    )
    return replace(plan, rows=tuple(rows))


def _schemes(methods: str | Iterable[str]) -> list[str]:
    """The leading method and the requested ones that draw features; error if a named one does not."""
    chosen = chosen_methods(methods)
    drawing = [method.name for method in chosen if method.draws]
    leading = [method.name for method in chosen if method.family == LEADER]
    others = [method.name for method in chosen if method.name not in (*drawing, *leading)]
    named = methods not in ("default", "all")
    if named and not drawing:
        others += leading
    if others and named:
        do = ", ".join(name for name, method in METHODS.items() if method.draws)
        raise DataError(f"{others[0]} draws no features, so there is nothing to vary; {do} do")
    return [*drawing, *leading]
