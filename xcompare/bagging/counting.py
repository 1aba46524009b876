"""Mutual information by counting: for values that repeat, where no density exists.

What is counted is how often each value meets each cluster. Two things need care. Few rows make any table
look dependent: by ``(v - 1) (k - 1) / 2n`` nats on average for ``v`` values, ``k`` clusters and ``n`` rows
(Miller, 1955). That is taken off, and the rest stretched so that a feature that determines the clusters
keeps all of their entropy: independence gives 0 on average and a copy of the labels gives exactly their
entropy, as in the adjusted mutual information (Vinh, Epps, Bailey, 2010, jmlr.org/papers/v11/vinh10a.html),
of which this is the limit for many rows. And many different values, each seen once, would determine
anything: more than ``sqrt(n)`` of them are merged with their neighbours in rank.
"""

from collections.abc import Sequence
from math import isqrt

import numpy as np
from scipy.special import xlogy


def few_values(n_samples: int) -> int:
    """How many different values can be counted one by one in so many rows."""
    return max(2, isqrt(n_samples))


def value_codes(x: np.ndarray, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Values as codes to count by, and how often each value occurs.

    Parameters
    ----------
    x : ndarray of shape (n_samples,)
    most : int, default=None
        How many values are counted one by one; None is `few_values`.

    Returns
    -------
    codes : ndarray of int32 of shape (n_samples,)
        One code per value; beyond ``most``, one for values whose ranks are about the same. Equal values
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
    limit = few_values(len(x)) if most is None else most
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


def counted_informations(codes: Sequence[np.ndarray], labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """`counted_information` of many features with many partitions.

    Parameters
    ----------
    codes : sequence of ndarray of int of shape (n_samples,)
        One per feature, without gaps, as `value_codes` gives them.
    labels : ndarray of int of shape (n_partitions, n_samples)
        Codes ``0..n_clusters-1``; some may be unused.
    n_clusters : int

    Returns
    -------
    ndarray of shape (n_partitions, n_features)
    """
    n_partitions, n = labels.shape
    members = (labels[:, None, :] == np.arange(n_clusters)[:, None]).astype(np.float32).reshape(-1, n)
    terms = xlogy(np.arange(n + 1.0), np.arange(n + 1.0))
    sizes = members.sum(axis=1, dtype=np.float64).astype(np.intp).reshape(n_partitions, n_clusters)
    entropy = np.log(n) - terms[sizes].sum(axis=1) / n
    free = (sizes > 0).sum(axis=1) - 1
    found = np.zeros((n_partitions, len(codes)))
    for j, code in enumerate(codes):
        counts = np.bincount(code)
        if len(counts) == 1:  # one value tells nothing: not even what rounding leaves
            continue
        cells = (code == np.arange(len(counts))[:, None]).astype(np.float32)
        table = (members @ cells.T).astype(np.intp).reshape(n_partitions, -1)  # counts in float32 are exact
        information = entropy + (terms[table].sum(axis=1) - terms[counts].sum()) / n
        chance = (len(counts) - 1) * free / (2 * n)
        rest = entropy - chance
        found[:, j] = np.divide(
            entropy * (information - chance), rest, out=np.zeros(n_partitions), where=rest > 0
        )
    return found


def _entropy(counts: np.ndarray, n: int) -> float:
    """Entropy of counts that add up to ``n``, in nats."""
    return float(np.log(n) - xlogy(counts, counts).sum() / n)
