"""The Dunn index of one partition, and of the many of an ensemble."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from xcompare.bagging.dunn.bounds import CentredClusters
from xcompare.core.blocks import slices
from xcompare.core.checks import check_data, check_labels

BLOCK_POINTS = 2**13  # transposed at a time, to fit in the cache


def dunn_index(X: ArrayLike, labels: ArrayLike) -> float:
    """Smallest distance between clusters over the largest distance within one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of int of shape (n_samples,)

    Returns
    -------
    float
        Larger is better. 0 for a single cluster, which separates nothing, and for clusters that share a
        point; ``inf`` when every cluster is a single (repeated) point of its own.

    References
    ----------
    Dunn, J. C. (1974). Well-separated clusters and optimal fuzzy partitions. doi:10.1080/01969727408546059

    Examples
    --------
    >>> dunn_index([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    3.0
    """
    X = check_data(X, squares=True)
    codes, _ = check_labels(labels, len(X))
    return CentredClusters.of(X, codes, _means(X, codes)).dunn_index()


def dunn_indices(
    points: np.ndarray, labels: np.ndarray, features: np.ndarray, centers: Sequence[np.ndarray | None]
) -> np.ndarray:
    """Dunn index of each partition of an ensemble in its own features, shape (n_partitions,).

    ``points`` of shape (n_features, n_samples). ``labels`` of shape (n_partitions, n_samples): codes
    ``0..K-1``; some may be unused. ``features`` of shape (n_partitions, n_features): those in which each
    partition is measured. ``centers`` of shape (n_clusters, m) or None: centres of the clusters where known.
    """
    found = np.empty(len(labels))
    for i, (row, mask, known) in enumerate(zip(labels, features, centers, strict=True)):
        rows = np.empty((points.shape[1], np.count_nonzero(mask)))
        for some in slices(len(rows), BLOCK_POINTS):
            rows[some] = points[mask, some].T
        found[i] = CentredClusters.of(rows, row, _means(rows, row) if known is None else known).dunn_index()
    return found


def _means(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Mean of each cluster; 0 for an unused label."""
    sizes = np.bincount(labels)
    member = (labels == np.arange(len(sizes))[:, None]).astype(np.float64)
    return member @ points / np.maximum(sizes, 1)[:, None]
