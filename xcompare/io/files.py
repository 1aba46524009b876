"""Read the columns of a CSV, TSV, Parquet or Excel file, or of standard input."""

import csv
import io
import sys
import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO

import pandas as pd

from xcompare.core.errors import DataError
from xcompare.io.datasets import DATASETS
from xcompare.io.formats import (
    MAX_SIZE,
    READ,
    check_parquet,
    check_size,
    is_excel,
    is_parquet,
    is_text,
    read_within,
    refuse_other_formats,
    unpacked,
)
from xcompare.io.numerals import read_numerals

SEPARATORS = (",", ";", "\t", "|")
NAMES_SHOWN = 12
ROW = "row"  # name of row names that have none
TRANSPOSE_RATIO = 20  # more rows than columns: may be a table of genes, say, by samples
TRANSPOSE = (
    "if the rows are features and the columns items, as in a table of genes by samples, use --transpose"
)


@dataclass(frozen=True)
class Layout:
    """Layout of a file.

    Attributes
    ----------
    header : bool
        Whether the first line has the column names; otherwise they are x0, x1 and so on.
    transpose : bool
        Whether rows are features, named by the first column, and columns are samples.
    max_size : float
        Largest size to read, in gigabytes after decompression.
    """

    header: bool = True
    transpose: bool = False
    max_size: float = MAX_SIZE


def read_file(source: str | Path, where: str, layout: Layout) -> tuple[pd.DataFrame, list[str]]:
    """All columns, and remarks on how the file was interpreted; messages call the source ``where``."""
    if str(source) == "-":
        return _parse(read_within(sys.stdin.buffer, where, layout.max_size), where, layout)
    path = Path(source)
    try:
        if not path.exists():
            raise DataError(_no_such_file(path))
        if path.is_dir():
            raise DataError(f"{where} is a folder; give a {READ} file in it")
        if not path.is_file():  # reading a pipe may block forever
            raise DataError(f"{where} is a device or a pipe; give a {READ} file, or - and pipe it in")
        check_size(path.stat().st_size, where, layout.max_size)
        with path.open("rb") as file:
            return _parse(file, where, layout)
    except OSError as error:
        raise DataError(f"{where} cannot be read: {error.strerror or error}") from None


def _parse(file: BinaryIO, where: str, layout: Layout) -> tuple[pd.DataFrame, list[str]]:
    """Columns of an open file, whose format is detected from its content."""
    file = unpacked(file, where, layout.max_size)
    if is_parquet(file):
        return _parse_parquet(file, where, layout)
    if is_excel(file, where, layout.max_size):
        return _parse_excel(file, where, layout)
    refuse_other_formats(file, where)
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        return _parse_text(text, where, layout)
    except UnicodeDecodeError:
        text.detach()
    if not is_text(file):
        raise DataError(f"{where} is not UTF-8 text; save it as CSV in UTF-8 and try again")
    frame, notes = _parse_text(io.TextIOWrapper(file, encoding="cp1252", newline=""), where, layout)
    return frame, [
        "read as Latin-1 (Windows-1252), as it is not UTF-8: see whether letters with accents are right",
        *notes,
    ]


def _parse_parquet(file: BinaryIO, where: str, layout: Layout) -> tuple[pd.DataFrame, list[str]]:
    if not layout.header:
        raise DataError(f"{where} is a Parquet file, which names its columns; leave out --no-header")
    try:
        check_parquet(file, where, layout.max_size)
        frame = pd.read_parquet(file).rename(columns=str)
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{where} is a damaged Parquet file: {_one_line(error)}") from None
    if layout.transpose:
        return _transposed(frame), []
    named = frame.index.nlevels == 1 and not isinstance(frame.index, pd.RangeIndex)
    return frame.rename_axis(index=ROW) if named else frame.reset_index(drop=True), []


def _parse_excel(file: BinaryIO, where: str, layout: Layout) -> tuple[pd.DataFrame, list[str]]:
    """Columns of the first sheet."""
    header = layout.header
    try:
        with warnings.catch_warnings(), pd.ExcelFile(file, engine="openpyxl") as book:
            warnings.filterwarnings("ignore", module="openpyxl")  # such as unknown styles
            sheets = list(book.sheet_names)
            frame = pd.read_excel(book, sheet_name=sheets[0], header=0 if header else None, na_values=["?"])
    except ImportError:
        raise DataError(
            f"{where} is an Excel file, which needs openpyxl: pip install 'xcompare-clustering[excel]',"
            " or save it as CSV"
        ) from None
    except Exception as error:  # openpyxl raises many types for a damaged workbook
        raise DataError(f"{where} is a damaged Excel file: {_one_line(error)}") from None
    frame = frame.dropna(how="all").reset_index(drop=True)
    if len(frame) == 0:
        raise DataError(f"{where} has no rows in its first sheet, {sheets[0]}")
    frame.columns = pd.Index([str(name).strip() if header else f"x{name}" for name in frame.columns])
    frame, notes = _items(frame, where, layout)
    frame, more = read_numerals(frame, separator=",")
    others = [f"only the first of {len(sheets)} sheets was read: {sheets[0]}"] if len(sheets) > 1 else []
    return frame, [*others, *notes, *more]


def _parse_text(text: io.TextIOWrapper, where: str, layout: Layout) -> tuple[pd.DataFrame, list[str]]:
    """Columns of a text file, separated as in its first line."""
    header = layout.header
    first = text.readline()
    while first and not first.strip():
        first = text.readline()
    if not first:
        raise DataError(f"{where} is empty")
    separators = ("\t",) if where.removesuffix(".gz").endswith((".tsv", ".tab")) else SEPARATORS
    separator, names = _header_fields(first, separators)
    numbers = [field for field in names if _is_number(field)] if header else []
    if header:
        _check_header(names, numbers, where)
    text.seek(0)
    try:
        frame = pd.read_csv(
            text, sep=separator, skipinitialspace=True, na_values=["?"], header=0 if header else None
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise DataError(f"{where} cannot be read as a table: {_one_line(error)}") from None
    frame.columns = pd.Index([str(name).strip() if header else f"x{name}" for name in frame.columns])
    if len(frame) == 0:
        raise DataError(f"{where} has column names but no rows")
    frame, notes = _items(frame, where, layout)
    frame, more = read_numerals(frame, separator=separator)
    if 2 * len(numbers) >= len(names):
        notes.append(
            f"the first line was taken as column names, though it holds numbers: {listed(numbers)};"
            " if it is data, use --no-header"
        )
    return frame, notes + more


def _check_header(names: list[str], numbers: list[str], where: str) -> None:
    """Column names must be unique."""
    repeated = sorted(field for field, times in Counter(names).items() if field and times > 1)
    if repeated:
        hint = "; if it is data, use --no-header" if set(repeated) & set(numbers) else ""
        raise DataError(
            f"{where} has more than one column named {listed(repeated)};"
            f" the first line must hold one name per column{hint}"
        )


def _header_fields(header: str, separators: tuple[str, ...]) -> tuple[str, list[str]]:
    """Separator that gives the most fields, and the fields; spaces if no other separator occurs."""
    header = header.strip("\r\n")
    fields = {separator: _fields(header, separator) for separator in separators}
    separator = max(separators, key=lambda s: len(fields[s]))
    if len(fields[separator]) == 1 and len(header.split()) > 1:
        return r"\s+", _fields(header.strip(), " ")
    return separator, [field.strip() for field in fields[separator]]


def _fields(line: str, separator: str) -> list[str]:
    """Fields of a line; the whole line if csv rejects it as too long a field."""
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    except csv.Error:
        return [line]


def _items(frame: pd.DataFrame, where: str, layout: Layout) -> tuple[pd.DataFrame, list[str]]:
    """One row per item and one column per feature; row names are the index."""
    if layout.transpose and frame.index.nlevels == 1:
        return _transposed(frame), []
    return _without_row_names(frame, where)


def _transposed(frame: pd.DataFrame) -> pd.DataFrame:
    """Transpose; columns are named by the index if it has names, else by the first column."""
    if frame.index.equals(pd.RangeIndex(len(frame))):
        frame = frame.set_index(frame.columns[0])
    turned = frame.T.infer_objects().rename_axis(index=ROW)
    return turned.set_axis([str(name).strip() for name in frame.index], axis=1)


def _without_row_names(frame: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[str]]:
    """Take row names, a first column without a name as pandas and R write it, as the index."""
    if frame.index.nlevels > 1:
        raise DataError(f"{where} cannot be read as a table: rows have more fields than the first line")
    # pandas uses the first field as index if rows have one field more than the header.
    names_in_index = not frame.index.equals(pd.RangeIndex(len(frame)))
    if names_in_index and frame.iloc[:, -1].isna().all():  # every row ends with a separator
        frame = frame.reset_index().iloc[:, :-1].set_axis(frame.columns, axis=1)
        names_in_index = False
    row_names = frame.index
    frame = frame.reset_index(drop=True)
    unnamed = [column for column in frame.columns if column.startswith("Unnamed: ")]
    frame = frame.drop(columns=[column for column in unnamed if frame[column].isna().all()])
    if names_in_index or "Unnamed: 0" in frame.columns:
        names = row_names.to_series() if names_in_index else frame["Unnamed: 0"]
        frame = frame.drop(columns="Unnamed: 0", errors="ignore").set_axis(pd.Index(names, name=ROW))
        notes = ["the first column has no name: taken as row names and left out"]
        if len(frame) > TRANSPOSE_RATIO * frame.shape[1] and not pd.api.types.is_numeric_dtype(names):
            notes.append(TRANSPOSE)
        return frame, notes
    return frame, []


def _no_such_file(path: Path) -> str:
    """Message with the most similar dataset or file name."""
    folder = path.parent
    files = [entry.name for entry in folder.iterdir() if entry.is_file()] if folder.is_dir() else []
    near = get_close_matches(path.name, [*(DATASETS if folder == Path() else ()), *files], n=1)
    if near:
        hint = f"did you mean {near[0] if near[0] in DATASETS else folder / near[0]}?"
    else:
        hint = f"give a {READ} file, - for standard input, or one of {', '.join(DATASETS)}"
    return f"no file or bundled dataset {str(path)!r}; {hint}"


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def listed(names: Collection[object]) -> str:
    """Names for a message; long lists are truncated."""
    shown = [str(name) for name in list(names)[:NAMES_SHOWN]]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def not_numeric(frame: pd.DataFrame) -> list[str]:
    """Names of the columns that are not numeric."""
    return [str(name) for name, kind in frame.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
