"""Redundant features carry the same information, and so count more than once in every distance.

Correlation alone is not enough: two features that separate the same clusters are correlated because of the
clusters. Redundant features are correlated within the clusters too: their absolute rank correlation
(Spearman) is at least 0.85 over all rows, and at least 0.5 over the ranks within the clusters of one
K-means (20 initializations on all features). The second threshold is low because K-means splits along the
direction that redundant features share; for features that have only the clusters in common the correlation
is 0, up to ``1 / sqrt(n)``. Groups are the connected components of these pairs.
"""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import rankdata

from xcompare.bagging.kmeans.lloyd import partition

OVERALL, WITHIN = 0.85, 0.5
MAX_ROWS = 5000  # correlations are computed from at most this many rows, evenly spaced
N_INIT = 20
BLOCK = 512  # features

Groups = tuple[tuple[int, ...], ...]
Redundancy = Literal["warn", "spread", "ignore"]
REDUNDANCY: tuple[Redundancy, ...] = get_args(Redundancy)


def redundant_groups(points: np.ndarray, n_clusters: int, rng: np.random.Generator) -> Groups:
    """Groups of two or more features that are redundant with each other.

    ``points`` of shape (n_features, n_samples): standardised. ``rng``: for the initializations of K-means.
    Returns features of each group, ascending.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(4, 200))
    >>> x[3] = x[1] + 0.1 * x[3]
    >>> redundant_groups(x, 2, rng)
    ((1, 3),)
    """
    n = points.shape[1]
    points = points[:, np.linspace(0, n - 1, min(n, MAX_ROWS)).astype(np.intp)]
    everywhere = np.zeros(points.shape[1], dtype=np.intp)
    first, second = _correlated_pairs(_unit_ranks(points, everywhere))
    if first.size == 0:
        return ()
    suspects, at = np.unique(np.stack([first, second]), return_inverse=True)
    within = rank_correlation(points[suspects], partition(points, n_clusters, N_INIT, rng))
    copies = np.abs(within[tuple(at.reshape(2, -1))]) >= WITHIN
    redundant = coo_array((copies[copies], (first[copies], second[copies])), shape=(len(points), len(points)))
    _, group = connected_components(redundant, directed=False)
    return tuple(tuple(np.flatnonzero(group == g).tolist()) for g in np.flatnonzero(np.bincount(group) > 1))


def redundancy_warning(groups: Sequence[str]) -> str:
    """Warning that names the groups of redundant features."""
    return (
        f"redundant features count more than once: {'; '.join(groups)}. Keep one per group, or check whether"
        " redundancy='spread' (one per replicate) changes the result"
    )


def _correlated_pairs(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of features with a correlation of at least ``OVERALL``, in blocks to bound memory."""
    first, second = [], []
    for start in range(0, len(ranks), BLOCK):
        i, j = np.nonzero(np.abs(ranks[start : start + BLOCK] @ ranks[start:].T) >= OVERALL)
        first.append(start + i[i < j])
        second.append(start + j[i < j])
    return np.concatenate(first), np.concatenate(second)


def rank_correlation(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Correlation of within-cluster ranks, pooled over clusters.

    ``points`` of shape (n_features, n_samples) and ``labels`` of shape (n_samples,). Returns shape
    (n_features, n_features): Spearman's for a single cluster; 0 for features that are constant in all of
    them.
    """
    ranks = _unit_ranks(points, labels)
    return ranks @ ranks.T


def _unit_ranks(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Centred within-cluster ranks, scaled to unit norm over all clusters."""
    ranks = np.zeros(points.shape)
    for cluster in np.unique(labels):
        rows = labels == cluster
        ranks[:, rows] = rankdata(points[:, rows], axis=1) - (rows.sum() + 1) / 2
    return ranks / np.maximum(np.sqrt(np.einsum("ij,ij->i", ranks, ranks)), 1e-300)[:, None]


def draw_features(n_features: int, m: int, groups: Groups, rng: np.random.Generator) -> np.ndarray:
    """Features of a replicate, ascending: ``m`` of them, at most one of each group.

    Fewer than ``m`` if groups and other features together are fewer.
    """
    order = rng.permutation(n_features)
    if groups:
        group = np.arange(n_features)
        for members in groups:
            group[list(members)] = members[0]
        _, first = np.unique(group[order], return_index=True)  # the first member represents its group
        order = rng.permutation(order[first])
    return np.sort(order[:m])
