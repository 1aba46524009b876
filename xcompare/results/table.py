"""The rows of a table of scores: normalization, ranks and agreement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from scipy import stats

from xcompare.core.checks import check_choice
from xcompare.harness.plan import Row, registered
from xcompare.harness.unit import UnitResult
from xcompare.results.wording import DASH

Normalization = Literal["paper", "max", "minmax"]

LARGER, SMALLER = "larger is more important", "smaller is more important"
PRINTED = 2  # decimals of a printed score; scores equal when rounded are ties


def check_normalization(normalize: str) -> None:
    """Raise unless the normalization is known."""
    check_choice("normalize", normalize, get_args(Normalization))


def normalize_scores(scores: np.ndarray, how: Literal["max", "minmax", "none"]) -> np.ndarray:
    """Scores of each run on a common scale.

    ``scores`` of shape (n_runs, n_features). ``how`` ("max", "minmax", "none"): "none": unchanged. "max":
    negative scores become 0, then each run is divided by its largest score; a run without positive scores is
    all 0. "minmax": each run from 0 to 1; one with equal scores is all 1, as in the published tables. Returns
    shape (n_runs, n_features).

    Examples
    --------
    >>> normalize_scores(np.array([[-1.0, 1.0, 4.0], [2.0, 2.0, 2.0]]), "max")
    array([[0.  , 0.25, 1.  ],
           [1.  , 1.  , 1.  ]])
    >>> normalize_scores(np.array([[-1.0, 1.0, 4.0], [2.0, 2.0, 2.0]]), "minmax")
    array([[0. , 0.4, 1. ],
           [1. , 1. , 1. ]])
    """
    if how == "none":
        return scores
    largest = scores.max(axis=1, keepdims=True)
    if how == "max":
        return np.clip(scores, 0.0, None) / np.where(largest > 0, largest, 1.0)
    smallest = scores.min(axis=1, keepdims=True)
    spread = largest - smallest
    return np.where(spread > 0, (scores - smallest) / np.where(spread > 0, spread, 1.0), 1.0)


def rank_texts(means: np.ndarray, larger_is_better: bool) -> list[str]:
    """Ranks of the features of a row, 1 for the most important.

    Scores that are equal at the printed precision share their ranks: ``"5/6"`` for two features,
    ``"5-7"`` for three or more.

    Examples
    --------
    >>> rank_texts(np.array([0.501, 1.0, 0.499, 0.2]), larger_is_better=True)
    ['2/3', '1', '2/3', '4']
    """
    if np.isnan(means).any():
        return [DASH] * len(means)
    printed = np.round(means, PRINTED) * (-1 if larger_is_better else 1)
    first = stats.rankdata(printed, method="min").astype(int)
    last = stats.rankdata(printed, method="max").astype(int)
    return [
        str(a) if a == b else f"{a}/{b}" if b == a + 1 else f"{a}-{b}"
        for a, b in zip(first, last, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class TableRow:
    """One row of the table: a method with an engine, or a variant of it."""

    name: str
    title: str
    engine: str
    larger_is_better: bool  # direction of the scores as shown
    normalization: str  # "max", "minmax" or "none"
    runs: np.ndarray  # (n_runs,): run numbers
    raw: np.ndarray  # (n_runs, n_features)
    normalized: np.ndarray  # (n_runs, n_features)
    repeats: bool  # whether one run stands for all, because the method is deterministic
    software: str  # software that computed it; "" if it failed

    @property
    def mean(self) -> np.ndarray:
        """Mean over the runs, shape (n_features,); NaN without runs."""
        return self.normalized.mean(axis=0) if len(self.runs) else np.full(self.raw.shape[1], np.nan)

    @property
    def std(self) -> np.ndarray:
        """Sample standard deviation over the runs; 0 if deterministic, NaN if unknown."""
        return spread(self.normalized, self.repeats)

    @property
    def error(self) -> np.ndarray:
        """Monte Carlo error: standard error of the mean over the runs; NaN if unknown."""
        return self.std / np.sqrt(max(len(self.runs), 1))

    @property
    def run_importances(self) -> np.ndarray:
        """Scores of each run in which larger is more important, shape (n_runs, n_features)."""
        return self.normalized if self.larger_is_better else 1.0 - self.normalized

    @property
    def importance(self) -> np.ndarray:
        """Mean scores in which larger is more important."""
        return self.mean if self.larger_is_better else 1.0 - self.mean

    def to_dict(self, feature_names: Sequence[str]) -> dict[str, Any]:
        """The row as a plain dict: method, engine, direction, software, means, standard deviations, ranks."""
        ranks = rank_texts(self.mean, self.larger_is_better)
        shown = {"mean": self.mean.tolist(), "std": self.std.tolist(), "ranks": ranks}
        return {
            "method": self.name,
            "engine": self.engine,
            "reads": self.reads,
            "normalization": self.normalization,
            "software": self.software or None,
            "runs": len(self.runs),
            **{what: dict(zip(feature_names, values, strict=True)) for what, values in shown.items()},
        }

    @property
    def reads(self) -> str:
        """Whether larger or smaller is more important, in words."""
        return LARGER if self.larger_is_better else SMALLER


def table_rows(
    row: Row, finished: Sequence[UnitResult], normalize: Normalization, flip: bool, n_features: int
) -> list[TableRow]:
    """The row of a method, and one per variant."""
    method = registered(row.method)
    found = [(result.unit.run, result.scores) for result in finished if result.scores is not None]
    flipped = flip and not method.larger_is_better
    how = method.normalization if normalize == "paper" else normalize

    def made(suffix: str, raw: dict[int, np.ndarray]) -> TableRow:
        values = np.array(list(raw.values())).reshape(len(raw), n_features)
        return TableRow(
            name=f"{method.name}_{suffix}" if suffix else method.name,
            title=f"{method.title} {suffix}" if suffix else method.title,
            engine=row.engine,
            larger_is_better=method.larger_is_better or flipped,
            normalization="minmax" if flipped else how,
            runs=np.array(list(raw), dtype=int),
            raw=values,
            # Flipped, the smallest score becomes 1 and the largest 0.
            normalized=normalize_scores(-values, "minmax") if flipped else normalize_scores(values, how),
            repeats=not method.stochastic,
            software=", ".join(dict.fromkeys(one.software for _, one in found)),
        )

    variants = dict.fromkeys(variant for _, one in found for variant in one.variants)
    return [
        made("", {run: one.scores for run, one in found}),
        *(
            made(variant, {run: one.variants[variant] for run, one in found if variant in one.variants})
            for variant in variants
        ),
    ]


def spread(values: np.ndarray, repeats: bool) -> np.ndarray:
    """Sample standard deviation over rows; 0 if deterministic, NaN if there are too few rows."""
    if len(values) > 1:
        return values.std(axis=0, ddof=1)
    return np.full(values.shape[1], 0.0 if repeats and len(values) else np.nan)


def agreement(rows: Mapping[tuple[str, str], np.ndarray], top: int) -> pd.DataFrame:
    """Agreement of the rankings of each pair of rows: see `Comparison.agreement`.

    ``rows``: scores in which larger is more important, of shape (n_features,), by method and engine.
    Correlations and overlap are NaN if all scores of a row are equal.
    """
    pairs = []
    for (a, scores_a), (b, scores_b) in combinations(rows.items(), 2):
        constant = np.ptp(scores_a) == 0 or np.ptp(scores_b) == 0
        leading_a, leading_b = (np.argsort(-one, kind="stable")[:top] for one in (scores_a, scores_b))
        correlations = [
            np.nan if constant else measure(scores_a, scores_b).statistic
            for measure in (stats.spearmanr, stats.kendalltau)
        ]
        overlap = np.nan if constant else len(np.intersect1d(leading_a, leading_b)) / min(top, len(scores_a))
        pairs.append([*a, *b, *correlations, overlap, np.abs(scores_a - scores_b).max()])
    who = ["method", "engine", "other_method", "other_engine"]
    return pd.DataFrame(pairs, columns=[*who, "spearman", "kendall", "overlap", "difference"])
