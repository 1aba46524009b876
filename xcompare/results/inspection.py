"""`inspect`: what a table holds, what will happen with each column, and what looks odd."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xcompare.core.checks import LARGEST_VALUE
from xcompare.io.coding import in_pandas
from xcompare.io.columns import file_columns
from xcompare.io.datasets import Dataset
from xcompare.io.kinds import Column, Override, remarks
from xcompare.io.levels import known
from xcompare.io.tables import DataTable, open_table
from xcompare.results.data_checks import odd_columns, one_hot_groups
from xcompare.results.wording import BARS

BINS = 8
LEVELS_SHOWN = 3
LARGEST_SHOWN = 1e15  # whole numbers from here on in scientific notation


@dataclass(frozen=True, eq=False)
class Inspection:
    """A table, column by column, before anything runs.

    Attributes
    ----------
    name : str
    n_samples : int
    table : DataFrame
        A row per column: ``column``, ``kind``, ``reason``, ``missing`` and ``distinct`` values,
        ``histogram``, ``values`` (range or levels) and ``treatment``: what will happen with it.
    odd : tuple of str
        What looks odd, one line each.
    groups : dict of str to list of str
        Blocks of indicators with exactly one 1 in every row, by the common start of their names: one column
        that was encoded. They can be given as ``feature_groups``.
    notes : tuple of str
        Remarks on how the file and its values were interpreted.
    """

    name: str
    n_samples: int
    table: pd.DataFrame
    odd: tuple[str, ...]
    groups: dict[str, list[str]]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """Name, size and kinds in one line."""
        counts = self.table["kind"].value_counts(sort=False)
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        columns = "1 column" if len(self.table) == 1 else f"{len(self.table)} columns"
        return f"{self.name}: {self.n_samples} rows, {columns} ({kinds})"

    def to_dict(self) -> dict[str, Any]:
        """The inspection as plain dicts, lists, strings and numbers."""
        return {
            "name": self.name,
            "n_samples": self.n_samples,
            "columns": self.table.to_dict(orient="records"),
            "odd": list(self.odd),
            "groups": self.groups,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        shown = self.table.drop(columns="reason").to_string(index=False)
        return "\n".join([self.title, "", shown, "", *(f"odd: {line}" for line in self.odd), *self.notes])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in (*self.odd, *self.notes))
        return f"<p>{escape(self.title)}</p>\n{self.table.to_html(index=False)}\n<ul>{lines}</ul>"


def inspect(
    X: Any,
    columns: Mapping[str, Override] | None = None,
    *,
    labels: Any = None,
    name: str | None = None,
) -> Inspection:
    """Inspect a table before comparing methods: kinds of columns, missing values, what looks odd.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features), Dataset, str or Path
        The table, or the name of a file.
    columns : mapping of str to str or sequence, default=None
        Kinds of columns, by name, that the table does not show: "numeric", "nominal", "binary", "ordinal",
        "days", "drop", or the levels of an ordinal column, ascending.
    labels : array-like of shape (n_samples,), str or None, default=None
        Reference labels, or the name of their column: a column that equals them gives the answer away.
    name : str or None, default=None

    Returns
    -------
    Inspection

    Examples
    --------
    >>> import pandas as pd, xcompare
    >>> frame = pd.DataFrame({"age": [31, 45, -999, 18, -999], "plan": ["a", "b", "b", None, "a"]})
    >>> found = xcompare.inspect(frame)
    >>> found.table[["column", "kind", "missing", "distinct"]].to_numpy().tolist()
    [['age', 'numeric', 0, 4], ['plan', 'binary', 1, 2]]
    >>> found.odd
    ('age holds -999 in 2 rows, far from its other values: if it means missing, empty those cells',)
    """
    if isinstance(X, str | PathLike):
        return inspect_file(X, kinds=columns, label=labels)
    if isinstance(X, Dataset | DataTable):
        name, labels, X = name or X.name, X.labels if labels is None else labels, X.frame
    frame = in_pandas(X)
    if not isinstance(frame, pd.DataFrame):
        values = np.asarray(frame)
        frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])]).infer_objects()
    if isinstance(labels, str):
        labels, frame = frame[labels], frame.drop(columns=labels)
    read = file_columns(frame, columns, strict=False)
    return _inspection(name or "data", frame, read, labels, ())


def inspect_file(source: str | PathLike[str], **how: Any) -> Inspection:
    """As `inspect`, for a file or a bundled dataset, with the options of `read_table`."""
    file = open_table(source if isinstance(source, str) else Path(source), strict=False, **how)
    return _inspection(file.name, file.frame, file.columns, file.labels, tuple(file.notes))


def _inspection(
    name: str, frame: pd.DataFrame, columns: Sequence[Column], labels: Any, notes: tuple[str, ...]
) -> Inspection:
    rows = [_row(column, frame[column.name]) for column in columns]
    known = [column for column in columns if column.values is not None]
    groups = one_hot_groups([one.name for one in known], np.array([one.values for one in known]).T)
    return Inspection(
        name,
        len(frame),
        pd.DataFrame(rows),
        tuple(odd_columns(columns, None if labels is None else pd.factorize(np.asarray(labels))[0], groups)),
        groups,
        (*notes, *remarks(columns)),
    )


def _row(column: Column, given: pd.Series) -> dict[str, Any]:
    counts: np.ndarray
    if column.values is None:
        codes, texts, _ = known(given)
        shown = ", ".join(text if len(text) <= 14 else f"{text[:13]}…" for text in texts[:LEVELS_SHOWN])
        missing, distinct, counts = int((codes < 0).sum()), len(texts), np.zeros(0, int)
    else:
        values = column.values[np.isfinite(column.values)]
        missing, distinct = len(given) - len(values), len(np.unique(values))
        if column.levels:
            counts = np.bincount(values.astype(int), minlength=len(column.levels))
            largest = range(len(counts)) if column.kind == "ordinal" else np.argsort(-counts, kind="stable")
            levels = [column.levels[at] for at in list(largest)]
            shown = (" < " if column.kind == "ordinal" else ", ").join(levels[: BINS - 2])
            shown += ", ..." if len(levels) > BINS - 2 else ""
            counts = counts[list(largest)][:BINS]
        else:
            shown, counts = _range(values), _histogram(values)
    return {
        "column": column.name,
        "kind": column.kind,
        "reason": column.reason,
        "missing": missing,
        "distinct": distinct,
        "histogram": sparkline(counts),
        "values": shown,
        "treatment": _treatment(column),
    }


def _range(values: np.ndarray) -> str:
    """The smallest and the largest number; whole ones with all digits."""
    if not values.size:
        return ""
    low, high = (
        f"{value:.0f}" if value.is_integer() and abs(value) < LARGEST_SHOWN else f"{value:.5g}"
        for value in (float(values.min()), float(values.max()))
    )
    return low if values.min() == values.max() else f"{low} to {high}"


def _histogram(values: np.ndarray) -> np.ndarray:
    """Counts in bins; none if the values cannot be told apart, or are too large."""
    if not values.size or np.abs(values).max() >= LARGEST_VALUE:
        return np.zeros(0, int)
    edges = np.linspace(values.min(), values.max(), BINS + 1)
    return np.histogram(values, bins=edges)[0] if (np.diff(edges) > 0).all() else np.zeros(0, int)


def sparkline(counts: np.ndarray) -> str:
    """Counts as bars; only zero is blank.

    Examples
    --------
    >>> sparkline(np.array([1, 0, 40, 80]))
    '▁ ▄█'
    """
    if counts.size == 0:
        return ""
    heights = np.ceil(counts / counts.max() * (len(BARS) - 1)).astype(int)
    return "".join(BARS[height] for height in heights)


def _treatment(column: Column) -> str:
    if column.kind == "numeric":
        return "standardised"
    if column.kind == "constant" or column.values is None:
        return "left out"
    return "by rank" if column.kind == "ordinal" else "categories"
