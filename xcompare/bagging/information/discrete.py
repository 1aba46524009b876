"""Plug-in estimate of mutual information: for discrete values, where no density exists.

It is computed from the contingency table of values and clusters, with two corrections. With few rows any
table looks dependent: by ``(v - 1) (k - 1) / 2n`` nats on average for ``v`` values, ``k`` clusters and ``n``
rows (Miller, 1955). This bias is subtracted, and the rest rescaled so that independence gives 0 on average
and a copy of the labels exactly their entropy, as in the adjusted mutual information (Vinh, Epps, Bailey,
2010, jmlr.org/papers/v11/vinh10a.html), of which this is the limit for many rows. And many distinct values,
each seen once, would determine any labels: more than ``sqrt(n)`` of them are merged with their neighbours in
rank.
"""

from collections.abc import Sequence
from math import isqrt

import numpy as np
from scipy.special import xlogy


def few_values(n_samples: int) -> int:
    """Number of distinct values up to which a feature is not binned."""
    return max(2, isqrt(n_samples))


def value_codes(x: np.ndarray, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Integer codes of the values, and how often each value occurs.

    Parameters
    ----------
    x : ndarray of shape (n_samples,)
    most : int, default=None
        Number of distinct values above which they are binned; None is `few_values`.

    Returns
    -------
    codes : ndarray of int32 of shape (n_samples,)
        One code per value; with more than ``most`` values, one per bin of neighbouring ranks. Equal values
        always share a code.
    counts : ndarray of int of shape (n_values,)
        Frequencies of the values, ascending, before binning.

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


def discrete_information(codes: Sequence[np.ndarray], labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Plug-in mutual information of many features with many partitions, corrected for chance.

    Parameters
    ----------
    codes : sequence of ndarray of int of shape (n_samples,)
        Codes of each feature, as from `value_codes`.
    labels : ndarray of int of shape (n_partitions, n_samples)
        Codes ``0..n_clusters-1``; some may be unused.
    n_clusters : int

    Returns
    -------
    ndarray of shape (n_partitions, n_features)
        In nats, at most the entropy of the labels; about 0 on average for independent features.

    Examples
    --------
    >>> labels = np.repeat([0, 1], 50)
    >>> discrete_information([labels, np.tile([0, 1], 50)], labels[None], 2).round(3)  # log(2) and about 0
    array([[ 0.693, -0.005]])
    """
    n_partitions, n = labels.shape
    terms = xlogy(np.arange(n + 1.0), np.arange(n + 1.0))
    clusters = labels.astype(np.intp) + n_clusters * np.arange(n_partitions)[:, None]
    sizes = np.bincount(clusters.ravel(), minlength=n_partitions * n_clusters).reshape(n_partitions, -1)
    entropy = np.log(n) - terms[sizes].sum(axis=1) / n
    free = (sizes > 0).sum(axis=1) - 1
    found = np.zeros((n_partitions, len(codes)))
    for j, code in enumerate(codes):
        counts = np.bincount(code)
        n_values = np.count_nonzero(counts)
        if n_values == 1:  # a constant carries no information, not even by rounding
            continue
        cells = (clusters * len(counts) + code).ravel()
        table = np.bincount(cells, minlength=sizes.size * len(counts)).reshape(n_partitions, -1)
        information = entropy + (terms[table].sum(axis=1) - terms[counts].sum()) / n
        chance = (n_values - 1) * free / (2 * n)
        rest = entropy - chance
        found[:, j] = np.divide(
            entropy * (information - chance), rest, out=np.zeros(n_partitions), where=rest > 0
        )
    return found
