"""Recognise dates in text, in the styles people write them."""

import re
from collections.abc import Sequence
from datetime import date

import numpy as np
import pandas as pd

TIME = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
ISO = re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}{TIME}|\d{{4}}/\d{{2}}/\d{{2}}{TIME}|(?:19|20)\d{{2}}-\d{{2}}")
# 31.01.2020, 1/31/2020, 31-1-20
PARTS = re.compile(rf"(\d{{1,2}})([./-])(\d{{1,2}})\2(\d{{4}}|\d{{2}}){TIME}")
MONTH_NAME = re.compile(
    rf"\d{{1,2}}[. -]{{1,2}}[A-Za-z]{{3,9}}\.?[ -]\d{{4}}{TIME}|[A-Za-z]{{3,9}}\.? \d{{1,2}},? \d{{4}}{TIME}"
)
EPOCH = pd.Timestamp(1970, 1, 1)


def read_dates(texts: Sequence[str]) -> tuple[pd.Series | None, str | None]:
    """Dates in the order of ``texts``, and a remark if their order of day and month was guessed.

    None unless every text is a date, and all are in one style: ``2020-01-31``, ``31.01.2020``, ``1/31/2020``
    or ``31 Jan 2020``, with or without a time, or ``2020-01``.

    Examples
    --------
    >>> dates, _ = read_dates(["31.01.2020", "1.2.2020"])
    >>> dates.dt.month.tolist()
    [1, 2]
    >>> read_dates(["2/1/2020"])[1]
    '2/1/2020 read as month/day/year'
    >>> read_dates(["A1", "A2"])[0] is None
    True
    """
    if all(ISO.fullmatch(text) for text in texts):
        return _parsed([text.replace("/", "-") for text in texts], format="ISO8601"), None
    parts = [PARTS.fullmatch(text) for text in texts]
    if all(parts):
        first, second = ([int(part[at]) for part in parts if part] for at in (1, 3))
        if len({part[2] for part in parts if part}) > 1 or (max(first) > 12 and max(second) > 12):
            return None, None  # day and month in no one order
        ambiguous = max(first) <= 12 and max(second) <= 12
        day_first = max(first) > 12 or (ambiguous and parts[0] is not None and parts[0][2] == ".")
        dates = _parsed(texts, format="mixed", dayfirst=day_first)
        guessed = ambiguous and not day_first and first != second
        return dates, f"{texts[0]} read as month/day/year" if guessed and dates is not None else None
    if all(MONTH_NAME.fullmatch(text) for text in texts):
        return _parsed(texts, format="mixed"), None
    return None, None


def is_date(text: str) -> bool:
    """Whether a text alone is a date with a year of four digits, in any of the styles.

    Examples
    --------
    >>> is_date("31.01.2020"), is_date("2020-01"), is_date("31.02.2020"), is_date("1.2.20")
    (True, True, False, False)
    """
    if MONTH_NAME.fullmatch(text):
        return True
    given = [int(digits) for digits in re.findall(r"\d+", text)[:3]]
    if ISO.fullmatch(text):
        return _exists(*given)
    if PARTS.fullmatch(text):
        first, second, year = given
        return year > 99 and (_exists(year, second, first) or _exists(year, first, second))
    return False


def days(dates: pd.Series) -> np.ndarray:
    """Dates as days since 1970-01-01, and durations in days; NaN where missing.

    Examples
    --------
    >>> days(pd.Series(pd.to_datetime(["1970-01-02 12:00", None]))).tolist()
    [1.5, nan]
    """
    if isinstance(dates.dtype, pd.PeriodDtype):
        dates = dates.dt.to_timestamp()
    if isinstance(dates.dtype, pd.DatetimeTZDtype):
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    if pd.api.types.is_datetime64_dtype(dates.dtype):
        dates = dates - EPOCH
    since = dates.to_numpy(dtype="timedelta64[ns]")
    return np.where(np.isnat(since), np.nan, since / np.timedelta64(1, "D"))


def _exists(year: int, month: int, day: int = 1) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _parsed(texts: Sequence[str], **how: object) -> pd.Series | None:
    """Parse dates, times in UTC; None if a text is no date, such as 31.02.2020."""
    dates = pd.to_datetime(pd.Series(list(texts), dtype=object), errors="coerce", utc=True, **how)  # type: ignore[call-overload]
    return None if dates.isna().any() else dates.dt.tz_localize(None)
