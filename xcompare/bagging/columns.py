"""Data given to an estimator, as a matrix of numbers and codes with its features."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import validate_data

from xcompare.bagging.table import MISSING
from xcompare.core.checks import check_choice, check_finite, check_numeric_columns, columns_of_text
from xcompare.core.features import Feature
from xcompare.core.sparse_data import dense_rows, is_sparse
from xcompare.io.coding import check_infinity, code_table

Columns = Mapping[str, Any] | Sequence[Feature]
FLOATS = [np.float64, np.float32]  # kept as given; all else becomes the first
ROWS_NAMED = 5


def fitted_table(
    estimator: Any, X: Any, columns: Columns | None, missing: str
) -> tuple[np.ndarray, tuple[Feature, ...]]:
    """Validated data of a fit, C-ordered with NaN where missing, and the features.

    ``X`` of shape (n_samples, n_features) and ``missing`` ("resample", "median", "error"). ``estimator``:
    gets ``n_features_in_`` and ``feature_names_in_``. ``columns``: kinds of columns, as for `code_table`; or
    the features of codes that ``X`` already holds.
    """
    check_choice("missing", missing, MISSING)
    estimator._coded = bool(isinstance(columns, Mapping) and columns) or bool(columns_of_text(X))
    coded = None
    if columns is not None and not isinstance(columns, Mapping):
        coded = tuple(columns)
    elif estimator._coded:
        table = code_table(X, columns)
        for note in table.notes:
            warnings.warn(note, stacklevel=3)
        X, coded = _as_given(X, table.X, table.features), table.features
    X = _validated(estimator, X, ensure_min_samples=2, ensure_min_features=2)
    names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])
    features = coded or tuple(Feature(str(name)) for name in names)
    if missing == "error":
        check_finite(X, getattr(estimator, "feature_names_in_", None))
    check_infinity(X, names)
    gaps = np.isnan(X)
    if gaps.any():
        empty = np.flatnonzero(gaps.all(axis=1))
        if empty.size:
            note = f"{empty.size} rows have no value at all, so their clusters are arbitrary: rows "
            warnings.warn(note + first_rows(empty), stacklevel=3)
        if missing == "median":
            X = with_medians(X, features)
    return X, features


def first_rows(rows: np.ndarray) -> str:
    """Numbers of the first few rows, for messages."""
    return ", ".join(map(str, rows[:ROWS_NAMED])) + (", ..." if rows.size > ROWS_NAMED else "")


def other_rows(estimator: Any, X: Any) -> np.ndarray:
    """Validated rows of the features of a fit."""
    features = estimator.features_
    if estimator._coded:
        X = _as_given(X, code_table(X, features=features).X, features)
    X = _validated(estimator, X, reset=False)
    check_infinity(X, [feature.name for feature in features])
    if estimator._table is None or estimator.missing == "error":
        check_finite(X, getattr(estimator, "feature_names_in_", None))
    return X


def with_medians(X: np.ndarray, features: Sequence[Feature]) -> np.ndarray:
    """Missing values replaced by the median of a numeric or ordinal feature, or the most frequent level."""
    X = X.copy()
    for j, feature in enumerate(features):
        gaps = np.isnan(X[:, j])
        if gaps.any() and not gaps.all():
            X[gaps, j] = typical(X[~gaps, j], feature)
    return X


def typical(x: np.ndarray, feature: Feature) -> float:
    """Median of a numeric or ordinal feature, most frequent level of others."""
    if feature.kind in ("nominal", "binary"):
        values, counts = np.unique(x, return_counts=True)
        return float(values[counts.argmax()])
    return float(np.quantile(x, 0.5, method="lower" if feature.kind == "ordinal" else "linear"))


def typical_rows(X: np.ndarray, labels: np.ndarray, features: Sequence[Feature]) -> np.ndarray:
    """Mean of the numbers of each cluster, median of its ordinal codes, most frequent of its levels."""
    found = np.full((int(labels.max()) + 1, X.shape[1]), np.nan)
    for cluster, row in enumerate(found):
        for j, feature in enumerate(features):
            x = X[labels == cluster, j]
            x = x[~np.isnan(x)]
            if x.size:
                row[j] = x.mean() if feature.kind == "numeric" else typical(x, feature)
    return found


def _as_given(X: Any, values: np.ndarray, features: Sequence[Feature]) -> Any:
    """A data frame where one was given, so that scikit-learn knows the names."""
    if not hasattr(X, "columns"):
        return values
    return pd.DataFrame(values, columns=[feature.name for feature in features])


def _validated(estimator: Any, X: Any, **how: Any) -> np.ndarray:
    """Numbers, C-ordered: rounding depends on the memory order, and decides ties."""
    X = dense_rows(X, None) if is_sparse(X) else X
    check_numeric_columns(X)
    with np.errstate(invalid="ignore"):  # validation sums the values, which may overflow
        return validate_data(estimator, X, dtype=FLOATS, order="C", ensure_all_finite=False, **how)
