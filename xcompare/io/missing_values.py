"""Missing values of a table that is read: refused, left out with their rows, or filled in."""

from typing import Literal

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype

from xcompare.core.errors import DataError
from xcompare.core.names import listed

Missing = Literal["error", "drop", "median"]


def complete(
    X: pd.DataFrame, labels: pd.Series | None, missing: Missing | None, where: str
) -> tuple[np.ndarray, pd.DataFrame, list[str]]:
    """Handle missing values: the rows kept, their features, and a note.

    ``labels``: missing ones count too; None if they may be missing. Messages call the source ``where``.
    """
    gaps = X.isna().to_numpy()
    no_label = np.zeros(len(X), dtype=bool) if labels is None else labels.isna().to_numpy()
    unlabelled = [str(labels.name)] if labels is not None and no_label.any() else []
    if unlabelled and missing != "drop":
        raise DataError(
            f"{where}: {no_label.sum()} of {len(X)} rows have no label in {unlabelled[0]};"
            " leave them out with --missing drop"
        )
    bad = gaps.any(axis=1) | no_label
    if missing is None or not bad.any():
        return np.arange(len(X)), X, []
    which = listed([*X.columns[np.flatnonzero(gaps.any(axis=0))], *unlabelled])
    rows = f"{bad.sum()} of {len(X)} rows"
    if missing == "error":
        raise DataError(
            f"{where}: {rows} hold missing or infinite values (in {which});"
            " leave them out with --missing drop, or fill in medians with --missing median"
        )
    if missing == "median":
        return np.arange(len(X)), _filled(X), [f"medians put in for missing values in {rows} ({which})"]
    if bad.all():
        instead = "leave columns out with --drop" if unlabelled else "try --missing median"
        raise DataError(f"{where}: every row holds missing values (in {which}); {instead}")
    kept = np.flatnonzero(~bad)
    return kept, X.iloc[kept], [f"{rows} with missing values left out ({which})"]


def _filled(X: pd.DataFrame) -> pd.DataFrame:
    """Medians, of codes for ordered levels, and the most frequent of other levels, for missing values."""
    X = X.copy()
    for name, column in X.loc[:, X.isna().any()].items():
        if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
            codes = column.cat.codes[column.notna()]
            X[name] = column.fillna(column.cat.categories[int(codes.median())])
        else:
            X[name] = column.fillna(column.median() if is_float_dtype(column) else column.mode()[0])
    return X
