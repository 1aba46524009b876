"""Evaluation of rankings and answers on data with known relevant features.

Larger scores are always more important here.
"""

import numpy as np
from scipy.stats import rankdata
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from xcompare.core.threads import one_thread
from xcompare.inference.answer import Answer

INITIALIZATIONS = 10  # of K-means on the selected features


def precision_at_k(scores: np.ndarray, relevant: np.ndarray) -> float:
    """Share of relevant features among the first k, where k is their number; expected value for ties.

    Examples
    --------
    >>> precision_at_k(np.array([3.0, 2.0, 2.0, 1.0]), np.array([True, True, False, False]))
    0.75
    """
    k = int(relevant.sum())
    last = np.sort(scores)[::-1][k - 1]
    sure, tied = scores > last, scores == last
    expected = relevant[sure].sum() + relevant[tied].mean() * (k - sure.sum())
    return float(expected / k)


def worst_rank(scores: np.ndarray, relevant: np.ndarray) -> float:
    """Rank of the lowest-ranked relevant feature; tied features share their mean rank.

    Examples
    --------
    >>> worst_rank(np.array([3.0, 1.0, 2.0]), np.array([True, True, False]))
    3.0
    """
    return float(rankdata(-scores)[relevant].max())


def false_positive_rate(scores: np.ndarray, relevant: np.ndarray) -> float:
    """False positive rate at full recall: irrelevant features above the last relevant one; ties count half.

    Examples
    --------
    >>> false_positive_rate(np.array([3.0, 1.0, 2.0, 0.0]), np.array([True, True, False, False]))
    0.5
    """
    last, others = scores[relevant].min(), scores[~relevant]
    return float(((others > last) + 0.5 * (others == last)).mean())


def top(scores: np.ndarray, k: int) -> tuple[int, ...]:
    """Indices of the k most important features, ascending; ties go to the first."""
    return tuple(sorted(np.argsort(-scores, kind="stable")[:k].tolist()))


def ari_on(X: np.ndarray, labels: np.ndarray, n_clusters: int, seed: int) -> float:
    """Adjusted Rand index of K-means on these features with the labels."""
    with one_thread():  # more only wait for each other on data of this size
        found = KMeans(n_clusters, n_init=INITIALIZATIONS, random_state=seed).fit_predict(X)
    return float(adjusted_rand_score(labels, found))


def stability(selections: np.ndarray) -> float:
    """Stability of feature selections, corrected for chance: 1 if identical, 0 expected at random.

    ``selections`` of shape (n_selections, n_features). Returns NaN with fewer than two selections, or if all
    or none of the features are selected.

    References
    ----------
    Nogueira, Sechidis, Brown (2018), On the stability of feature selection algorithms, JMLR 18(174).

    Examples
    --------
    >>> stability(np.array([[True, True, False, False], [True, True, False, False]]))
    1.0
    """
    n = len(selections)
    share = selections.mean()
    if n < 2 or share in (0, 1):
        return float("nan")
    frequency = selections.mean(axis=0)
    return float(1 - (n / (n - 1) * frequency * (1 - frequency)).mean() / (share * (1 - share)))


def judge_answer(answer: Answer, relevant: frozenset[str], noise: frozenset[str]) -> dict[str, float]:
    """Evaluate the features named in an answer.

    ``relevant``, ``noise``: names of the features; those in neither do not count. Returns ``first_named``: 1
    if the first feature named is relevant. ``all_named``: 1 if all are. ``recall``: share of the relevant
    features reported to differ between the clusters. ``precision``: share of relevant features among those
    reported, NaN if there are none.
    """
    named = [name for name in answer.named if name in relevant | noise]
    out = set(answer.differing or ()) & (relevant | noise)
    return {
        "first_named": float(bool(named) and named[0] in relevant),
        "all_named": float(bool(named) and relevant.issuperset(named)),
        "recall": len(out & relevant) / len(relevant),
        "precision": len(out & relevant) / len(out) if out else float("nan"),
    }
