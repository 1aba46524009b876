"""How good an order of features is, where it is known which matter; and whether a method claims too much.

Pure functions of arrays. In scores, larger is always more important here.
"""

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from xcompare.bagging.reference import p_most

STARTS = 10  # of K-means on the chosen features


def auc(scores: np.ndarray, relevant: np.ndarray) -> float:
    """Chance that a relevant feature is before one that is not; ties count half.

    Parameters
    ----------
    scores : ndarray of shape (n_features,)
    relevant : ndarray of bool of shape (n_features,)

    Examples
    --------
    >>> auc(np.array([3.0, 2.0, 2.0, 1.0]), np.array([True, True, False, False]))
    0.875
    """
    n_relevant, n_others = relevant.sum(), (~relevant).sum()
    above = rankdata(scores)[relevant].sum() - n_relevant * (n_relevant + 1) / 2
    return float(above / (n_relevant * n_others))


def precision_at_k(scores: np.ndarray, relevant: np.ndarray) -> float:
    """Share of relevant features among the first k, where k are relevant; of ties, what to expect.

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
    """Place of the relevant feature that comes last; features that tie share the mean of their places.

    Examples
    --------
    >>> worst_rank(np.array([3.0, 1.0, 2.0]), np.array([True, True, False]))
    3.0
    """
    return float(rankdata(-scores)[relevant].max())


def noise_above(scores: np.ndarray, relevant: np.ndarray) -> float:
    """Share of the other features that one must take in before the last relevant one is found; ties half.

    Examples
    --------
    >>> noise_above(np.array([3.0, 1.0, 2.0, 0.0]), np.array([True, True, False, False]))
    0.5
    """
    last, others = scores[relevant].min(), scores[~relevant]
    return float(((others > last) + 0.5 * (others == last)).mean())


def top(scores: np.ndarray, k: int) -> tuple[int, ...]:
    """The k most important features, ascending; of equals, the first."""
    return tuple(sorted(np.argsort(-scores, kind="stable")[:k].tolist()))


def ari_on(X: np.ndarray, chosen: Sequence[int], labels: np.ndarray, n_clusters: int, seed: int) -> float:
    """Agreement with the labels (adjusted Rand index) of K-means on these features alone."""
    found = KMeans(n_clusters, n_init=STARTS, random_state=seed).fit_predict(X[:, list(chosen)])
    return float(adjusted_rand_score(labels, found))


def stability(selections: np.ndarray) -> float:
    """How alike selections of features are, corrected for chance: 1 all the same, 0 as at random.

    Parameters
    ----------
    selections : ndarray of bool of shape (n_selections, n_features)

    Returns
    -------
    float
        NaN with fewer than two selections, or where all or none of the features are selected.

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


def p_claim(scores: np.ndarray, clouds: np.ndarray) -> float:
    """Whether a method finds something that it does not find in one Gaussian cloud.

    The same rule for every method: the feature whose score stands out most, in standard deviations of that
    feature's scores over data and clouds, is held against the one that stands out most in each cloud. The
    clouds have the mean and covariance of the data, so that of data that are such a cloud at most 5% get a
    p-value of .05, whatever the method does. A method whose scores are relative to their own largest can
    hardly stand out: it seldom claims, rightly or wrongly.

    Parameters
    ----------
    scores : ndarray of shape (n_features,)
    clouds : ndarray of shape (n_clouds, n_features)

    Returns
    -------
    float
        A p-value, at least ``1 / (n_clouds + 1)``; up to .05 it is a claim.
    """
    return float(p_most(scores, clouds).min())
