"""Read a text file whose fields are separated: CSV, TSV and the like."""

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pandas as pd

from xcompare.core.errors import DataError
from xcompare.core.names import listed
from xcompare.io.formats import MAX_SIZE
from xcompare.io.levels import is_number
from xcompare.io.numerals import POINTS, has_leading_zero

SEPARATORS: tuple[str, ...] = (",", ";", "\t", "|")
DECLARED = re.compile(r'"?sep=(.)"?')  # first line that Excel writes and reads
SAMPLE = 200  # lines read as text, to see how numbers are written
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
LEADING_ZERO = re.compile(r"(?<![\w.])0\d")
COMMA_WITHIN = re.compile(r"\d,\d")
WITH_POINTS = re.compile(rf"{POINTS}|[+-]?\d{{1,3}}")
# What pandas and R write for missing values, and spreadsheets for errors; "None" may be a level.
MISSING_FIELDS = [
    "", "?", "NA", "na", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan",
    "NULL", "null",
    "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?",
]  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """Layout of a file."""

    header: bool = True  # whether the first line has the column names; otherwise they are x0, x1 and so on
    transpose: bool = False  # whether rows are features, named by the first column, and columns are samples
    max_size: float = MAX_SIZE  # largest size to read, in gigabytes after decompression


def read_text(text: io.TextIOWrapper, where: str, layout: Layout) -> tuple[pd.DataFrame, list[str], str]:
    """Columns of a text file, remarks, and the separator, told from the first line."""
    header = layout.header
    first = text.readline()
    declared = DECLARED.fullmatch(first.rstrip("\r\n"))
    if declared:
        first = text.readline()
    while first and not first.strip():
        first = text.readline()
    if not first:
        raise DataError(f"{where} is empty")
    skipped, separators = 0, SEPARATORS
    if declared:
        skipped, separators = 1, (declared[1],)
    elif where.removesuffix(".gz").endswith((".tsv", ".tab")):
        separators = ("\t",)
    separator, names = _header_fields(first, separators)
    numbers = [field for field in names if is_number(field)] if header else []
    if header:
        _check_header(names, numbers, where)
    how: Any = {
        "sep": separator,
        "skiprows": skipped,
        "skipinitialspace": True,
        "header": 0 if header else None,
        "keep_default_na": False,
        "na_values": MISSING_FIELDS,
    }
    try:
        lines, texts = _sample(text, separator, how, skipped + 1)
        if header:
            _check_title(first.strip(), names, lines, separator, where)
        text.seek(0)
        codes = [name for name, values in texts.items() if any(map(has_leading_zero, values))]
        points = _with_points(texts, separator)
        frame = pd.read_csv(text, dtype=dict.fromkeys([*codes, *points], str), **how)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise DataError(f"{where} cannot be read as a table: {_plainly(str(error))}") from None
    if separator != r"\s+" and frame.index.nlevels == 1 and not frame.index.equals(pd.RangeIndex(len(frame))):
        _check_row_names(lines, names, separator, where)
    notes = []
    for name, example in points.items():
        whole = pd.to_numeric(frame[name].str.replace(".", "", regex=False), errors="coerce")
        if whole.notna().equals(frame[name].notna()):
            notes.append(f"{name}: {example} read as {example.replace('.', '')}")
            frame[name] = whole
    frame.columns = pd.Index([str(name).strip() if header else f"x{name}" for name in frame.columns])
    if len(frame) == 0:
        raise DataError(f"{where} has column names but no rows")
    if 2 * len(numbers) >= len(names):
        notes.append(
            f"the first line was read as column names, though it holds numbers: {listed(numbers)};"
            " if it is data, use --no-header"
        )
    return frame, notes, separator


def _check_title(title: str, names: list[str], lines: list[str], separator: str, where: str) -> None:
    """The first line must not be a title above the table: no separator in it, but in the next line."""
    line = next((line.strip() for line in lines if line.strip()), "")
    if separator != r"\s+" and len(names) > 1:
        return
    values = {mark: len(_fields(line, mark)) for mark in SEPARATORS}
    mark = max(values, key=lambda mark: values[mark])
    if values[mark] > 1 and (len(names) == 1 or len(line.split()) < len(names)):
        raise DataError(
            f"{where} starts with {title!r}, which does not name the columns: the next line has"
            f" {values[mark]} values, separated by {mark!r}; delete what stands above the names"
        )


def _check_row_names(lines: list[str], names: list[str], separator: str, where: str) -> None:
    """If lines have one value more than the first line has names, all must: the first would be a row name."""
    for number, line in enumerate(lines, start=2):
        n_values = len(_fields(line.rstrip("\r\n"), separator))
        if line.strip() and '"' not in line and n_values <= len(names):
            raise DataError(
                f"{where} cannot be read as a table: line {number} has as many values as the first line has"
                f" names, {n_values}, but others have more"
            )


def _plainly(error: str) -> str:
    """What pandas says, in terms of the file."""
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", error):
        return f"line {found[2]} has {found[3]} values, those before it at most {found[1]}"
    if found := re.search(r"EOF inside string starting at row (\d+)", error):
        return f"the quotation mark that opens in line {int(found[1]) + 1} is never closed"
    return " ".join(error.split())


def _sample(
    text: io.TextIOWrapper, separator: str, how: dict[str, Any], start: int
) -> tuple[list[str], dict[str, list[str]]]:
    """The first lines; and what their columns hold as text, if it may say how numbers are written."""
    text.seek(0)
    lines = list(islice(text, start, SAMPLE))
    commas = separator != "," and any(map(COMMA_WITHIN.search, lines))
    if not (commas or any(map(LEADING_ZERO.search, lines))):
        return lines, {}
    text.seek(0)
    sample = pd.read_csv(text, nrows=SAMPLE, dtype=str, **how)
    columns = sample.to_numpy(dtype=object).T  # selecting each column would take pandas long
    return lines, {
        name: [value.strip() for value in values if isinstance(value, str)]
        for name, values in zip(sample.columns, columns, strict=True)
    }


def _with_points(texts: dict[str, list[str]], separator: str) -> dict[str, str]:
    """Columns in which points separate thousands, with an example.

    Every number allows it, and other columns have decimal commas.
    """
    if separator == "," or not any(any(map(DECIMAL_COMMA.fullmatch, values)) for values in texts.values()):
        return {}
    return {
        name: next(value for value in values if "." in value)
        for name, values in texts.items()
        if any("." in value for value in values) and all(map(WITH_POINTS.fullmatch, values))
    }


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
