"""Levels of a column: the distinct values of text or categories, in order."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xcompare.io.numerals import LEVEL_MARKS

SHOWN = 3
NO = ("-", "no", "n", "nein", "non", "false", "f", "off", "absent", "negative")
YES = ("+", "yes", "y", "ja", "j", "oui", "o", "si", "sí", "s", "true", "t", "on", "present", "positive")


def level_text(value: object) -> str:
    """Name of a level; whole numbers have no decimal point, so that 1 and 1.0 are the same level.

    Examples
    --------
    >>> level_text(1.0), level_text("S"), level_text(True)
    ('1', 'S', 'True')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def in_order(levels: Sequence[str]) -> tuple[str, ...]:
    """Levels sorted as people would: numbers by value, no before yes, then text.

    Examples
    --------
    >>> in_order(["10", "9"]), in_order(["Ja", "Nein"]), in_order(["b", "a"])
    (('9', '10'), ('Nein', 'Ja'), ('a', 'b'))
    """
    if {level.casefold() in YES for level in levels} == {True, False} and all(
        level.casefold() in (*YES, *NO) for level in levels
    ):
        return tuple(sorted(levels, key=lambda level: (level.casefold() in YES, level)))
    return tuple(
        sorted(levels, key=lambda level: (0, float(level), level) if is_number(level) else (1, 0.0, level))
    )


def distinct(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Code of each row, -1 where missing, and the distinct values as text, in order of appearance."""
    try:
        codes, values = pd.factorize(column)
    except TypeError:  # such as lists
        codes, values = pd.factorize(column.astype("string"))
    texts = [level_text(value).strip() for value in values]
    merged, distinct = pd.factorize(np.array(texts, dtype=object))
    return np.append(merged, -1)[codes], list(distinct)


def known(column: pd.Series) -> tuple[np.ndarray, list[str], tuple[str, ...]]:
    """As `distinct`, with symbols for missing values read as missing, and remarks that say so."""
    codes, texts = distinct(column)
    gone = np.array([text.casefold() in LEVEL_MARKS for text in texts], dtype=bool)
    if "+" in texts:  # then - is a level, too
        gone &= np.array(texts) != "-"
    new = np.append(np.where(gone, -1, np.cumsum(~gone) - 1), -1)
    notes = [f"{text!r} read as missing" for text, out in zip(texts, gone, strict=True) if out and text]
    return new[codes], [text for text, out in zip(texts, gone, strict=True) if not out], tuple(notes)


def codes_of(codes: np.ndarray, texts: Sequence[str], levels: Sequence[str]) -> np.ndarray:
    """Codes by sorted levels, from codes by texts; NaN where missing or not among the levels."""
    at = {level: float(code) for code, level in enumerate(levels)}
    return np.array([*(at.get(text, np.nan) for text in texts), np.nan])[codes]


def is_number(text: str) -> bool:
    """Whether a text is a number as files have them: unlike in Python, 1_000 is none."""
    try:
        return text.isascii() and "_" not in text and float(text) == float(text)
    except ValueError:
        return False


def some(texts: Sequence[str]) -> str:
    """The first few texts, shortened."""
    shown = ", ".join(repr(text if len(text) <= 20 else f"{text[:17]}...") for text in texts[:SHOWN])
    return shown + (f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else "")
