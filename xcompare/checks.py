"""Checks on what callers pass in; every message says what was wrong and what to do."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from xcompare.exceptions import DataError, UnknownNameError

LARGEST, SMALLEST = 1e140, 1e-140  # what can be squared, and summed over many rows, within a float


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number: of any integer type, but no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_integer(name: str, value: Any, smallest: int, largest: int | None = None) -> None:
    """Raise ``DataError`` unless ``value`` is a whole number within the bounds, both included."""
    if not is_whole(value) or value < smallest or (largest is not None and value > largest):
        bounds = f"of at least {smallest}" if largest is None else f"from {smallest} to {largest}"
        raise DataError(f"{name} must be a whole number {bounds}; got {value!r}")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise ``UnknownNameError`` unless ``value`` is one of the choices."""
    if value not in choices:
        raise UnknownNameError(f"{name} must be one of {', '.join(choices)}; got {value!r}")


def check_data(
    X: ArrayLike, *, name: str = "the data", min_samples: int = 1, squares: bool = False
) -> np.ndarray:
    """Data as a finite float64 matrix, row after row in memory, whatever order it came in.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    name : str, default="the data"
        What messages call it.
    min_samples : int, default=1
    squares : bool, default=False
        Whether the squares of the values must fit in a float as well: see `check_squares`.

    Raises
    ------
    DataError
        Sparse, not two-dimensional, empty, not numeric (text columns are named), or not finite.
    """
    check_numeric_columns(X)
    if hasattr(X, "tocsr"):
        raise DataError(f"{name} must be dense; got a sparse matrix: give X.toarray() if it fits in memory")
    try:
        array = np.asarray(X, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numeric; {error}") from None
    if array.ndim != 2 or array.size == 0:
        raise DataError(f"{name} must be a non-empty matrix, rows by features; got shape {array.shape}")
    bad = ~np.isfinite(array)
    if bad.any():
        rows, columns = bad.any(axis=1).sum(), np.flatnonzero(bad.any(axis=0))
        names = list(X.columns[columns]) if isinstance(X, pd.DataFrame) else columns.tolist()
        raise DataError(
            f"{name} must be finite; {rows} of {len(array)} rows hold NaN or infinity (columns {names}):"
            " drop those rows or impute them first"
        )
    if len(array) < min_samples:
        raise DataError(f"{name} must have at least {min_samples} rows; got {len(array)}")
    if squares:
        check_squares(array, name=name)
    return array


def check_squares(X: np.ndarray, *, name: str = "the data") -> None:
    """Raise ``DataError`` where squares of the values in ``X``, or sums of them, would not fit in a float.

    What is too large would become infinite, and what varies too little would not vary at all.
    """
    least, most = X.min(axis=0), X.max(axis=0)
    largest = max(-least.min(), most.max())
    extent = most.clip(-LARGEST, LARGEST) - least.clip(-LARGEST, LARGEST)
    if largest > LARGEST or (extent[extent > 0] < SMALLEST).any():
        raise DataError(
            f"{name} must stay within ±{LARGEST:g} and vary by at least {SMALLEST:g}, so that squares fit in"
            f" a float; got values up to {largest:.3g}: standardise, or take another unit"
        )


def check_numeric_columns(X: Any) -> None:
    """Raise ``DataError`` naming the columns of a data frame, of pandas or polars, that are not numeric."""
    if isinstance(X, pd.DataFrame):
        text = [str(c) for c in X.columns if not pd.api.types.is_numeric_dtype(X[c])]
    elif hasattr(X, "schema") and hasattr(X, "to_numpy"):  # polars
        text = [name for name, kind in X.schema.items() if not (kind.is_numeric() or str(kind) == "Boolean")]
    else:
        return
    if text:
        raise DataError(
            f"every column must be numeric; got other values in {', '.join(text)}: drop or encode them first"
        )


def check_labels(labels: ArrayLike, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels as codes ``0..K-1`` (no gaps), with the distinct labels they stand for."""
    array = np.asarray(labels)
    if array.shape != (n_samples,):
        raise DataError(f"labels must hold one entry per row ({n_samples}); got shape {array.shape}")
    distinct, codes = np.unique(array, return_inverse=True)
    return codes, distinct
