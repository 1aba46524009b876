"""Read the columns of a CSV, TSV, Parquet, Feather or Excel file, or of standard input."""

import io
import sys
import warnings
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO

import pandas as pd

from xcompare.core.errors import DataError
from xcompare.io.datasets import DATASETS
from xcompare.io.delimited import Layout, read_text
from xcompare.io.formats import (
    FEATHER,
    PARQUET,
    READ,
    UTF16,
    check_arrow,
    check_size,
    is_excel,
    is_text,
    read_within,
    refuse_other_formats,
    starts_with,
    unpacked,
)

ROW = "row"  # name of row names that have none
TRANSPOSE_RATIO = 20  # more rows than columns: may be a table of genes, say, by samples
TRANSPOSE = (
    "if the rows are features and the columns items, as in a table of genes by samples, use --transpose"
)


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file holds, with the numbers and dates of text columns still as text."""

    frame: pd.DataFrame  # one row per item; the index, named "row", holds row names, if the file has any
    notes: list[str]  # remarks on how the file was interpreted
    separator: str = ","  # of a text file


def read_file(source: str | Path, where: str, layout: Layout) -> Contents:
    """All columns of a file; messages call the source ``where``."""
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


def _parse(file: BinaryIO, where: str, layout: Layout) -> Contents:
    """Columns of an open file, whose format is detected from its content."""
    file = unpacked(file, where, layout.max_size)
    if starts_with(file, PARQUET, FEATHER):
        return _parse_arrow(file, where, layout)
    if is_excel(file, where, layout.max_size):
        return _parse_excel(file, where, layout)
    refuse_other_formats(file, where)
    text = io.TextIOWrapper(file, encoding="utf-16" if starts_with(file, *UTF16) else "utf-8-sig", newline="")
    try:
        return _parse_text(text, where, layout)
    except UnicodeDecodeError:
        text.detach()
    if not is_text(file):
        raise DataError(f"{where} is not UTF-8 text; save it as CSV in UTF-8 and try again")
    found = _parse_text(io.TextIOWrapper(file, encoding="cp1252", newline=""), where, layout)
    note = "read as Latin-1 (Windows-1252), as it is not UTF-8: see whether letters with accents are right"
    return replace(found, notes=[note, *found.notes])


def _parse_text(text: io.TextIOWrapper, where: str, layout: Layout) -> Contents:
    frame, more, separator = read_text(text, where, layout)
    frame, notes = _items(frame, where, layout)
    frame, empty = _without_empty_rows(frame, where)
    return Contents(frame, [*notes, *more, *empty], separator)


def _parse_arrow(file: BinaryIO, where: str, layout: Layout) -> Contents:
    """Columns of a Parquet or Feather file; each is freed in Arrow's memory as it is taken over."""
    from pyarrow import feather, parquet

    kind = "Parquet" if starts_with(file, PARQUET) else "Feather"
    if not layout.header:
        raise DataError(f"{where} is a {kind} file, which names its columns; leave out --no-header")
    try:
        check_arrow(file, where, layout.max_size)
        table = parquet.read_table(file) if kind == "Parquet" else feather.read_table(file)
        frame = table.to_pandas(split_blocks=True, self_destruct=True).rename(columns=str)
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{where} is a damaged {kind} file: {_one_line(error)}") from None
    if layout.transpose:
        return Contents(_transposed(frame), [])
    named = frame.index.nlevels == 1 and not isinstance(frame.index, pd.RangeIndex)
    return Contents(frame.rename_axis(index=ROW) if named else frame.reset_index(drop=True), [])


def _parse_excel(file: BinaryIO, where: str, layout: Layout) -> Contents:
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
    others = [f"only the first of {len(sheets)} sheets was read: {sheets[0]}"] if len(sheets) > 1 else []
    return Contents(frame, [*others, *notes])


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
        notes = ["the first column has no name: read as row names and left out"]
        if len(frame) > TRANSPOSE_RATIO * frame.shape[1] and not pd.api.types.is_numeric_dtype(names):
            notes.append(TRANSPOSE)
        return frame, notes
    return frame, []


def _without_empty_rows(frame: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[str]]:
    """Leave out rows without any value, such as lines of separators that spreadsheets write."""
    last = frame.iloc[:, -1] if frame.shape[1] else pd.Series(dtype=float)
    if not last.isna().any():
        return frame, []
    empty = frame.isna().all(axis=1)
    if empty.all():
        raise DataError(f"{where} has column names but no values")
    if not empty.any():
        return frame, []
    kept = frame[~empty]
    if frame.index.name != ROW:
        kept = kept.reset_index(drop=True)
    return kept.infer_objects(), [f"{int(empty.sum())} empty row{'s' if empty.sum() > 1 else ''} left out"]


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


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
