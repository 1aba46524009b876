"""Read data from a bundled dataset, a file or standard input.

Errors are one line that names the columns and the option that helps.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype, is_numeric_dtype

from xcompare.core.checks import check_choice
from xcompare.core.errors import DataError
from xcompare.core.names import hint, listed
from xcompare.io.coding import kinds_notes
from xcompare.io.columns import Dates, file_columns, typed
from xcompare.io.datasets import DATASETS, load_dataset
from xcompare.io.delimited import Layout
from xcompare.io.files import ROW, TRANSPOSE, TRANSPOSE_RATIO, Contents, read_file
from xcompare.io.formats import MAX_SIZE
from xcompare.io.h5ad import read_h5ad
from xcompare.io.kinds import Column, Override, read_column, remarks
from xcompare.io.levels import known
from xcompare.io.missing_values import Missing, complete


@dataclass(frozen=True, eq=False)
class DataTable:
    """Features with the reference partition, if known."""

    name: str  # name of the dataset, or of the file without its suffix
    # (n_samples, n_features): not standardised. Numbers are floats, true and false booleans, other levels
    # categories, ordered for an ordinal feature. The index holds row names, those of a column that was left
    # out and has another value in every row, or the numbers of the rows from 1.
    X: pd.DataFrame
    labels: np.ndarray | None  # (n_samples,) or None: reference partition, for evaluation only
    n_clusters: int | None  # the dataset's own number of clusters, or the number of distinct labels
    notes: tuple[str, ...] = ()  # remarks on how the file was interpreted
    weights: np.ndarray | None = None  # (n_samples,) or None: weights of the rows

    @property
    def frame(self) -> pd.DataFrame:
        """The data frame, ``X``."""
        return self.X

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of ``X``."""
        return tuple(self.X.columns)


@dataclass(frozen=True, eq=False)
class FileTable:
    """A file as read, before anything is left out."""

    # name, where: name of the data, and of the source in messages
    name: str
    where: str
    frame: pd.DataFrame  # (n_samples, n_columns): the columns selected, with text as it is in the file
    columns: list[Column]  # their kinds
    labels: pd.Series | None
    weights: pd.Series | None
    row_names: pd.Index
    notes: list[str]
    n_clusters: int | None = None  # of a bundled dataset


def read_table(
    source: str | Path,
    *,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    kinds: Mapping[str, Override] | None = None,
    dates: Dates | None = None,
    weights: str | None = None,
    missing: Missing | None = None,
    header: bool = True,
    transpose: bool = False,
    max_size: float = MAX_SIZE,
    seed: int = 0,
    unlabelled: bool = False,
) -> DataTable:
    """Read data to compare methods on.

    Identifiers, text, dates and columns without values are left out; a note names them.

    Parameters
    ----------
    source : str or Path
        Name of a bundled dataset, a CSV, TSV, Parquet, Feather or Excel file, gzipped or not, an AnnData
        file (.h5ad; ``label`` is a column of ``.obs``), or ``"-"`` for standard input. The separator of a
        text file is inferred from its first line. A first column without a name is read as row names and
        left out.
    label : str or None, default=None
        Column with the reference partition; it is not used as a feature.
    columns : sequence of str or None, default=None
        Features to keep, in this order. None: all.
    drop : sequence of str or None, default=None
        Columns to leave out.
    kinds : mapping of str to str or sequence, default=None
        Kinds of columns, by name, that the file does not show: "numeric", "nominal", "binary", "ordinal",
        "days" (a date as days since 1970-01-01), "drop", or the levels of an ordinal column, ascending.
    dates : {"days"} or None, default=None
        Convert dates to numbers, named "joined (days since 1970-01-01)". None: they are left out.
    weights : str or None, default=None
        Column with the weights of the rows; it is not used as a feature.
    missing : {"error", "drop", "median"} or None, default=None
        Treatment of missing and infinite values: raise an error; drop those rows; or impute the median of
        the column, or the most frequent of its levels. None: keep them as missing.
    header : bool, default=True
        Whether the first line has the column names; otherwise they are x0, x1 and so on.
    transpose : bool, default=False
        Whether rows are features, named by the first column, and columns are samples.
    max_size : float, default=2
        Maximum size to read, in gigabytes after decompression.
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
        No such file or column, values that do not fit their column, missing values or labels, fewer than
        two features.

    Examples
    --------
    >>> table = read_table("iris", drop=["Sepal width"])
    >>> table.X.shape, table.n_clusters
    ((150, 3), 3)
    """
    if missing is not None:
        check_choice("missing", missing, get_args(Missing))
    file = open_table(
        source, label=label, columns=columns, drop=drop, kinds=kinds, dates=dates, weights=weights,
        header=header, transpose=transpose, max_size=max_size, seed=seed,
    )  # fmt: skip
    X, infinite = typed(file.columns, len(file.frame))
    _check_size(X, file)
    notes = [*file.notes, *_kinds_notes(file.columns)]
    if infinite and missing is None:
        notes.append(f"infinite values read as missing ({listed(infinite)})")
    kept, X, said = complete(X, None if unlabelled else file.labels, missing, file.where)
    X.index = file.row_names[kept]
    labels = None if file.labels is None else file.labels.iloc[kept]
    n_clusters = file.n_clusters
    if n_clusters is None and labels is not None:
        n_clusters = int(labels.nunique())
    weighted = None if file.weights is None else _checked(file.weights.iloc[kept], file.where)
    given = None if labels is None else labels.to_numpy()
    return DataTable(file.name, X, given, n_clusters, (*notes, *said), weighted)


def open_table(
    source: str | Path,
    *,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    kinds: Mapping[str, Override] | None = None,
    dates: Dates | None = None,
    weights: str | None = None,
    header: bool = True,
    transpose: bool = False,
    max_size: float = MAX_SIZE,
    seed: int = 0,
    strict: bool = True,
) -> FileTable:
    """Read the columns selected, and tell their kinds; see `read_table`."""
    labels, n_clusters = None, None
    said: list[str] = []
    if str(source) in DATASETS:
        name = where = str(source)
        if label is not None:
            raise DataError(f"{name} is a bundled dataset and has its own labels; leave out --label {label}")
        dataset = load_dataset(name, seed=seed)
        everything = Contents(dataset.frame, [])
        n_clusters = dataset.n_clusters
        labels = None if dataset.labels is None else pd.Series(dataset.labels)
    else:
        where = "standard input" if str(source) == "-" else str(source)
        name = "stdin" if str(source) == "-" else Path(str(source).removesuffix(".gz")).stem
        h5ad = Path(source).suffix == ".h5ad"
        layout = Layout(header, transpose, max_size)
        everything = Contents(*read_h5ad(source, label)) if h5ad else read_file(source, where, layout)
        _check_names(everything.frame, where)
    frame = everything.frame.reset_index(drop=True)
    if label is not None:
        _check_columns(frame, [label], where, "--label")
        labels, said = _labels(frame.pop(label))
    row_weights = None
    if weights is not None:
        _check_columns(frame, [weights], where, "--weights", () if label is None else (label,))
        row_weights, how = _weights(frame.pop(weights), where, everything.separator)
        said += how
    roles = [name for name in (label, weights) if name is not None]
    frame = _selected(frame, columns, drop, where, roles)
    _check_columns(frame, kinds or {}, where, "kinds; --nominal, --ordinal, --numeric")
    try:
        read = file_columns(frame, kinds, separator=everything.separator, dates=dates, strict=strict)
    except DataError as error:
        raise DataError(f"{where}: {error}") from None
    features = [column.name for column in read if column.values is not None]
    rows = _row_names(everything.frame, features)
    notes = [
        *everything.notes,
        *said,
        *_transpose_note(frame, [column.name for column in read if column.kind in ("numeric", "constant")]),
    ]
    return FileTable(name, where, frame, read, labels, row_weights, rows, notes, n_clusters)


def _kinds_notes(columns: Sequence[Column]) -> list[str]:
    """Remarks on columns that are not numbers or not features, and on how values were interpreted."""
    empty = [column.name for column in columns if column.reason == "no values"]
    no_values = [f"no values, left out: {listed(empty)}"] if empty else []
    return [*kinds_notes(columns), *no_values, *remarks(columns)]


def _selected(
    frame: pd.DataFrame,
    columns: Sequence[str] | None,
    drop: Sequence[str] | None,
    where: str,
    roles: Sequence[str],
) -> pd.DataFrame:
    """The requested features; columns with another role may be named too."""
    for names, option in ((columns, "--columns"), (drop, "--drop")):
        _check_columns(frame, names or (), where, option, roles)
    wanted = frame.columns if columns is None else dict.fromkeys(columns)
    left_out = {*roles, *(drop or ())}
    return frame[[name for name in wanted if name not in left_out]]


def _check_columns(
    frame: pd.DataFrame, names: Collection[str], where: str, option: str, roles: Collection[str] = ()
) -> None:
    """Every name must be a column, or that of a role."""
    for wanted in names:
        if wanted not in frame.columns and wanted not in roles:
            raise DataError(
                f"{where} has no column {wanted!r} ({option}); {hint(wanted, list(frame.columns))}columns:"
                f" {listed(frame.columns)}"
            )


def _transpose_note(frame: pd.DataFrame, numbers: Collection[str]) -> list[str]:
    """A hint if the table looks like features in rows: an identifier, then few columns of numbers."""
    names = [str(name) for name in frame.columns]
    turned = names[:1] not in ([], list(numbers)[:1]) and names[1:] == list(numbers)
    text = turned and not is_numeric_dtype(frame.dtypes.iloc[0])
    return [TRANSPOSE] if text and len(frame) > TRANSPOSE_RATIO * frame.shape[1] else []


def _row_names(frame: pd.DataFrame, features: Collection[str]) -> pd.Index:
    """What the rows are called: see `DataTable`."""
    if frame.index.name == ROW:
        return frame.index
    used = set(features)
    for name, column in frame.items():
        if name not in used and not is_float_dtype(column) and column.is_unique:
            return pd.Index(column, name=name)
    return pd.RangeIndex(1, len(frame) + 1, name=ROW)


def _labels(column: pd.Series) -> tuple[pd.Series, list[str]]:
    """Labels, with symbols for missing values as missing, and remarks that say so."""
    if is_numeric_dtype(column):
        return column, []
    codes, _, notes = known(column)
    return column.mask(codes < 0), [f"{column.name}: {note}" for note in notes]


def _weights(column: pd.Series, where: str, separator: str) -> tuple[pd.Series, list[str]]:
    """Weights of rows as numbers, NaN where they are none, and remarks on how they were interpreted."""
    try:
        read = read_column(column, separator=separator)
    except DataError as error:
        raise DataError(f"{where}: {error}") from None
    numbers = read.values is not None and read.levels in ((), ("False", "True"))
    values = read.values if numbers else np.nan
    return pd.Series(values, column.index, name=column.name), remarks([read])


def _checked(weights: pd.Series, where: str) -> np.ndarray:
    """Weights of rows: none missing, infinite or negative."""
    values = weights.to_numpy(dtype=np.float64)
    if not np.isfinite(values).all() or (values < 0).any():
        raise DataError(f"{where}: weights in {weights.name} must be numbers of at least 0, none missing")
    return values


def _check_names(frame: pd.DataFrame, where: str) -> None:
    """Column names must be unique (Parquet files can repeat them too)."""
    repeated = list(dict.fromkeys(frame.columns[frame.columns.duplicated()]))
    if repeated:
        raise DataError(f"{where} has more than one column named {listed(repeated)}")
    if len(frame) == 0:
        raise DataError(f"{where} has no rows")
    if len(frame) == 1:
        raise DataError(f"{where} has only one row; give one row per sample and one column per feature")


def _check_size(X: pd.DataFrame, file: FileTable) -> None:
    """At least two features are needed."""
    if X.shape[1] < 2:
        got = ", ".join(X.columns) or "none"
        said = "; ".join(_kinds_notes(file.columns))
        raise DataError(
            f"{file.where}: at least two features are needed to compare them; got {X.shape[1]} ({got})"
            f"{f'; {said}' if said else ''}"
        )
