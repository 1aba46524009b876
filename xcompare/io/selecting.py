"""Select columns of a table by name."""

from collections.abc import Collection, Sequence

import pandas as pd

from xcompare.core.errors import DataError
from xcompare.io.names import hint, listed


def select(
    frame: pd.DataFrame,
    columns: Sequence[str] | None,
    drop: Sequence[str] | None,
    where: str,
    known: Collection[str] = (),
) -> pd.DataFrame:
    """Select the requested features; names in ``known`` are accepted although they are not features."""
    wanted = list(frame.columns)
    if columns is not None:
        columns = rejoined(columns, frame.columns)
        check_columns(frame, columns, where, "--columns", known)
        wanted = [column for column in dict.fromkeys(columns) if column not in known]
    if drop is not None:
        drop = rejoined(drop, frame.columns)
        check_columns(frame, drop, where, "--drop", known)
        left_out = set(drop)
        wanted = [column for column in wanted if column not in left_out]
    return frame[wanted]


def check_columns(
    frame: pd.DataFrame, names: Collection[str], where: str, option: str, known: Collection[str] = ()
) -> None:
    """Every name must be a column."""
    for wanted in names:
        if wanted not in frame.columns and wanted not in known:
            raise DataError(
                f"{where} has no column {wanted!r} ({option}); {hint(wanted, list(frame.columns))}columns:"
                f" {listed(frame.columns)}"
            )


def rejoined(names: Sequence[str], columns: Collection[str]) -> list[str]:
    """Join the pieces of column names that contain commas.

    Examples
    --------
    >>> rejoined(["width", "length", "cm"], ["width", "length, cm"])
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
