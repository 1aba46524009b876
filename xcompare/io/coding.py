"""Code a table with columns of several kinds as a matrix of floats."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from xcompare.core.checks import as_matrix, check_numeric_columns
from xcompare.core.errors import DataError
from xcompare.core.features import Feature
from xcompare.core.names import hint, listed
from xcompare.io.kinds import Column, Override, read_as, read_column, remarks

LEVELS_SHOWN = 5
NOT_NUMERIC = "not numeric"


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A table as numbers."""

    # (n_samples, n_features): NaN where missing. May share memory with the data it was made of.
    X: np.ndarray
    features: tuple[Feature, ...]  # the columns of ``X``
    row_names: pd.Index | None = None  # the index of a pandas data frame
    notes: tuple[str, ...] = ()  # which columns are not numbers, or left out, and how values were interpreted


def code_table(
    X: Any,
    columns: Mapping[str, Override] | None = None,
    *,
    features: Sequence[Feature] | None = None,
    empty: bool = False,
) -> CodedTable:
    """Code a table as floats: numbers as they are, levels as 0, 1, ..., NaN where missing.

    Identifiers, text and dates are left out. Constant columns are kept.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Columns of a pandas or polars data frame are of the kind of their dtype: numbers; binary (bool);
        ordinal (ordered categories, polars Enum); nominal (categories); dates. Text and objects are told
        from their values. All columns of an array of numbers are numeric, named x0, x1, ...
    columns : mapping of str to str or sequence, default=None
        What columns are, by name: "numeric", "nominal", "binary", "ordinal", "drop", "days" (a date as
        days since 1970-01-01), or the levels of an ordinal column, ascending.
    features : sequence of Feature or None, default=None
        Code new rows by these features, found by name in a data frame; other columns are ignored. A level
        that is not known becomes missing, with a warning.
    empty : bool, default=False
        Whether there may be no feature.

    Raises
    ------
    DataError
        Infinite or complex numbers, sparse data, repeated or unknown column names, no features, or values
        that do not fit the kind of their column.

    Examples
    --------
    >>> plans = ["basic", "plus", "basic"]
    >>> frame = pd.DataFrame({"age": [31, None, 18], "plan": plans, "size": ["L", "S", "S"]})
    >>> table = code_table(frame, columns={"size": ["S", "M", "L"]})
    >>> table.X
    array([[31.,  0.,  2.],
           [nan,  1.,  0.],
           [18.,  0.,  0.]])
    >>> [feature.kind for feature in table.features]
    ['numeric', 'binary', 'ordinal']
    >>> print(*table.notes)
    not numeric: plan (binary), size (ordinal, S < M < L)
    >>> code_table(frame[:1], features=table.features).X
    array([[31.,  0.,  2.]])
    """
    frame = as_frame(X)
    row_names = frame.index if isinstance(X, pd.DataFrame) and frame is not None else None
    if features is not None:
        return CodedTable(_coded_by(X if frame is None else frame, features), tuple(features), row_names)
    if frame is None:
        values = as_matrix(X)
        names = [f"x{j}" for j in range(values.shape[1])]
        check_infinity(values, names)
        if not columns:
            return CodedTable(values, tuple(map(Feature, names)))
        frame = pd.DataFrame(values, columns=names, copy=False)
    names = [str(name) for name in frame.columns]
    _check_names(names, columns or {})
    if not columns and all(_is_plain(kind) for kind in frame.dtypes):
        values = as_matrix(frame.to_numpy(dtype=np.float64, na_value=np.nan))
        check_infinity(values, names)
        return CodedTable(values, tuple(map(Feature, names)), row_names)
    return _coded(frame, names, columns or {}, row_names, empty)


def check_infinity(X: np.ndarray, names: Sequence[str]) -> None:
    """Raise ``DataError`` naming the columns that hold infinity; NaN stands for missing values."""
    bad = np.flatnonzero(np.isinf(X).any(axis=0))
    if bad.size:
        which = listed([names[column] for column in bad.tolist()])
        raise DataError(
            f"the data must not hold infinity (columns {which}): correct it, or use NaN if missing"
        )


def kinds_notes(columns: Sequence[Column]) -> list[str]:
    """One sentence on the columns that are not numbers or not features, if any."""
    said = not_numeric_notes(columns)
    out = [
        f"{column.name} ({column.kind}: {column.reason})"
        for column in columns
        if column.values is None and column.kind != "date"
    ]
    if dates := [column.name for column in columns if column.kind == "date"]:
        dated, number = ("dates", "them numbers") if len(dates) > 1 else ("date", "it a number")
        how = f"columns={{{dates[0]!r}: 'days'}} (--date-as days) makes {number}"
        out.append(f"{listed(dates)} ({dated}; {how})")
    said += [f"left out: {listed(out)}"] if out else []
    return ["; ".join(said)] if said else []


def not_numeric_notes(columns: Sequence[Column] | Sequence[Feature]) -> list[str]:
    """Which columns or features have levels, if any, in one note."""
    coded = [f"{column.name} ({_kind_text(column)})" for column in columns if len(column.levels) > 1]
    return [f"{NOT_NUMERIC}: {listed(coded)}"] if coded else []


def _coded(
    frame: pd.DataFrame,
    names: list[str],
    columns: Mapping[str, Override],
    row_names: pd.Index | None,
    empty: bool,
) -> CodedTable:
    """Code a data frame column by column."""
    kept = [at for at, name in enumerate(names) if not _dropped(columns.get(name))]
    X = np.empty((len(frame), len(kept)))
    features: list[Feature] = []
    read: list[Column] = []
    for at in kept:
        column = read_column(frame.iloc[:, at].rename(names[at]), columns.get(names[at]))
        if column.values is not None:
            X[:, len(features)] = column.values
            features.append(Feature(column.name, column.feature_kind, column.levels))
        read.append(column)
    if not (features or empty):
        raise DataError(f"no column is a feature: {''.join(kinds_notes(read)) or 'all were dropped'}")
    X = X if len(features) == X.shape[1] else np.ascontiguousarray(X[:, : len(features)])
    check_infinity(X, [feature.name for feature in features])
    return CodedTable(X, tuple(features), row_names, (*kinds_notes(read), *remarks(read)))


def _coded_by(X: Any, features: Sequence[Feature]) -> np.ndarray:
    """Code new rows by known features."""
    if not isinstance(X, pd.DataFrame):
        values = as_matrix(X)
        if values.shape[1] != len(features):
            raise DataError(f"the data must have {len(features)} features, as in fit; got {values.shape[1]}")
        check_infinity(values, [feature.name for feature in features])
        return values
    names = [str(name) for name in X.columns]
    absent = [feature.name for feature in features if feature.name not in names]
    if absent:
        raise DataError(f"the data lack columns seen in fit: {listed(absent)}")
    at = {name: position for position, name in enumerate(names)}
    coded = np.empty((len(X), len(features)))
    unknown: dict[str, list[str]] = {}
    for j, feature in enumerate(features):
        levels = feature.levels if feature.kind != "numeric" else ()
        column = X.iloc[:, at[feature.name]].rename(feature.name)
        coded[:, j], strange = read_as(column, levels)
        if strange:
            unknown[feature.name] = strange
    if unknown:
        shown = "; ".join(f"{name}: {', '.join(levels[:LEVELS_SHOWN])}" for name, levels in unknown.items())
        warnings.warn(f"levels not seen in fit are read as missing ({shown})", stacklevel=3)
    check_infinity(coded, [feature.name for feature in features])
    return coded


def in_pandas(X: Any) -> Any:
    """A polars data frame or pyarrow table in pandas; other data as they are, but not the name of a file."""
    if isinstance(X, str | PathLike):
        raise DataError(
            f"the data must be an array or a data frame; got {str(X)!r}: xcompare.read_table reads a file,"
            " xcompare.load_dataset a bundled dataset"
        )
    return X.to_pandas() if hasattr(X, "schema") and hasattr(X, "to_pandas") else X


def as_frame(X: Any) -> pd.DataFrame | None:
    """A data frame with columns of any kind; None for an array of numbers."""
    if isinstance(X, pd.DataFrame):
        if any(kind.kind == "c" for kind in X.dtypes):
            check_numeric_columns(X)
        return X
    if (frame := in_pandas(X)) is not X:
        return frame
    if getattr(getattr(X, "dtype", None), "kind", "") == "O" or isinstance(X, list | tuple):
        array = np.asarray(X, dtype=object)
        if array.ndim == 2 and any(isinstance(value, str) for value in array.ravel()[: array.shape[1] * 100]):
            return pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])]).infer_objects()
    return None


def _check_names(names: Sequence[str], columns: Mapping[str, Override]) -> None:
    """Names must be unique, and those of the overrides known."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise DataError(f"column names must be unique; duplicated: {', '.join(twice)}")
    known = set(names)
    for name in columns:
        if name not in known:
            raise DataError(
                f"columns names {name!r}, which is not in the data; {hint(str(name), names)}columns:"
                f" {listed(names)}"
            )


def _is_plain(kind: Any) -> bool:
    return types.is_numeric_dtype(kind) and not types.is_bool_dtype(kind)


def _dropped(override: Override | None) -> bool:
    return isinstance(override, str) and override == "drop"


def _kind_text(column: Column | Feature) -> str:
    """Kind and levels of a coded column."""
    shown = column.levels[:LEVELS_SHOWN]
    if column.kind == "ordinal":
        return f"ordinal, {' < '.join(shown)}{' < ...' if len(column.levels) > len(shown) else ''}"
    return f"nominal, {len(column.levels)} levels" if column.kind == "nominal" else column.kind
