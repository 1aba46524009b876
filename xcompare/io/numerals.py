"""Parse numbers in various notations: 1,5 and 80,554, 98.4%, and symbols for missing values."""

import numpy as np
import pandas as pd

MISSING_MARKS = frozenset({"-", "--", "–", "—", ".", "..", "*", "na", "none", "missing"})
THOUSANDS = r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?"
CERTAINLY_THOUSANDS = r"[+-]?\d{1,3}(?:,\d{3}){2,}(?:\.\d+)?|[+-]?\d{1,3}(?:,\d{3})+\.\d+"


def read_numerals(frame: pd.DataFrame, *, separator: str) -> tuple[pd.DataFrame, list[str]]:
    """Convert text columns that consist of numbers in some notation; other columns are unchanged.

    Parameters
    ----------
    frame : DataFrame
    separator : str
        Separator of the file. In a comma-separated file, the comma of ``80,554`` separates thousands;
        elsewhere it is a decimal comma, unless another number of the column rules that out.

    Returns
    -------
    DataFrame
    list of str
        Remarks on ambiguous notations.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": ["80,554", "-"], "b": ["98.4%", "7%"], "c": ["x", "1"]})
    >>> found, notes = read_numerals(frame, separator=",")
    >>> found.to_numpy().tolist()
    [[80554.0, 98.4, 'x'], [nan, 7.0, '1']]
    >>> notes
    ["a: '-' taken as missing", 'a: 80,554 taken as 80554', 'b: percent signs left out']
    """
    notes: list[str] = []
    frame = frame.copy()
    for at, kind in enumerate(frame.dtypes):
        if pd.api.types.is_numeric_dtype(kind):
            continue
        numbers, said = _numbers(frame.iloc[:, at], separator)
        if numbers is not None:
            frame.isetitem(at, numbers.to_numpy())
            notes += [f"{frame.columns[at]}: {note}" for note in said]
    return frame, notes


def _numbers(column: pd.Series, separator: str) -> tuple[pd.Series | None, list[str]]:
    """Convert a text column, with remarks; None if some values are not numbers."""
    texts = column.astype("string").str.strip()
    marks = texts.str.casefold().isin(MISSING_MARKS).fillna(False).astype(bool)
    notes = [f"{mark!r} taken as missing" for mark in texts[marks].unique()]
    texts = texts[~marks].dropna()
    if len(texts) == 0 and not marks.any():
        return None, []
    if len(texts) and texts.str.endswith("%").all():
        texts = texts.str.removesuffix("%").str.rstrip()
        notes.append("percent signs left out")
    with_comma = texts[texts.str.contains(",", regex=False)]
    if len(with_comma):
        groups = with_comma.str.fullmatch(THOUSANDS).all()
        certain = with_comma.str.fullmatch(CERTAINLY_THOUSANDS).any()
        replacement = "" if groups and (separator == "," or certain) else "."
        texts = texts.str.replace(",", replacement, regex=False)
        if groups and not certain:
            first = with_comma.iloc[0]
            notes.append(f"{first} taken as {first.replace(',', replacement)}")
    numbers = pd.to_numeric(texts, errors="coerce").astype(np.float64)
    return (None, []) if numbers.isna().any() else (numbers.reindex(column.index), notes)
