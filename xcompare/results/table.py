"""Normalization, ranks and agreement of scores. Pure functions of arrays."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, get_args

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


def agreement(rows: Mapping[Any, np.ndarray], columns: Sequence[str], top: int) -> pd.DataFrame:
    """Agreement of the rankings of each pair of rows.

    ``rows`` of shape (n_features,): scores in which larger is more important, by row key. ``columns``: names
    of the parts of a key, e.g. ``("method", "engine")``. ``top``: number of top-ranked features compared in
    the overlap. Returns one row per pair: keys (the second as ``other_...``), ``spearman``, ``kendall``,
    ``overlap`` (share of the ``top`` features in common) and ``difference`` (largest difference between two
    scores). NaN if all scores of a row are equal.
    """
    pairs = []
    for (a, scores_a), (b, scores_b) in combinations(rows.items(), 2):
        constant = np.ptp(scores_a) == 0 or np.ptp(scores_b) == 0
        common = set(_top(scores_a, top)) & set(_top(scores_b, top))
        pairs.append(
            {
                **dict(zip(columns, a, strict=True)),
                **{f"other_{column}": part for column, part in zip(columns, b, strict=True)},
                "spearman": np.nan if constant else stats.spearmanr(scores_a, scores_b).statistic,
                "kendall": np.nan if constant else stats.kendalltau(scores_a, scores_b).statistic,
                "overlap": np.nan if constant else len(common) / min(top, len(scores_a)),
                "difference": np.abs(scores_a - scores_b).max(),
            }
        )
    measures = ["spearman", "kendall", "overlap", "difference"]
    return pd.DataFrame(pairs, columns=[*columns, *(f"other_{column}" for column in columns), *measures])


def _places(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first}/{last}" if last == first + 1 else f"{first}-{last}"


def _top(scores: np.ndarray, top: int) -> list[int]:
    """The ``top`` most important features; ties by position."""
    return np.argsort(-scores, kind="stable")[:top].tolist()
