"""The Dunn index of one partition, and the choice of a strategy for the many partitions of an ensemble."""

import numpy as np
from numpy.typing import ArrayLike

from xcompare.bagging.dunn.bounds import Bounds, CentredClusters
from xcompare.bagging.dunn.matrix import DistanceMatrix
from xcompare.core.checks import check_data, check_labels

DunnStrategy = Bounds | DistanceMatrix  # Dunn indices of many partitions of the same points


def choose_strategy(
    points: np.ndarray,
    n_replicas: int,
    labels: np.ndarray,
    features: np.ndarray,
    centers: np.ndarray | None = None,
) -> DunnStrategy:
    """The fastest strategy for the Dunn indices of an ensemble.

    Both give identical results.

    ``points`` of shape (n_features, n_samples). ``labels``, ``features``, ``centers``: one partition of the
    ensemble, of those in the fewest features: it shows how far apart clusters are.
    """
    n_features, n = points.shape
    m = int(features.sum())
    if not DistanceMatrix.suits(n, n_features, m):
        return Bounds(points)
    clusters = Bounds(points).clusters(labels, features, centers)
    n_pairs = clusters.pairs_within(clusters.separation_bound)
    by_bounds = n_replicas * Bounds.seconds(n, m, len(clusters.members), n_pairs)
    by_matrix = DistanceMatrix.seconds(n, n_features, n_replicas)
    return Bounds(points) if by_bounds <= by_matrix else DistanceMatrix(points)


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
    codes, distinct = check_labels(labels, len(X))
    origin = X.mean(axis=0)
    centers = np.stack([(X[codes == k] - origin).mean(axis=0) for k in range(len(distinct))])
    if len(distinct) < 2:
        return 0.0
    return CentredClusters.of(np.ascontiguousarray(X.T), codes, centers, origin=origin).dunn_index()
