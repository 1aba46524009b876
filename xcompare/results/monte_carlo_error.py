"""Monte Carlo errors of the scores, with intervals for scores and ranks.

Runs differ only in their seeds, so these errors shrink with more runs. They do not include sampling
variability of the data: see the significance of a comparison.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata, t

from xcompare.core.escaping import one_line
from xcompare.results.table import PRINTED, TableRow

DRAWS = 1000
TAILS = (0.025, 0.975)
COLUMNS = ["method", "engine", "feature", "score", "error", "low", "high", "best", "worst"]


def intervals(rows: Sequence[TableRow], feature_names: Sequence[str]) -> pd.DataFrame:
    """Score, Monte Carlo error, and 95% intervals for the score and rank of each feature in each row.

    Uses Student's t with n_runs - 1 degrees of freedom. Intervals of ranks come from scores sampled from
    these distributions; 1 is the most important.
    """
    parts = []
    for row in rows:
        error = row.error
        if np.isnan(error).any():
            continue
        width = t.ppf(TAILS[1], _freedom(row)) * error
        best, worst = _ranks(row)
        columns = {
            "method": row.name, "engine": row.engine, "feature": list(feature_names), "score": row.mean,
            "error": error, "low": row.mean - width, "high": row.mean + width,
            "best": best, "worst": worst,
        }  # fmt: skip
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _freedom(row: TableRow) -> int:
    return max(len(row.runs) - 1, 1)


def _ranks(row: TableRow) -> tuple[np.ndarray, np.ndarray]:
    noise = np.random.default_rng(0).standard_t(_freedom(row), (DRAWS, len(row.mean)))
    drawn = np.round(row.importance + noise * row.error, PRINTED)
    ranks = rankdata(-drawn, axis=1, method="min")
    best = np.quantile(ranks, TAILS[0], axis=0, method="lower")
    return best.astype(int), np.quantile(ranks, TAILS[1], axis=0, method="higher").astype(int)


def footnote(rows: Sequence[TableRow], feature_names: Sequence[str]) -> str:
    """The largest Monte Carlo error of any score, its method and feature; "" if unknown."""
    known = [row for row in rows if not row.repeats and not np.isnan(row.error).any()]
    if not known:
        return ""
    row = max(known, key=lambda one: one.error.max())
    median = float(np.median([one.error.max() for one in known]))
    return (
        f"Monte Carlo error of a score: at most {row.error.max():.2g} ({row.name},"
        f" {one_line(feature_names[int(row.error.argmax())])}), median over the methods {median:.2g}"
    )
