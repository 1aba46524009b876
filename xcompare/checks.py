"""Checks on what callers pass in; every message says what was wrong and what to do."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike


def check_integer(name: str, value: Any, smallest: int, largest: int | None = None) -> None:
    """Raise ``ValueError`` unless ``value`` is a whole number within the bounds, both included."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < smallest or (largest is not None and value > largest):
        bounds = f"of at least {smallest}" if largest is None else f"from {smallest} to {largest}"
        raise ValueError(f"{name} must be a whole number {bounds}; got {value!r}")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise ``ValueError`` unless ``value`` is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}")


def check_data(X: ArrayLike, *, name: str = "the data", min_samples: int = 1) -> np.ndarray:
    """Data as a finite float64 matrix, row after row in memory, whatever order it came in.

    Raises
    ------
    ValueError
        Sparse, not two-dimensional, empty, not numeric (text columns are named), or not finite.
    """
    check_numeric_columns(X)
    if hasattr(X, "tocsr"):
        raise ValueError(f"{name} must be dense; got a sparse matrix: give X.toarray() if it fits in memory")
    try:
        array = np.asarray(X, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numeric; {error}") from None
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty matrix, rows by features; got shape {array.shape}")
    bad = ~np.isfinite(array)
    if bad.any():
        rows, columns = bad.any(axis=1).sum(), np.flatnonzero(bad.any(axis=0))
        names = list(X.columns[columns]) if isinstance(X, pd.DataFrame) else columns.tolist()
        raise ValueError(
            f"{name} must be finite; {rows} of {len(array)} rows hold NaN or infinity (columns {names}):"
            " drop those rows or impute them first"
        )
    if len(array) < min_samples:
        raise ValueError(f"{name} must have at least {min_samples} rows; got {len(array)}")
    return array


def check_numeric_columns(X: Any) -> None:
    """Raise ``ValueError`` naming the columns of a data frame, of pandas or polars, that are not numeric."""
    if isinstance(X, pd.DataFrame):
        text = [str(c) for c in X.columns if not pd.api.types.is_numeric_dtype(X[c])]
    elif hasattr(X, "schema") and hasattr(X, "to_numpy"):  # polars
        text = [name for name, kind in X.schema.items() if not (kind.is_numeric() or str(kind) == "Boolean")]
    else:
        return
    if text:
        raise ValueError(
            f"every column must be numeric; got other values in {', '.join(text)}: drop or encode them first"
        )


def check_labels(labels: ArrayLike, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels as codes ``0..K-1`` (no gaps), with the distinct labels they stand for."""
    array = np.asarray(labels)
    if array.shape != (n_samples,):
        raise ValueError(f"labels must hold one entry per row ({n_samples}); got shape {array.shape}")
    distinct, codes = np.unique(array, return_inverse=True)
    return codes, distinct
