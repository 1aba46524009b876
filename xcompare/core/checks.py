"""Checks of arguments; every message says what was wrong and what to do."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from xcompare.core.errors import DataError, UnknownNameError
from xcompare.core.names import listed

if TYPE_CHECKING:
    import pandas as pd

LARGEST_VALUE, SMALLEST_RANGE = 1e140, 1e-140  # their squares, summed over many rows, fit in a float


def is_whole(value: Any) -> bool:
    """Whether a value is of an integer type other than bool."""
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
    """Validate data and return them as a finite, C-ordered float64 matrix.

    ``X`` of shape (n_samples, n_features). ``name``: name of the data in error messages. ``squares``: whether
    the squares of the values must fit in a float as well; see `check_squares`.

    Raises
    ------
    DataError
        Sparse, not two-dimensional, empty, not numeric (text columns are named), or not finite.
    """
    array = as_matrix(X, name=name)
    check_finite(array, list(X.columns) if _is_pandas(X) else None, name=name)
    if len(array) < min_samples:
        raise DataError(f"{name} must have at least {min_samples} rows; got {len(array)}")
    if squares:
        check_squares(array, name=name)
    return array


def as_matrix(X: ArrayLike, *, name: str = "the data") -> np.ndarray:
    """Data as a C-ordered float64 matrix, not empty, in which values may be missing; see `check_data`."""
    check_numeric_columns(X)
    if hasattr(X, "tocsr"):
        raise DataError(f"{name} must be dense; got a sparse matrix: give X.toarray() if it fits in memory")
    try:
        array = np.asarray(X, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numeric; {error}") from None
    if array.ndim != 2 or array.size == 0:
        raise DataError(f"{name} must be a non-empty matrix, rows by features; got shape {array.shape}")
    return array


def check_finite(X: np.ndarray, names: Sequence[Any] | None = None, *, name: str = "the data") -> None:
    """Raise ``DataError`` naming the columns of ``X`` that hold NaN or infinity."""
    bad = ~np.isfinite(X)
    if not bad.any():
        return
    columns = np.flatnonzero(bad.any(axis=0)).tolist()
    which = listed(columns if names is None else [names[column] for column in columns])
    raise DataError(
        f"{name} must be finite; {bad.any(axis=1).sum()} of {len(X)} rows hold NaN or infinity"
        f" (columns {which}): drop those rows or impute them first"
    )


def check_squares(X: np.ndarray, *, name: str = "the data") -> None:
    """Raise ``DataError`` if squares of the values in ``X``, or sums of squares, would not fit in a float.

    Values that are too large would overflow, and features that vary too little would become constant.
    """
    least, most = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    largest = max(-least.min(), most.max())
    extent = most.clip(-LARGEST_VALUE, LARGEST_VALUE) - least.clip(-LARGEST_VALUE, LARGEST_VALUE)
    if largest > LARGEST_VALUE or (extent[extent > 0] < SMALLEST_RANGE).any():
        raise DataError(
            f"{name} must stay within ±{LARGEST_VALUE:g} and vary by at least {SMALLEST_RANGE:g}, so that"
            f" squares fit in a float; got values up to {largest:.3g}: standardise, or change the unit"
        )


def check_numeric_columns(X: Any) -> None:
    """Raise ``DataError`` naming the columns of a pandas or polars data frame that are not numeric.

    Complex data are rejected as well, and AnnData, which numpy takes minutes to convert.
    """
    if all(hasattr(X, name) for name in ("X", "obs", "var")):
        raise DataError(
            "AnnData cannot be read as a table; give adata.to_df(), which names its columns by genes"
        )
    if _is_complex(X):
        raise DataError(
            "Complex data not supported: the data must be real numbers; give X.real, or np.abs(X) for moduli"
        )
    text = columns_of_text(X)
    if text:
        raise DataError(
            f"every column must be numeric; got other values in {', '.join(text)}: drop or encode them first"
        )


def columns_of_text(X: Any) -> list[str]:
    """Names of the columns of a pandas or polars data frame that are not numbers or flags."""
    if _is_pandas(X):
        from pandas.api.types import is_numeric_dtype

        kinds = zip(X.columns, X.dtypes, strict=True)
        return [str(name) for name, kind in kinds if not is_numeric_dtype(kind)]
    if hasattr(X, "schema") and hasattr(X, "to_numpy"):  # polars
        return [name for name, kind in X.schema.items() if not (kind.is_numeric() or str(kind) == "Boolean")]
    return []


def _is_pandas(X: Any) -> "TypeGuard[pd.DataFrame]":
    """Whether ``X`` is a pandas data frame; pandas is not imported to tell."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def _is_complex(X: Any) -> bool:
    if _is_pandas(X):
        return any(kind.kind == "c" for kind in X.dtypes)
    if isinstance(X, list | tuple):
        with suppress(ValueError):  # such as rows of different lengths, which other checks reject
            X = np.asarray(X)
    return getattr(getattr(X, "dtype", None), "kind", "") == "c"


def check_weights(sample_weight: ArrayLike, n_samples: int) -> np.ndarray:
    """Weights of rows as floats: one finite number of at least 0 each."""
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_samples,):
        raise DataError(
            f"sample_weight must hold one number per row ({n_samples}); got shape {weights.shape}"
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise DataError("sample_weight must hold finite numbers of at least 0")
    return weights


def check_labels(labels: ArrayLike, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Encode labels as consecutive integers from 0; also return the distinct labels."""
    array = np.asarray(labels)
    if array.shape != (n_samples,):
        raise DataError(f"labels must hold one entry per row ({n_samples}); got shape {array.shape}")
    distinct, codes = np.unique(array, return_inverse=True)
    return codes, distinct
