"""Parse numbers in various notations: 1,5 and 80,554, 98.4%, $5, 3 kg, and symbols for missing values."""

import re

import numpy as np
import pandas as pd

MISSING_MARKS = {
    "", "-", "--", "–", "—", ".", "..", "?", "*",
    "na", "n/a", "n.a.", "nan", "<na>", "null", "none", "missing",
}  # fmt: skip
LEVEL_MARKS = MISSING_MARKS - {"none"}  # among categories, none may be one
THOUSANDS = r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?"
CERTAINLY_THOUSANDS = r"[+-]?\d{1,3}(?:,\d{3}){2,}(?:\.\d+)?|[+-]?\d{1,3}(?:,\d{3})+\.\d+"
POINTS = r"[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+)?"  # 1.234,5 and 1.234.567
CERTAINLY_POINTS = r"[+-]?\d{1,3}(?:\.\d{3}){2,}|[+-]?\d{1,3}(?:\.\d{3})+,\d+"
CURRENCY = r"[$€£¥₹]|USD|EUR|GBP|CHF|JPY|INR"
LEADING = re.compile(rf"(?:[+-]?)({CURRENCY})\s*(?=[\d+-])")
TRAILING = re.compile(r"(?<=\d)\s*(%|[$€£¥₹]|[A-Za-zµμ°²³][\w/°²³µμ^.]{0,7})$")
EXPONENT = re.compile(r"[eE]\d+$")


def read_numbers(texts: pd.Series, *, separator: str = ",") -> tuple[pd.Series | None, list[str]]:
    """Convert text to numbers, with remarks on what was left out or guessed.

    ``separator``: separator of the file. In a comma-separated file, the comma of ``80,554`` separates
    thousands; elsewhere it is a decimal comma, unless another number of the column rules that out.

    Returns
    -------
    Series of float or None
        None if some values are not numbers, or all are missing.
    list of str

    Examples
    --------
    >>> numbers, notes = read_numbers(pd.Series(["80,554", "-"]))
    >>> numbers.tolist(), notes
    ([80554.0, nan], ["'-' read as missing", '80,554 read as 80554'])
    >>> numbers, notes = read_numbers(pd.Series(["$1,200", "$80"]))
    >>> numbers.tolist(), notes
    ([1200.0, 80.0], ["'$' left out", '1,200 read as 1200'])
    >>> read_numbers(pd.Series(["1", "x"]))[0] is None
    True
    """
    given = texts.index
    texts = texts.astype("string").str.strip().str.replace("\u2212", "-", regex=False)  # the minus sign
    marks = texts.str.casefold().isin(MISSING_MARKS).fillna(False).astype(bool)
    notes = [f"{mark!r} read as missing" for mark in texts[marks].unique() if mark]
    texts = texts[~marks].dropna()
    if len(texts) == 0:
        return None, []
    numbers = pd.to_numeric(texts, errors="coerce").astype(np.float64)
    if numbers.isna().any():
        texts, units = _without_units(texts)
        texts, commas = _without_commas(texts, separator)
        notes += [*units, *commas]
        numbers = pd.to_numeric(texts, errors="coerce").astype(np.float64)
    return (None, []) if numbers.isna().any() else (numbers.reindex(given), notes)


def units_of(texts: pd.Series) -> list[str]:
    """The currencies and units of values that are numbers otherwise, "" for none; empty if some are not.

    Examples
    --------
    >>> units_of(pd.Series(["5 kg", "200g", "1"]))
    ['kg', 'g', '']
    """
    for pattern in (LEADING, TRAILING):
        bare = texts.str.replace(pattern, "", regex=True)
        if read_numbers(bare)[0] is not None:
            return list(texts.str.extract(pattern, expand=False).fillna("").unique())
    return []


def has_leading_zero(text: str) -> bool:
    """Whether these digits are a code, such as the postal code 01067."""
    return len(text) > 1 and text[0] == "0" and text.isdecimal()


def _without_units(texts: pd.Series) -> tuple[pd.Series, list[str]]:
    """Leave out a currency or a unit that every value has."""
    for pattern in (LEADING, TRAILING):
        found = texts.str.extract(pattern, expand=False)
        units = found.dropna().unique()
        if len(units) == 1 and found.notna().all() and not texts.str.contains(EXPONENT, regex=True).any():
            unit = units[0]
            said = "percent signs left out" if unit == "%" else f"{unit!r} left out"
            return texts.str.replace(unit, "", n=1, regex=False).str.strip(), [said]
    return texts, []


def _without_commas(texts: pd.Series, separator: str) -> tuple[pd.Series, list[str]]:
    """Numbers with a decimal point and without separators of thousands."""
    texts = texts.str.replace(r"(?<=\d)['’\u00a0\u202f ](?=\d{3}(?!\d))", "", regex=True)
    with_comma = texts[texts.str.contains(",", regex=False)]
    points = texts[texts.str.contains(".", regex=False)]
    certain = points.str.fullmatch(CERTAINLY_POINTS).any()
    if certain and points.str.fullmatch(POINTS).all():  # 1.234,5
        return texts.str.replace(".", "", regex=False).str.replace(",", ".", regex=False), []
    if len(with_comma) == 0:
        return texts, []
    groups = with_comma.str.fullmatch(THOUSANDS).all()
    certain = with_comma.str.fullmatch(CERTAINLY_THOUSANDS).any()
    replacement = "" if groups and (separator == "," or certain) else "."
    texts = texts.str.replace(",", replacement, regex=False)
    if not groups or certain:
        return texts, []
    first = with_comma.iloc[0]
    return texts, [f"{first} read as {first.replace(',', replacement)}"]
