"""Normalization, ranks and agreement of scores. Pure functions of arrays."""

from collections.abc import Mapping
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import pandas as pd
from scipy import stats

from xcompare.core.checks import check_choice
from xcompare.results.wording import DASH

Normalization = Literal["paper", "max", "minmax"]

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
    return [_places(a, b) for a, b in zip(first, last, strict=True)]


def agreement(rows: Mapping[tuple[str, str], np.ndarray], top: int) -> pd.DataFrame:
    """Agreement of the rankings of each pair of rows: see `Comparison.agreement`.

    ``rows``: scores in which larger is more important, of shape (n_features,), by method and engine.
    Correlations and overlap are NaN if all scores of a row are equal.
    """
    pairs = []
    for (a, scores_a), (b, scores_b) in combinations(rows.items(), 2):
        constant = np.ptp(scores_a) == 0 or np.ptp(scores_b) == 0
        common = set(_top(scores_a, top)) & set(_top(scores_b, top))
        correlations = [
            np.nan if constant else measure(scores_a, scores_b).statistic
            for measure in (stats.spearmanr, stats.kendalltau)
        ]
        overlap = np.nan if constant else len(common) / min(top, len(scores_a))
        pairs.append([*a, *b, *correlations, overlap, np.abs(scores_a - scores_b).max()])
    who = ["method", "engine", "other_method", "other_engine"]
    return pd.DataFrame(pairs, columns=[*who, "spearman", "kendall", "overlap", "difference"])


def _places(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first}/{last}" if last == first + 1 else f"{first}-{last}"


def _top(scores: np.ndarray, top: int) -> list[int]:
    """The ``top`` most important features; ties by position."""
    return np.argsort(-scores, kind="stable")[:top].tolist()
