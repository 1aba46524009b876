"""`explain`: which features separate given clusters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from xcompare.core.checks import check_integer, check_numeric_columns, check_weights
from xcompare.core.errors import DataError
from xcompare.core.names import hint, label_text
from xcompare.core.seeds import as_seed, derive_seed
from xcompare.core.sparse_data import dense_rows, is_sparse
from xcompare.harness.data import Data
from xcompare.harness.execution import Execution
from xcompare.harness.hashing import as_text, digest
from xcompare.harness.plan import ALL, RESAMPLED, Part, Plan, Row, chosen_methods
from xcompare.harness.preparation import Missing, prepare
from xcompare.harness.progress import ProgressReport
from xcompare.harness.roles import FeatureGroups
from xcompare.inference.reclustering import Reclustering
from xcompare.inference.validated import not_validated, validated_features
from xcompare.io.coding import as_frame, in_pandas
from xcompare.io.datasets import Dataset
from xcompare.io.h5ad import cell_frame, groups_of, is_anndata
from xcompare.io.tables import DataTable
from xcompare.methods import MEASURES
from xcompare.results.clustered_table import contrasts_with, renamed
from xcompare.results.comparing import run_comparisons
from xcompare.results.explanation import Explanation

NUMBERS_ONLY = "these tests need numeric columns without missing values; some have levels or missing values"
NOISE = -1  # label of rows without a cluster, as in HDBSCAN


def explain(
    X: Any,
    labels: Any,
    *,
    reference: Any = "rest",
    columns: Mapping[str, Any] | None = None,
    missing: Missing = "resample",
    sample_weight: Any = None,
    cluster_on: Sequence[str] | None = None,
    describe: Sequence[str] | None = None,
    feature_groups: FeatureGroups | None = None,
    measures: str | Iterable[str] = "default",
    n_runs: int = 5,
    n_bootstraps: int = 50,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
    name: str | None = None,
    names: Mapping[Any, str] | None = None,
    scheduler: str | None = None,
    validate: Any = None,
) -> Explanation:
    """Explain given clusters: which features separate them, overall and each against the rest.

    The labels may come from any source: another clusterer, a mixture model, an expert. No clustering is done.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features), Dataset or AnnData
        Columns of a data frame may be numbers, flags, and categories, ordered or not, with missing values, as
        in `compare`; constant columns are dropped with a warning.
    labels : array-like of shape (n_samples,), or str
        Cluster labels of any type, or the name of the column of ``X`` (of ``.obs``) that holds them. Rows
        without a label and rows labelled -1 (noise) are left out and counted.
    reference : "rest", "each", a label or an iterable of labels, default="rest"
        What clusters are compared with, in addition to the rest: one label, or several taken together, for
        every other cluster; "each" for every pair of at most 12 clusters. See `Explanation.contrasts`.
    columns, missing
        Kinds of columns, and treatment of missing values, as for `compare`. With ``missing="resample"``, the
        default, measures of one feature at a time use the rows where it was observed; centroids and trees
        get missing values imputed in every run, and the centroids judge a feature where it was observed.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the rows, for measures that support them; the others do not run, and
        `Explanation.failures` says so. Rows of weight 0 are left out. Effect sizes are unweighted.
    cluster_on, describe, feature_groups
        As for `compare`: described columns have effect sizes, marked as described, and no scores. Groups have
        scores, their columns effect sizes.
    measures : "default", "all", str or iterable of str, default="default"
        Names of `xcompare.methods.MEASURES`; one string may hold several, separated by commas.
    n_runs : int, default=5
        Runs of each stochastic measure.
    n_bootstraps : int, default=50
        Bootstrap samples, drawn within each cluster, for the intervals.
    n_jobs, random_state, store, timeout, progress, name, scheduler
        As for `compare`.
    names : mapping or None, default=None
        Names to show in place of labels: ``{0: "Loyal"}``. See also `Explanation.renamed`.
    validate : scikit-learn clusterer, str, callable or None, default=None
        How the labels were made: a clusterer or its text, "leiden", or a function from rows to labels. The
        features are tested for clusters that it finds in a part of the data that the tests do not use:
        `Explanation.validated`. See docs/significance.md.

    Returns
    -------
    Explanation

    Raises
    ------
    DataError
        Invalid data or labels; also a ``ValueError``.
    UnknownNameError
        No such measure.

    Notes
    -----
    If the labels were derived from these features, tests for differences between the clusters are invalid:
    the clusters were chosen to differ. Without ``validate`` none is made here; the result shows effect sizes
    and their variability.

    Examples
    --------
    >>> import xcompare
    >>> iris = xcompare.load_dataset("iris")
    >>> found = xcompare.explain(iris.X[:, 1:3], iris.labels, n_runs=1, n_bootstraps=2, n_jobs=1)
    >>> print(found.rules[0])
    x1 <= 2.45: cluster 0, 100% pure, covers 100%
    """
    execution = Execution(n_jobs, store, timeout, progress, scheduler)
    data, left_out = labelled(
        X, labels, name, columns, missing, sample_weight,
        cluster_on=cluster_on, describe=describe, feature_groups=feature_groups,
    )  # fmt: skip
    contrasts = contrasts_with(reference, data.label_names)
    data = replace(data, info=replace(data.info, label_names=renamed(data.label_names, names or {})))
    for count, value, least in (("n_runs", n_runs, 1), ("n_bootstraps", n_bootstraps, 2)):
        check_integer(count, value, least)
    chosen = chosen_methods(measures, MEASURES)
    rows = tuple(Row.of(measure, "python", {}, int(n_runs)) for measure in chosen)
    plan = Plan(
        data.fingerprint, data.n_clusters, as_seed(random_state), rows,
        weighted=data.weights is not None, described=data.described,
    )  # fmt: skip
    seed = derive_seed(plan.random_state, data.fingerprint, "validate")
    again = None if validate is None else Reclustering.of(validate, seed)  # an invalid one is refused here
    identity = [data.name, plan.to_json(), *([[asdict(one) for one in contrasts]] if contrasts else [])]
    whole = Part("explanation", digest(as_text(identity)), ALL, left_out)
    plans = [
        replace(plan, part=whole),
        _part(plan, whole, RESAMPLED, n_runs=int(n_bootstraps), bootstrap=True),
        *(_part(plan, whole, cluster, cluster=cluster) for cluster in range(data.n_clusters)),
        *(
            _part(plan, whole, at, cluster=one.cluster, reference=list(one.reference))
            for at, one in enumerate(contrasts, data.n_clusters)
        ),
    ]
    found = Explanation.of(run_comparisons([(data, one) for one in plans], execution))
    if again is None:
        return found
    assert data.labels is not None
    if not data.info.plain:
        return replace(found, tested=not_validated(len(data.feature_names), again, NUMBERS_ONLY))
    return replace(
        found, tested=validated_features(data.values[:, : data.X.shape[1]], data.labels, again, seed)
    )


def labelled(
    X: Any,
    labels: Any,
    name: str | None,
    columns: Mapping[str, Any] | None = None,
    missing: Missing = "resample",
    sample_weight: Any = None,
    **roles: Any,
) -> tuple[Data, dict[str, int]]:
    """Rows with a cluster, their labels, and the number of rows without: missing or noise."""
    told = isinstance(X, DataTable)
    if isinstance(X, DataTable) and sample_weight is None:
        sample_weight = X.weights
    if isinstance(X, Dataset | DataTable):
        name, X = name or X.name, X.frame
    X, given = _table_and_labels(X, labels)
    n_samples = len(given)
    unlabelled = given.isna().to_numpy()
    noise = np.array([_is_number(label) and label == NOISE for label in given], dtype=bool)
    weights = None if sample_weight is None else check_weights(sample_weight, n_samples)
    weightless = np.zeros(n_samples, dtype=bool) if weights is None else weights == 0
    kept = np.flatnonzero(~unlabelled & ~noise & ~weightless)
    names = given.iloc[kept]
    if names.nunique() < 2:
        raise DataError(f"labels must name at least two clusters; got {names.nunique()} in {len(kept)} rows")
    if 2 * names.nunique() > len(kept):
        raise DataError(
            f"clusters must have at least two rows on average; got {names.nunique()} labels in"
            f" {len(kept)} rows: does the column identify the rows?"
        )
    order = _in_order(names.unique())
    codes = names.map({label: code for code, label in enumerate(order)}).to_numpy()
    rows: Any
    if isinstance(X, pd.DataFrame):
        rows = DataTable(name or "data", X.iloc[kept], None, None) if told else X.iloc[kept]
    else:
        rows = dense_rows(X, kept) if is_sparse(X) else np.asarray(X)[kept]
    weights = None if weights is None else weights[kept]
    data = prepare(
        rows, len(order), codes, name, columns=columns, missing=missing, sample_weight=weights, **roles
    )
    # prepare orders codes by appearance, of the rows that it keeps; here they are sorted.
    assert data.labels is not None
    codes = np.array([int(code) for code in data.label_names])[data.labels]
    used, codes = np.unique(codes, return_inverse=True)
    if len(used) < 2:
        raise DataError("all complete rows are in one cluster: impute missing values (missing='resample')")
    names_used = tuple(label_text(order[code]) for code in used)
    data = replace(
        data,
        info=replace(data.info, labels=codes.astype(np.int32), label_names=names_used),
        n_clusters=len(used),
        fingerprint=digest(as_text([data.fingerprint, codes.tolist()])),
    )
    left_out = {"missing": int(unlabelled.sum()), "noise": int(noise.sum())}
    return data, left_out | ({"weight 0": int(weightless.sum())} if weightless.any() else {})


def _table_and_labels(X: Any, labels: Any) -> tuple[Any, pd.Series]:
    """The table without the labels, and the labels, one per row."""
    if is_anndata(X):
        labels = groups_of(X, labels) if isinstance(labels, str) else labels
        X = cell_frame(X)[0]
        labels = labels.set_axis(X.index) if isinstance(labels, pd.Series) else labels
    X = in_pandas(X)
    if isinstance(labels, str):
        if not isinstance(X, pd.DataFrame) or labels not in X.columns:
            near = hint(labels, [str(name) for name in X.columns]) if isinstance(X, pd.DataFrame) else ""
            said = f"; {near.strip()}" if near else ""
            raise DataError(f"labels must be one per row, or the name of a column; got {labels!r}{said}")
        labels, X = X[labels], X.drop(columns=labels)
    frame = as_frame(X)
    if frame is None:
        check_numeric_columns(X)
    else:
        X = frame
    given = pd.Series(np.asarray(labels, dtype=object) if not isinstance(labels, pd.Series) else labels)
    n_samples = X.shape[0] if is_sparse(X) else len(X) if hasattr(X, "__len__") else 0
    if given.ndim != 1 or len(given) != n_samples:
        raise DataError(f"labels must be one per row ({n_samples}); got {len(given)}")
    return X, given


def _part(plan: Plan, whole: Part, at: int, n_runs: int | None = None, **options: Any) -> Plan:
    """The plan with these options for every measure, as part of the explanation."""
    rows = tuple(replace(row, options=options, n_runs=n_runs or row.n_runs) for row in plan.rows)
    return replace(plan, rows=rows, part=replace(whole, at=at))


def _in_order(labels: Iterable[Any]) -> list[Any]:
    """Labels sorted: numbers by value, then strings alphabetically."""
    return sorted(labels, key=lambda label: (0, label, "") if _is_number(label) else (1, 0, str(label)))


def _is_number(label: Any) -> bool:
    return isinstance(label, int | float | np.number)
