"""The answer of a comparison in one sentence: which feature matters most, and how many methods say so."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from xcompare.comparison.table import PRINTED


def overall_ranks(voices: Mapping[str, np.ndarray], feature_names: Sequence[str]) -> pd.Series:
    """Mean place of each feature over those who rank them, the most important feature first.

    Parameters
    ----------
    voices : mapping of str to ndarray of shape (n_features,)
        Scores in which larger means more important, by who gives them.
    feature_names : sequence of str

    Returns
    -------
    Series
        By feature, ascending; of equals, the first in the data. NaN when nobody ranks.
    """
    ranks = [stats.rankdata(-scores) for scores in _ranking(voices).values()]
    mean = np.mean(ranks, axis=0) if ranks else np.full(len(feature_names), np.nan)
    order = np.argsort(mean, kind="stable")
    index = pd.Index([feature_names[j] for j in order], name="feature")
    return pd.Series(mean[order], index, name="mean_rank")


def answer(voices: Mapping[str, np.ndarray], feature_names: Sequence[str], kind: str = "methods") -> str:
    """Which feature most of those who rank them put first.

    Features equal at the printed precision share the first place; scores that are all equal rank nothing.

    Parameters
    ----------
    voices, feature_names
        As for `overall_ranks`.
    kind : str, default="methods"
        What the voices are.

    Examples
    --------
    >>> scores = {"a": np.array([1.0, 0.2]), "b": np.array([0.9, 0.3]), "c": np.array([0.1, 0.4])}
    >>> answer(scores, ["petal", "sepal"])
    'petal matters most; 2 of 3 methods agree.'
    """
    ranking = _ranking(voices)
    if not ranking:
        return f"No answer: none of the {kind} could rank the features."
    printed = np.round(np.array(list(ranking.values())), PRINTED)
    votes = (printed == printed.max(axis=1, keepdims=True)).sum(axis=0)
    order = [list(feature_names).index(name) for name in overall_ranks(voices, feature_names).index]
    first, *others = sorted(order, key=lambda j: -votes[j])
    total, name = len(ranking), feature_names[first]
    if total == 1:
        return f"{name} matters most, by the one of the {kind} that ranks the features."
    if votes[first] == total:
        return f"{name} matters most: all {total} {kind} agree."
    if 2 * votes[first] > total:
        return f"{name} matters most; {votes[first]} of {total} {kind} agree."
    second = f", {feature_names[others[0]]} in {votes[others[0]]}" if votes[others[0]] else ""
    return f"The {kind} disagree: {name} comes first in {votes[first]} of {total}{second}."


def _ranking(voices: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Those whose scores are known and not all equal as printed."""
    return {
        who: scores
        for who, scores in voices.items()
        if not np.isnan(scores).any() and np.ptp(np.round(scores, PRINTED)) > 0
    }
