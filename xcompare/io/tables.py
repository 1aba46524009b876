"""Read data from a bundled dataset, a file or standard input.

Errors are one line that names the columns and the option that helps.
"""

import csv
import io
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype

from xcompare.core.errors import DataError
from xcompare.io.datasets import DATASETS, load_dataset
from xcompare.io.files import ROW, TRANSPOSE, TRANSPOSE_RATIO, Layout, listed, not_numeric, read_file
from xcompare.io.formats import MAX_SIZE
from xcompare.io.h5ad import read_h5ad

Missing = Literal["drop", "median"]


@dataclass(frozen=True, eq=False)
class DataTable:
    """Numeric columns with the reference partition, if known.

    Attributes
    ----------
    name : str
        Name of the dataset, or of the file without its suffix.
    X : DataFrame of shape (n_samples, n_features)
        Finite numbers, not standardised. The index holds row names, those of a column that was left out and
        has another value in every row, or the numbers of the rows from 1.
    labels : ndarray of shape (n_samples,) or None
        Reference partition, for evaluation only.
    n_clusters : int or None
        The dataset's own number of clusters, or the number of distinct labels.
    notes : tuple of str
        Remarks on how the file was interpreted.
    """

    name: str
    X: pd.DataFrame
    labels: np.ndarray | None
    n_clusters: int | None
    notes: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """The data frame, ``X``."""
        return self.X

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of ``X``."""
        return tuple(self.X.columns)


def read_table(
    source: str | Path,
    *,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    missing: Missing | None = None,
    header: bool = True,
    transpose: bool = False,
    max_size: float = MAX_SIZE,
    seed: int = 0,
    unlabelled: bool = False,
) -> DataTable:
    """Read data to compare methods on.

    Parameters
    ----------
    source : str or Path
        Name of a bundled dataset, a CSV, TSV, Parquet or Excel file, gzipped or not, an AnnData file
        (.h5ad; ``label`` is a column of ``.obs``), or ``"-"`` for standard input. The separator of a text
        file is inferred from its first line. A first column without a name is taken as row names and left
        out.
    label : str or None, default=None
        Column with the reference partition; it is not used as a feature.
    columns : sequence of str or None, default=None
        Features to keep, in this order. None: all. A name that contains commas may be given in pieces.
    drop : sequence of str or None, default=None
        Columns to leave out.
    missing : {"drop", "median"} or None, default=None
        Treatment of missing and infinite values: drop those rows, or impute the median of the column.
        None: raise an error.
    header : bool, default=True
        Whether the first line has the column names; otherwise they are x0, x1 and so on.
    transpose : bool, default=False
        Whether rows are features, named by the first column, and columns are samples.
    max_size : float, default=2
        Largest size to read, in gigabytes after decompression.
    seed : int, default=0
        Random seed of a simulated dataset.
    unlabelled : bool, default=False
        Whether rows may have no label.

    Returns
    -------
    DataTable

    Raises
    ------
    DataError
        No such file or column, columns that are not numeric, missing values, fewer than two features.

    Examples
    --------
    >>> table = read_table("iris", drop=["Sepal width"])
    >>> table.X.shape, table.n_clusters
    ((150, 3), 3)
    """
    if missing is not None and missing not in get_args(Missing):
        raise DataError(f"missing must be one of {', '.join(get_args(Missing))}; got {missing!r}")
    if str(source) in DATASETS:
        return _bundled(str(source), label, columns, drop, seed)
    where = "standard input" if str(source) == "-" else str(source)
    name = "stdin" if str(source) == "-" else Path(str(source).removesuffix(".gz")).stem
    if Path(source).suffix == ".h5ad":
        everything, notes = read_h5ad(source, label)
    else:
        everything, notes = read_file(source, where, Layout(header, transpose, max_size))
    _check_names(everything, where)
    frame = everything.reset_index(drop=True)
    labels = None
    if label is not None:
        _check_columns(frame, [label], where, "--label")
        labels = frame.pop(label)
    frame = _select(frame, columns, drop, where, known=() if label is None else (label,))
    _check_numeric(frame, where, label_given=label is not None)
    X, labels, more = _complete(frame.astype(np.float64), labels, missing, where, unlabelled)
    _check_size(X, where)
    X.index = _row_names(everything, frame.columns)[X.index]
    notes += more
    if labels is None:
        return DataTable(name, X, None, None, tuple(notes))
    return DataTable(name, X, labels.to_numpy(), int(labels.nunique()), tuple(notes))


def _bundled(name, label, columns, drop, seed) -> DataTable:
    """A bundled dataset, with its labels and number of clusters."""
    if label is not None:
        raise DataError(f"{name} is a bundled dataset and has its own labels; leave out --label {label}")
    dataset = load_dataset(name, seed=seed)
    frame = pd.DataFrame(dataset.X, columns=list(dataset.feature_names))
    X = _select(frame, columns, drop, name)
    X.index = _row_names(frame, X.columns)
    _check_size(X, name)
    return DataTable(name, X, dataset.labels, dataset.n_clusters)


def _select(frame, columns, drop, where, known: Collection[str] = ()) -> pd.DataFrame:
    """Select the requested features; names in ``known`` are accepted although they are not features."""
    wanted = list(frame.columns)
    if columns is not None:
        columns = _rejoined(columns, frame.columns)
        _check_columns(frame, columns, where, "--columns", known)
        wanted = [column for column in dict.fromkeys(columns) if column not in known]
    if drop is not None:
        drop = _rejoined(drop, frame.columns)
        _check_columns(frame, drop, where, "--drop", known)
        left_out = set(drop)
        wanted = [column for column in wanted if column not in left_out]
    return frame[wanted]


def _row_names(frame: pd.DataFrame, features: Collection[str]) -> pd.Index:
    """What the rows are called: see `DataTable`."""
    if frame.index.name == ROW:
        return frame.index
    for name, column in frame.items():
        if name not in features and not is_float_dtype(column) and column.is_unique:
            return pd.Index(column, name=name)
    return pd.RangeIndex(1, len(frame) + 1, name=ROW)


def _complete(
    X: pd.DataFrame, labels: pd.Series | None, missing: Missing | None, where: str, unlabelled: bool
) -> tuple[pd.DataFrame, pd.Series | None, list[str]]:
    """Handle missing and infinite values."""
    X = X.where(np.isfinite(X))
    if labels is None:
        label_name, without_label = "", pd.Series(False, index=X.index)
    else:
        label_name, without_label = str(labels.name), labels.isna() & (not unlabelled)
    holes = X.isna()
    bad = holes.any(axis=1) | without_label
    if not bad.any():
        return X, labels, []
    empty = list(X.columns[holes.all(axis=0)])
    if empty:
        raise DataError(f"{where}: no values in {listed(empty)}; leave out with --drop {_joined(empty)}")
    which = listed([*X.columns[holes.any(axis=0)], *([label_name] if without_label.any() else [])])
    rows = f"{bad.sum()} of {len(X)} rows"
    if missing is None:
        medians = "" if without_label.any() else ", or fill in medians with --missing median"
        raise DataError(
            f"{where}: {rows} hold missing or infinite values (in {which});"
            f" leave them out with --missing drop{medians}"
        )
    if missing == "median":
        if without_label.any():
            raise DataError(
                f"{where}: {without_label.sum()} of {len(X)} rows have no label in {label_name};"
                " leave them out with --missing drop"
            )
        return X.fillna(X.median()), labels, [f"medians put in for missing values in {rows} ({which})"]
    if bad.all():
        hint = "leave columns out with --drop" if without_label.any() else "try --missing median"
        raise DataError(f"{where}: every row holds missing values (in {which}); {hint}")
    keep = ~bad
    kept_labels = None if labels is None else labels[keep]
    return X[keep], kept_labels, [f"{rows} with missing values left out ({which})"]


def _check_names(frame: pd.DataFrame, where: str) -> None:
    """Column names must be unique (Parquet files can repeat them too)."""
    repeated = list(dict.fromkeys(frame.columns[frame.columns.duplicated()]))
    if repeated:
        raise DataError(f"{where} has more than one column named {listed(repeated)}")
    if len(frame) == 0:
        raise DataError(f"{where} has no rows")
    if len(frame) == 1:
        raise DataError(f"{where} has only one row; give one row per sample and one column per feature")


def _check_columns(frame, names, where, option, known: Collection[str] = ()) -> None:
    """Every name must be a column."""
    for wanted in names:
        if wanted in frame.columns or wanted in known:
            continue
        near = get_close_matches(wanted, frame.columns, n=1) or [
            column for column in frame.columns if column.casefold() == wanted.casefold()
        ]
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise DataError(
            f"{where} has no column {wanted!r} ({option}); {hint}columns: {listed(frame.columns)}"
        )


def _check_numeric(frame: pd.DataFrame, where: str, *, label_given: bool) -> None:
    """Every feature must be numeric; the error names the others, each with an example."""
    text = not_numeric(frame)
    if not text:
        return
    for column in text:
        strange = _not_numbers(frame[column])
        if 0 < 2 * len(strange) < len(frame):
            raise DataError(
                f"{where}: {column} has {len(strange)} of {len(frame)} values that are not numbers"
                f" ({listed([_shown(value) for value in strange.unique()[:3]])}); correct them, or empty them"
                f" and use --missing; or leave out the column with --drop {_joined([column])}"
            )
    shown = listed([f"{column} ({_example(frame[column])})" for column in text])
    # A column with a different value in nearly every row is an identifier, not a ground truth.
    groups = [column for column in text if frame[column].nunique() <= len(frame) / 2]
    label = f", or take one as ground truth with --label {shlex.quote(groups[0])}" if groups else ""
    turned = text == [frame.columns[0]] and not groups and len(frame) > TRANSPOSE_RATIO * frame.shape[1]
    raise DataError(
        f"{where}: not numeric: {shown}; leave out with --drop {_joined(text)}"
        f"{'' if label_given else label}{f'; {TRANSPOSE}' if turned else ''}"
    )


def _check_size(X: pd.DataFrame, where: str) -> None:
    """At least two features are needed."""
    if X.shape[1] < 2:
        got = ", ".join(X.columns) or "none"
        raise DataError(
            f"{where}: at least two features are needed to compare them; got {X.shape[1]} ({got})"
        )


def _example(column: pd.Series) -> str:
    """The first value that is not a number, shortened."""
    values = column.dropna()
    if values.empty:
        return "empty"
    strange = _not_numbers(column)
    return _shown((strange if len(strange) else values).iloc[0])


def _not_numbers(column: pd.Series) -> pd.Series:
    """Non-missing values of a column that are not numbers."""
    values = column.dropna()
    return values[pd.to_numeric(values.astype("string"), errors="coerce").isna().to_numpy()]


def _shown(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= 20 else f"{text[:17]}...")


def _joined(names: Sequence[str]) -> str:
    """Names as one command-line argument, quoted for the shell if needed."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return shlex.quote(line.getvalue())


def _rejoined(names: Sequence[str], columns: Collection[str]) -> list[str]:
    """Join the pieces of column names that contain commas.

    Examples
    --------
    >>> _rejoined(["width", "length", "cm"], ["width", "length, cm"])
    ['width', 'length, cm']
    """
    with_commas = {tuple(part.strip() for part in column.split(",")): column for column in columns}
    found: list[str] = []
    rest = list(names)
    while rest:
        sizes = [1] if rest[0] in columns else range(len(rest), 1, -1)
        size = next((size for size in sizes if tuple(rest[:size]) in with_commas), 1)
        found.append(with_commas[tuple(rest[:size])] if size > 1 else rest[0])
        rest = rest[size:]
    return found
