"""Mutual information by counting: for values that repeat, where no density exists.

What is counted is how often each value meets each cluster. Two things need care. Few rows make any table
look dependent: by ``(v - 1) (k - 1) / 2n`` nats on average for ``v`` values, ``k`` clusters and ``n`` rows
(Miller, 1955). That is taken off, and the rest stretched so that a feature that determines the clusters
keeps all of their entropy: independence gives 0 on average and a copy of the labels gives exactly their
entropy, as in the adjusted mutual information (Vinh, Epps, Bailey, 2010, jmlr.org/papers/v11/vinh10a.html),
of which this is the limit for many rows. And many different values, each seen once, would determine
anything: more than ``sqrt(n)`` of them are merged with their neighbours in rank.
"""

from math import isqrt

import numpy as np
from scipy.special import xlogy


def few_values(n_samples: int) -> int:
    """How many different values can be counted one by one in so many rows."""
    return max(2, isqrt(n_samples))


def value_codes(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values as codes to count by, and how often each value occurs.

    Parameters
    ----------
    x : ndarray of shape (n_samples,)

    Returns
    -------
    codes : ndarray of int32 of shape (n_samples,)
        One code per value; beyond `few_values`, one for values whose ranks are about the same. Equal values
        always share a code.
    counts : ndarray of int of shape (n_values,)
        Of the values, ascending, before any are merged.

    Examples
    --------
    >>> value_codes(np.array([5.0, 0.0, 5.0, 0.0]))
    (array([1, 0, 1, 0], dtype=int32), array([2, 2]))
    >>> value_codes(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]))[0]
    array([0, 0, 0, 0, 0, 1, 2, 2, 2], dtype=int32)
    """
    values, codes, counts = np.unique(x, return_inverse=True, return_counts=True)
    limit = few_values(len(x))
    if len(values) > limit:
        below = np.cumsum(counts) - counts
        _, merged = np.unique(below * limit // len(x), return_inverse=True)
        codes = merged[codes]
    return codes.astype(np.int32), counts


def counted_information(codes: np.ndarray, labels: np.ndarray) -> float:
    """Mutual information of two partitions of the same rows, corrected for chance.

    Parameters
    ----------
    codes, labels : ndarray of int of shape (n_samples,)
        Values and clusters, from 0.

    Returns
    -------
    float
        Nats, at most the entropy of ``labels``; a little below 0 as often as above where they are
        independent.

    Examples
    --------
    >>> labels = np.repeat([0, 1], 50)
    >>> round(counted_information(labels, labels), 4)  # log(2)
    0.6931
    >>> round(counted_information(np.tile([0, 1], 50), labels), 3)
    -0.005
    """
    n, n_clusters = len(labels), int(labels.max()) + 1
    table = np.bincount(codes * n_clusters + labels, minlength=(int(codes.max()) + 1) * n_clusters)
    table = table.reshape(-1, n_clusters)
    sizes, counts = table.sum(axis=0), table.sum(axis=1)
    entropy = _entropy(sizes, n)
    chance = ((counts > 0).sum() - 1) * ((sizes > 0).sum() - 1) / (2 * n)
    if chance >= entropy:  # too few rows to tell, or a single cluster
        return 0.0
    information = entropy + _entropy(counts, n) - _entropy(table, n)
    return float(entropy * (information - chance) / (entropy - chance))


def _entropy(counts: np.ndarray, n: int) -> float:
    """Entropy of counts that add up to ``n``, in nats."""
    return float(np.log(n) - xlogy(counts, counts).sum() / n)
