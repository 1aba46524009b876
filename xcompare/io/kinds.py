"""The kind of each column of a table: numbers, levels, dates, or something that is not a feature."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

import numpy as np
import pandas as pd
from pandas.api import types

from xcompare.core.errors import DataError
from xcompare.core.features import FeatureKind
from xcompare.core.names import listed
from xcompare.io.dates import days, is_date, read_dates
from xcompare.io.levels import codes_of, distinct, in_order, is_number, known, level_text, some
from xcompare.io.numerals import LEVEL_MARKS, has_leading_zero, read_numbers, units_of

ColumnKind = Literal["numeric", "ordinal", "binary", "nominal", "date", "identifier", "text", "constant"]
Override = str | Sequence[object]
OVERRIDES = ("numeric", "ordinal", "binary", "nominal", "days", "drop")

FEW_LEVELS = 12  # a few levels such as 1, 2, 3+ may look like numbers
WORDS_OF_TEXT = 4
UNIT_OF_DATES = "days since 1970-01-01"
DAYS = f"as {UNIT_OF_DATES}"
EXACT = 2**53  # whole numbers up to here are floats
MOST_UNITS = 3  # of a column of numbers; identifiers such as 12A and 12B have more endings


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table, its kind, and its values as numbers."""

    name: str
    kind: ColumnKind
    reason: str  # why it is of this kind
    # (n_samples,) or None: numbers, or codes of ``levels``; NaN where missing. None if the column is not a
    # feature.
    values: np.ndarray | None
    # What the codes stand for; ascending in an ordinal column. Empty for numbers.
    levels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # remarks on how the values were interpreted
    # Whether it might be a feature if the values were corrected, as ``reason`` says.
    to_mend: bool = field(default=False, repr=False)

    @property
    def feature_kind(self) -> FeatureKind:
        """Kind of the feature; a constant column is one of numbers or of a single level."""
        if self.kind == "constant":
            return "nominal" if self.levels else "numeric"
        assert self.kind in ("numeric", "ordinal", "binary", "nominal")
        return self.kind


def remarks(columns: Sequence[Column]) -> list[str]:
    """Remarks on how values were interpreted, each once, after the columns it is about.

    Examples
    --------
    >>> remarks([read_column(pd.Series(["1", "-", "3"], name=name)) for name in ("age", "visits")])
    ["age, visits: '-' read as missing"]
    """
    concerned: dict[str, list[str]] = {}
    for column in columns:
        for note in column.notes:
            concerned.setdefault(note, []).append(column.name)
    return [f"{listed(names)}: {note}" for note, names in concerned.items()]


def read_column(column: pd.Series, override: Override | None = None, *, separator: str = ",") -> Column:
    """Tell the kind of a column from its dtype, or from its values if they are text or objects.

    ``override``: "numeric", "nominal", "binary", "ordinal" (numbers or ordered categories), "days" (dates as
    numbers), or the levels of an ordinal column, ascending. ``separator``: separator of the file the column
    comes from; see `read_numbers`.

    Raises
    ------
    DataError
        The values do not fit the override, or most are numbers and some are not.

    Examples
    --------
    >>> read_column(pd.Series(["yes", "no", "no", None], name="smoker"))
    Column(name='smoker', kind='binary', reason='two values: no, yes', values=array([ 1.,  0.,  0., nan]), \
levels=('no', 'yes'), notes=())
    >>> read_column(pd.Series(["a1", "a2", "a3"], name="id")).reason
    'a different value in every row'
    """
    name = str(column.name)
    if override is not None:
        return _overridden(name, column, override, separator)
    kind = column.dtype
    if types.is_bool_dtype(kind) and not isinstance(kind, pd.CategoricalDtype):
        return Column(name, "binary", "true or false", _floats(column), ("False", "True"))
    if types.is_numeric_dtype(kind):
        return too_long(name, column) or numeric_column(name, _floats(column), "numbers")
    if isinstance(kind, pd.CategoricalDtype):
        return _categories(name, column)
    if types.infer_dtype(column, skipna=True) == "boolean":
        return Column(name, "binary", "true or false", _floats(column), ("False", "True"))
    if _is_dates(column):
        return Column(name, "date", "dates", None)
    return _told(name, column, separator)


def read_as(column: pd.Series, levels: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """Codes of a column by known levels, NaN for missing values, and the levels that are not known.

    With no levels the column holds numbers, or dates, read as days.
    """
    if not levels:
        numbers, _ = _numbers(column, ",")
        if numbers is None:
            raise DataError(f"{column.name} must hold numbers; got {_example(column)}")
        return numbers, []
    codes, texts = distinct(column)
    expected = set(levels)
    unknown = [text for text in texts if text not in expected and text.casefold() not in LEVEL_MARKS]
    return codes_of(codes, texts, levels), unknown


def _overridden(name: str, column: pd.Series, override: Override, separator: str) -> Column:
    """A column of the kind the user says it is."""
    if not isinstance(override, str):
        return _ordinal(name, column, tuple(map(level_text, override)))
    if override in ("numeric", "days"):
        numbers, notes = _numbers(column, separator)
        if numbers is None and override == "numeric":
            numbers, notes = _coerced(name, column)
        if numbers is None:
            raise DataError(f"{name} must hold dates in one style to be read as days; got {_example(column)}")
        was_date = types.is_datetime64_any_dtype(column.dtype) or override == "days"
        if was_date:
            return Column(name, "numeric", DAYS, numbers, (), (*notes, DAYS))
        return Column(name, "numeric", "as asked", numbers, (), notes)
    codes, texts, notes = known(column)
    if override == "ordinal":
        if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
            return _categories(name, column)
        if not all(is_number(text) for text in texts):
            raise DataError(
                f"{name}: levels of an ordinal column that are not numbers must be given in ascending order;"
                f" it holds {some(texts)}"
            )
    elif override == "binary" and len(texts) > 2:
        raise DataError(f"{name} cannot be binary: it has {len(texts)} values, {some(texts)}")
    elif override not in OVERRIDES:
        raise DataError(
            f"the kind of {name} must be one of {', '.join(OVERRIDES)}, or its levels in ascending order;"
            f" got {override!r}"
        )
    levels = in_order(texts)
    return Column(name, cast(ColumnKind, override), "as asked", codes_of(codes, texts, levels), levels, notes)


def _categories(name: str, column: pd.Series) -> Column:
    """A categorical column; the levels of an ordered one are kept even if they do not occur."""
    if column.cat.ordered:
        levels = tuple(map(level_text, column.cat.categories))
        reason = f"ordered categories, {' < '.join(levels[:FEW_LEVELS])}"
        given = column.cat.codes.to_numpy().astype(np.float64)
        return Column(name, "ordinal", reason, np.where(given < 0, np.nan, given), levels)
    codes, texts = distinct(column)
    n_known = int((codes >= 0).sum())
    if len(texts) == n_known > 2:
        return Column(name, "identifier", "a different category in every row", None)
    levels = in_order(texts)
    kind = _by_count(len(levels))
    return Column(name, kind, f"{len(levels)} categories", codes_of(codes, texts, levels), levels)


def _told(name: str, column: pd.Series, separator: str) -> Column:
    """A column of text or objects, by its values."""
    codes, texts, notes = known(column)
    if not texts:
        return Column(name, "constant", "no values", np.full(len(column), np.nan), (), notes)
    coded = any(map(has_leading_zero, texts))  # such as the postal code 01067
    numbers = None if coded else _distinct_numbers(texts, separator)
    if numbers is not None:
        values, said = numbers
        numeric = numeric_column(name, np.append(values, np.nan)[codes], "numbers")
        return Column(name, numeric.kind, numeric.reason, numeric.values, (), (*notes, *said))
    dates, guessed = read_dates(texts)
    if dates is not None:
        return Column(name, "date", f"dates, such as {texts[0]}", None, (), (guessed,) if guessed else ())
    no_dates = [text for text in texts if not is_date(text)]
    if 2 * len(no_dates) < len(texts):
        several = f"dates in several styles, {some(texts)}: write them in one"
        fault = f"values that are not dates, {some(no_dates)}: correct or empty them" if no_dates else several
        return Column(name, "text", fault, None, to_mend=True)
    n_known = int((codes >= 0).sum())
    if not coded:
        _check_mixed(name, texts, codes)
    if len(texts) == n_known > 1 or len(texts) > max(FEW_LEVELS, n_known / 2):
        return _not_a_feature(name, texts, n_known)
    levels = in_order(texts)
    few = {1: f"one value: {levels[0]}", 2: f"two values: {', '.join(levels)}"}
    reason = few.get(len(levels), f"{len(levels)} values in {n_known} rows")
    return Column(name, _by_count(len(levels)), reason, codes_of(codes, texts, levels), levels, notes)


def _not_a_feature(name: str, texts: list[str], n_known: int) -> Column:
    """Text, or an identifier; also numbers in several units."""
    units = units_of(pd.Series(texts, dtype="string"))
    if 1 < len(units) <= MOST_UNITS:
        given = ", ".join([*(repr(unit) for unit in units if unit), *(["none"] if "" in units else [])])
        fault = f"numbers in several units, {given}: convert them to one"
        return Column(name, "text", fault, None, to_mend=True)
    words = sum(len(text.split()) for text in texts) / len(texts)
    every = len(texts) == n_known
    reason = "a different value in every row" if every else f"{len(texts)} different values in {n_known} rows"
    return Column(name, "text" if words >= WORDS_OF_TEXT else "identifier", reason, None)


def _ordinal(name: str, column: pd.Series, levels: tuple[str, ...]) -> Column:
    """An ordinal column with these levels, ascending."""
    if len(set(levels)) < len(levels) or len(levels) < 2:
        raise DataError(
            f"levels of {name} must be at least two, and distinct; got {' < '.join(levels) or 'none'}"
        )
    values, unknown = read_as(column, levels)
    if unknown:
        raise DataError(
            f"{name} holds {some(unknown)}, not among its levels {' < '.join(levels)}: add the level"
            " where it belongs, or empty those values"
        )
    return Column(name, "ordinal", f"as asked, {' < '.join(levels[:FEW_LEVELS])}", values, levels)


def numeric_column(name: str, values: np.ndarray, reason: str = "numbers") -> Column:
    """A column of numbers; constant if they do not differ."""
    known = values[~np.isnan(values)]
    if known.size == 0:
        return Column(name, "constant", "no values", values)
    if (known == known[0]).all():
        return Column(name, "constant", f"one value: {known[0]:g}", values)
    return Column(name, "numeric", reason, values)


def too_long(name: str, column: pd.Series) -> Column | None:
    """An identifier, if the column holds whole numbers that floats cannot tell apart, such as 2**60."""
    if not types.is_integer_dtype(column.dtype) or not column.notna().any():
        return None
    largest = max(int(column.max()), -int(column.min()))
    if largest <= EXACT:
        return None
    return Column(
        name, "identifier", f"whole numbers of {len(str(largest))} digits, too many for a quantity", None
    )


def _numbers(column: pd.Series, separator: str) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Values as numbers, dates in days; None if some are neither."""
    if types.is_numeric_dtype(column.dtype):
        return _floats(column), ()
    if _is_dates(column):
        if column.dtype == object:
            column = pd.to_datetime(column)
        return days(column), ()
    codes, texts, _ = known(column)
    if not texts:
        return np.full(len(column), np.nan), ()
    found = _distinct_numbers(texts, separator)
    if found is not None:
        return np.append(found[0], np.nan)[codes], tuple(found[1])
    dates, guessed = read_dates(texts)
    if dates is None:
        return None, ()
    return np.append(days(dates), np.nan)[codes], (guessed,) if guessed else ()


def _coerced(name: str, column: pd.Series) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Numbers, with anything else as missing."""
    numbers = pd.to_numeric(column.astype("string"), errors="coerce")
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isnan(values).all():
        raise DataError(
            f"{name} cannot be numeric: none of its values is a number, such as {_example(column)}"
        )
    strange = distinct(column[np.isnan(values)])[1]
    return values, (f"{some(strange)} read as missing",)


def _distinct_numbers(texts: list[str], separator: str) -> tuple[np.ndarray, list[str]] | None:
    """Numbers for distinct texts, with remarks; None if some are not numbers."""
    numbers, notes = read_numbers(pd.Series(texts, dtype="string"), separator=separator)
    return None if numbers is None else (numbers.to_numpy(), notes)


def _check_mixed(name: str, texts: list[str], codes: np.ndarray) -> None:
    """Raise for a column of numbers with some other values; few levels such as 1, 2, 3+ are fine."""
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    numbers = np.array([is_number(text) for text in texts])
    strange, total = int(counts[~numbers].sum()), int(counts.sum())
    few = len(texts) <= FEW_LEVELS and 2 * len(texts) <= total
    if few or not numbers.any() or 2 * strange >= total:
        return
    shown = some([text for text, number in zip(texts, numbers, strict=True) if not number])
    raise DataError(
        f"{name} has {strange} of {total} values that are not numbers ({shown}): correct or empty them, or"
        " declare the column: 'numeric' (--numeric) treats them as missing, 'nominal' (--nominal) treats all"
        " values as categories, 'drop' (--drop) leaves it out"
    )


def _is_dates(column: pd.Series) -> bool:
    kind = column.dtype
    if (
        types.is_datetime64_any_dtype(kind)
        or types.is_timedelta64_dtype(kind)
        or isinstance(kind, pd.PeriodDtype)
    ):
        return True
    return types.is_object_dtype(kind) and types.infer_dtype(column, skipna=True) in (
        "date",
        "datetime",
        "datetime64",
    )


def _by_count(n_levels: int) -> Literal["constant", "binary", "nominal"]:
    return "constant" if n_levels < 2 else "binary" if n_levels == 2 else "nominal"


def _floats(column: pd.Series) -> np.ndarray:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _example(column: pd.Series) -> str:
    return some([text for text in distinct(column)[1] if not is_number(text)])
