"""Plug-in estimate of mutual information: for discrete values, where no density exists.

It is computed from the contingency table of values and clusters, with two corrections. With few rows any
table looks dependent: by ``(v - 1) (k - 1) / 2n`` nats on average for ``v`` values, ``k`` clusters and ``n``
rows (Miller, 1955). This bias is subtracted, and the rest rescaled so that independence gives 0 on average
and a copy of the labels exactly their entropy, as in the adjusted mutual information (Vinh, Epps, Bailey,
2010, jmlr.org/papers/v11/vinh10a.html), of which this is the limit for many rows. And many distinct values,
each seen once, would determine any labels: more than ``sqrt(n)`` of them are merged with their neighbours in
rank.

Levels of a nominal feature have no neighbours. For them the expected information under permutation is exact,
as in the adjusted mutual information: with 30 levels in 100 rows the limit is .07 nats too low, see
``benchmarks/real_tables.py``.
"""

from collections.abc import Sequence
from math import isqrt

import numpy as np
from scipy.special import gammaln, xlogy

ROUNDING = 1e-12  # nats; with a level per row, chance gives all that the labels hold
MANY_EXPECTED = 100  # rows expected in a cell from which on the limit for many rows is used


def few_values(n_samples: int) -> int:
    """Number of distinct values up to which a feature is not binned."""
    return max(2, isqrt(n_samples))


def value_codes(x: np.ndarray, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Integer codes of the values, and how often each value occurs.

    ``x`` of shape (n_samples,). ``most``: number of distinct values above which they are binned; None is
    `few_values`. Returns ``codes`` of shape (n_samples,): one code per value; with more than ``most`` values,
    one per bin of neighbouring ranks. Equal values always share a code; ``counts`` of shape (n_values,):
    frequencies of the values, ascending, before binning.

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


def expected_information(counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Expected mutual information of levels and clusters if their rows are permuted, in nats.

    ``counts`` of shape (n_levels,): rows of each level. ``sizes`` of shape (n_partitions, n_clusters): rows
    of each cluster; each partition has all rows. Returns shape (n_partitions,): the number of rows in a cell
    is hypergeometric (Vinh, Epps, Bailey 2010). Where `MANY_EXPECTED` rows or more are expected its logarithm
    is expanded, as in the limit for many rows.

    Examples
    --------
    >>> expected_information(np.array([50, 50]), np.array([[50, 50], [10, 90]])).round(4)
    array([0.0051, 0.0053])
    """
    n = int(counts.sum())
    log_factorial = gammaln(np.arange(n + 1.0) + 1)
    distinct, which = np.unique(sizes, return_inverse=True)
    total = np.zeros(len(distinct))
    for a, times in zip(*np.unique(counts[counts > 0], return_counts=True), strict=True):
        expected = a * distinct / n
        found = (1 - a / n) * (1 - distinct / n) / (2 * max(n - 1, 1))
        few = np.flatnonzero((expected < MANY_EXPECTED) & (distinct > 0))
        if few.size:
            b = distinct[few]
            farthest = expected[few].max() + 12 * np.sqrt(expected[few].max()) + 12
            k = np.arange(1, min(a, b.max(), int(farthest)) + 1)[:, None]
            possible = (k <= b) & (n - a - b + k >= 0)
            rest, outside = np.maximum(b - k, 0), np.maximum(n - a - b + k, 0)
            log_p = (
                log_factorial[a] - log_factorial[k] - log_factorial[a - k]
                + log_factorial[n - a] - log_factorial[rest] - log_factorial[outside]
                - (log_factorial[n] - log_factorial[b] - log_factorial[n - b])
            )  # fmt: skip
            terms = k / n * np.log(n * k / (a * b)) * np.exp(log_p)
            found[few] = np.where(possible, terms, 0.0).sum(axis=0)
        total += times * np.where(distinct > 0, found, 0.0)
    return total[which].reshape(sizes.shape).sum(axis=1)


def discrete_information(
    codes: Sequence[np.ndarray], labels: np.ndarray, n_clusters: int, nominal: Sequence[bool] | None = None
) -> np.ndarray:
    """Plug-in mutual information of many features with many partitions, corrected for chance.

    ``codes`` of shape (n_samples,): codes of each feature, as from `value_codes`. ``labels`` of shape
    (n_partitions, n_samples): codes ``0..n_clusters-1``; some may be unused. ``nominal``: for which features
    what chance gives is exact; None: for none. Returns shape (n_partitions, n_features): in nats, at most the
    entropy of the labels; about 0 on average for independent features.

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
        if nominal is not None and nominal[j]:
            chance = expected_information(counts, sizes.reshape(n_partitions, n_clusters))
        else:
            chance = (n_values - 1) * free / (2 * n)
        rest = entropy - chance
        found[:, j] = np.divide(
            entropy * (information - chance), rest, out=np.zeros(n_partitions), where=rest > ROUNDING
        )
    return found
