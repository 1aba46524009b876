"""Data are validated and standardised once, before a comparison."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from xcompare.bagging.columns import first_rows, with_medians
from xcompare.bagging.parameters import relative_weights
from xcompare.core.checks import (
    check_choice,
    check_finite,
    check_integer,
    check_weights,
    is_whole,
)
from xcompare.core.encoding import is_plain
from xcompare.core.errors import DataError
from xcompare.core.features import Feature, scored_names
from xcompare.core.names import label_text, listed
from xcompare.core.seeds import derive_seed
from xcompare.core.sparse_data import dense_rows, is_sparse
from xcompare.core.standardization import Scaling, check_standardize, standardize
from xcompare.harness.data import Data, DataInfo, fingerprint
from xcompare.harness.roles import FeatureGroups, by_role, described_columns, in_groups, without_indicators
from xcompare.io.coding import code_table, in_pandas
from xcompare.io.datasets import Dataset
from xcompare.io.h5ad import cell_frame, is_anndata
from xcompare.io.tables import DataTable

Missing = Literal["resample", "drop", "median", "error"]
MISSING: tuple[Missing, ...] = get_args(Missing)


def prepare(
    X: Any,
    n_clusters: int | None,
    y_true: Any = None,
    name: str | None = None,
    *,
    sample: int | None = None,
    seed: int = 0,
    how: Scaling | None = "robust",
    columns: Mapping[str, Any] | None = None,
    missing: Missing = "resample",
    sample_weight: Any = None,
    cluster_on: Sequence[str] | None = None,
    describe: Sequence[str] | None = None,
    feature_groups: FeatureGroups | None = None,
) -> Data:
    """Validate and standardise data, of which `compare` describes the arguments.

    Constant columns are left out with a warning. They do not separate clusters, but would mislead some
    methods: weighted K-means gives them all the weight. Without ``n_clusters`` it is that of the dataset, or
    the number of distinct labels. ``seed`` is for the rows of a ``sample``, ``how`` as for `standardize`.
    """
    check_standardize(how)
    if is_anndata(X):
        X = cell_frame(X)[0]
    told = isinstance(X, DataTable) and not columns  # its notes name the kinds already
    if isinstance(X, DataTable) and sample_weight is None:
        sample_weight = X.weights
    if isinstance(X, Dataset | DataTable):
        y_true = X.labels if y_true is None else y_true
        n_clusters = X.n_clusters if n_clusters is None else n_clusters
        name = name or X.name
        X = X.frame
    X, others = by_role(in_pandas(X), cluster_on, describe)
    X, groups = without_indicators(X, feature_groups)
    row_names = X.index if isinstance(X, pd.DataFrame) else None
    check_choice("missing", missing, MISSING)
    n_given = X.shape[0] if is_sparse(X) else 0
    if n_given:  # only the rows drawn become dense
        X = dense_rows(X, sampled_rows(n_given, sample, seed))
    own = {name: kind for name, kind in (columns or {}).items() if others is None or name not in others}
    values, features = _table(X, own, missing, told)
    described, added = described_columns(others, columns, len(values), told)
    n_given = n_given or len(values)
    weights = None if sample_weight is None else check_weights(sample_weight, n_given)
    labels, label_names = (None, ()) if y_true is None else _codes(y_true, n_given)
    if n_clusters is None and labels is not None:
        n_clusters = len(label_names)
    name = name or "data"
    drawn = sampled_rows(n_given, sample, seed)
    rows = np.arange(n_given)
    if drawn is not None:
        name, rows = f"{name}, {sample} of {n_given} rows", drawn
        if len(values) == n_given:
            values, described = values[rows], described[rows]
    if missing == "drop" and (gaps := np.isnan(values).any(axis=1)).any():
        note = f"{gaps.sum()} of {len(rows)} rows with missing values are left out"
        warnings.warn(note, stacklevel=3)
        rows, values, described = rows[~gaps], values[~gaps], described[~gaps]
    if len(rows) < n_given:
        weights = None if weights is None else weights[rows]
        row_names = None if row_names is None else row_names[rows]
        if labels is not None and len(rows):
            labels, label_names = _codes(np.array(label_names)[labels[rows]], len(rows))
    values, features = in_groups(*_varying(values, features), groups)
    names = scored_names(features)
    plain = is_plain(values, features) and not any(feature.group for feature in features)
    every = (*features, *added)
    if plain and not any(feature.levels or feature.described for feature in every):
        every = ()
    _check_size(len(values), names, n_clusters)
    assert n_clusters is not None
    weights = None if weights is None else relative_weights(weights, len(values), n_clusters)
    # Over a read-only buffer, an array can never be made writable: no method changes the data of the next.
    seen = standardize(values, how) if plain else _standardized(values, features, how)
    read_only = seen.data.toreadonly()
    standardized = np.frombuffer(read_only).reshape(values.shape)
    identity = fingerprint(values, how, () if plain else features, weights)
    values = np.hstack([values, described]) if added else values
    values.flags.writeable = False
    return Data(
        info=DataInfo(name, len(values), names, labels, label_names, row_names, every, plain),
        values=values,
        X=standardized,
        n_clusters=int(n_clusters),
        fingerprint=identity,
        weights=weights,
    )


def _table(
    X: Any, columns: Mapping[str, Any] | None, missing: Missing, told: bool
) -> tuple[np.ndarray, tuple[Feature, ...]]:
    """A copy of the values, with NaN where missing, and the features."""
    table = code_table(X, columns)
    for note in () if told else table.notes:
        warnings.warn(note, stacklevel=4)
    values = np.array(table.X, order="C")
    if missing == "error":
        check_finite(values, [feature.name for feature in table.features])
    empty = np.flatnonzero(np.isnan(values).all(axis=1))
    if empty.size and missing != "drop":
        raise DataError(f"{empty.size} rows have no value at all (rows {first_rows(empty)}): leave them out")
    return with_medians(values, table.features) if missing == "median" else values, table.features


def _standardized(values: np.ndarray, features: Sequence[Feature], how: Scaling | None) -> np.ndarray:
    """Numeric columns standardised by their observed values; codes as they are."""
    found = values.copy()
    for j, feature in enumerate(features):
        if feature.kind == "numeric":
            observed = ~np.isnan(values[:, j])
            found[observed, j] = standardize(values[observed, j][:, None], how)[:, 0]
    return found


def sampled_rows(n_samples: int, sample: int | None, seed: int) -> np.ndarray | None:
    """The rows of the sample, in their order; None for all."""
    if sample is None:
        return None
    if not is_whole(sample) or sample < 2:
        raise DataError(
            f"sample must be a whole number of rows of at least 2, or None for all; got {sample!r}"
        )
    if sample >= n_samples:
        return None
    random = np.random.default_rng(derive_seed(seed, "sample", n_samples, int(sample)))
    return np.sort(random.choice(n_samples, int(sample), replace=False))


def _varying(values: np.ndarray, features: Sequence[Feature]) -> tuple[np.ndarray, tuple[Feature, ...]]:
    """The columns that are not constant; a warning names the others."""
    with np.errstate(invalid="ignore"):
        varies = np.fmin.reduce(values, axis=0) < np.fmax.reduce(values, axis=0)
    if varies.all():
        return values, tuple(features)
    constant = [one.name for one, kept in zip(features, varies, strict=True) if not kept]
    note = f"constant features say nothing about clusters and are left out: {listed(constant)}"
    warnings.warn(note, stacklevel=4)
    return values[:, varies], tuple(one for one, kept in zip(features, varies, strict=True) if kept)


def _check_size(n_samples: int, names: tuple[str, ...], n_clusters: Any) -> None:
    if len(names) < 2:
        got = ", ".join(names) or "none"
        raise DataError(f"at least two features that vary are needed to say which matters more; got {got}")
    if n_clusters is None:
        raise DataError(
            "n_clusters must say how many clusters to look for, or y_true hold labels; got neither"
        )
    check_integer("n_clusters", n_clusters, 2)
    if n_clusters > n_samples:
        raise DataError(f"n_clusters={n_clusters} exceeds n_samples={n_samples}; choose fewer clusters")


def _codes(y_true: Any, n_samples: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """Reference labels as codes 0..K-1, and their names."""
    array = np.asarray(y_true)
    if array.shape != (n_samples,):
        raise DataError(f"y_true must hold one label per row ({n_samples}); got shape {array.shape}")
    codes, names = pd.factorize(array, sort=False)
    missing = int((codes < 0).sum())
    if missing:
        raise DataError(f"y_true must have no gaps; {missing} of {n_samples} labels are missing")
    return codes.astype(np.int32), tuple(map(label_text, names))
