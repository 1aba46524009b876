"""The columns of a file: the kind of each, and a data frame that says so by its dtypes."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from xcompare.core.errors import DataError
from xcompare.io.kinds import DAYS, UNIT_OF_DATES, Column, Override, read_column

Dates = Literal["days"]
FEWEST_ROWS = 10  # with fewer, whole numbers may be distinct by chance
IDENTIFIES = re.compile(r"(.*[\s_.-])?(id|uuid|guid|index|key|nr|no|rownames?)|.*[a-z]I[Dd]", re.IGNORECASE)


def file_columns(
    frame: pd.DataFrame,
    kinds: Mapping[str, Override] | None = None,
    *,
    separator: str = ",",
    dates: Dates | None = None,
    strict: bool = True,
) -> list[Column]:
    """The columns of a file with their kinds, told from the values.

    ``kinds``: overrides; see `read_column`. ``separator``: separator of the file. ``dates`` ("days" or None):
    take all dates as days since 1970-01-01. None: they are no features. ``strict``: whether a column that
    holds numbers and other values is an error; otherwise it is read as text.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": range(10), "age": [30, 31] * 5, "plan": ["a", "b"] * 5})
    >>> [column.kind for column in file_columns(frame)]
    ['identifier', 'numeric', 'binary']
    """
    given = kinds or {}
    columns = []
    for key, values in frame.items():
        name = str(key)
        if given.get(name) == "drop":
            continue
        values = values.rename(name)
        try:
            column = read_column(values, given.get(name), separator=separator)
            if column.kind == "date" and dates is not None:
                column = read_column(values, dates)
        except DataError as error:
            if strict or name in given:
                raise
            column = Column(name, "text", str(error).removeprefix(f"{name} has "), None, to_mend=True)
        columns.append(column if name in given else _without_numbering(column))
    return columns


def typed(columns: list[Column], n_samples: int) -> tuple[pd.DataFrame, list[str]]:
    """A data frame of the columns that are features, and the names of numeric ones that hold infinity.

    Numbers are floats, NaN where missing or infinite; true and false are booleans; other levels are
    categories, ordered in an ordinal column. Columns without values are left out. Names of dates taken as
    days say so.
    """
    kept = [column for column in columns if column.values is not None and column.reason != "no values"]
    infinite = [column.name for column in kept if column.values is not None and np.isinf(column.values).any()]
    rows = pd.RangeIndex(n_samples)
    if kept and not any(column.levels for column in kept):
        matrix = np.empty((n_samples, len(kept)))  # filled one by one: the columns are in memory already
        for at, column in enumerate(kept):
            matrix[:, at] = np.asarray(_typed(column))
        frame = pd.DataFrame(matrix, index=rows, copy=False)
    else:
        frame = pd.DataFrame({at: _typed(column) for at, column in enumerate(kept)}, index=rows)
    return frame.set_axis(pd.Index([_title(column) for column in kept], dtype=object), axis=1), infinite


def _title(column: Column) -> str:
    return f"{column.name} ({UNIT_OF_DATES})" if column.reason == DAYS else column.name


def _typed(column: Column) -> np.ndarray | pd.Categorical | pd.api.extensions.ExtensionArray:
    values = column.values
    assert values is not None
    if not column.levels:
        return np.where(np.isinf(values), np.nan, values)
    missing = np.isnan(values)
    if column.levels == ("False", "True"):
        known = np.where(missing, 0, values).astype(bool)
        return known if not missing.any() else pd.arrays.BooleanArray(known, missing)
    codes = np.where(missing, -1, values).astype(np.int64)
    return pd.Categorical.from_codes(codes, pd.Index(column.levels), ordered=column.kind == "ordinal")


def _without_numbering(column: Column) -> Column:
    """An identifier, if the column is called one and has a different whole number in every row."""
    values = column.values
    if values is None or column.kind != "numeric" or not IDENTIFIES.fullmatch(column.name):
        return column
    whole = not np.isnan(values).any() and (values == np.round(values)).all()
    if len(values) < FEWEST_ROWS or not whole or len(np.unique(values)) < len(values):
        return column
    return replace(column, kind="identifier", reason="a different whole number in every row", values=None)
