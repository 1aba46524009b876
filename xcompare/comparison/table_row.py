"""One row of the table, with all that is known about it."""

from dataclasses import dataclass

import numpy as np

LARGER, SMALLER = "larger is more important", "smaller is more important"


@dataclass(frozen=True, eq=False)
class TableRow:
    """One row of the table: a method with an engine, or a variant of it.

    Attributes
    ----------
    name, title, engine : str
    larger_is_better : bool
        How the row reads as it is shown.
    normalization : str
        "max", "minmax" or "none".
    runs : ndarray of shape (n_runs,)
        Which runs these are.
    raw, normalized : ndarray of shape (n_runs, n_features)
    repeats : bool
        Whether one run stands for all: the method has no randomness.
    software : str
        What computed it; "" when nothing did.
    """

    name: str
    title: str
    engine: str
    larger_is_better: bool
    normalization: str
    runs: np.ndarray
    raw: np.ndarray
    normalized: np.ndarray
    repeats: bool
    software: str

    @property
    def mean(self) -> np.ndarray:
        """Mean over the runs, shape (n_features,); NaN without runs."""
        return self.normalized.mean(axis=0) if len(self.runs) else np.full(self.raw.shape[1], np.nan)

    @property
    def std(self) -> np.ndarray:
        """Sample standard deviation over the runs; 0 when one run stands for all, NaN when unknown."""
        return spread(self.normalized, self.repeats)

    @property
    def importance(self) -> np.ndarray:
        """Mean scores in which larger means more important."""
        return self.mean if self.larger_is_better else 1.0 - self.mean

    @property
    def reads(self) -> str:
        """Which way the row reads."""
        return LARGER if self.larger_is_better else SMALLER


def spread(values: np.ndarray, repeats: bool) -> np.ndarray:
    """Sample standard deviation over rows; 0 if one row stands for all, NaN if there are too few."""
    if len(values) > 1:
        return values.std(axis=0, ddof=1)
    return np.full(values.shape[1], 0.0 if repeats and len(values) else np.nan)
