"""The Dunn index, exact and fast: of one partition, and the one place that chooses how a bag computes it."""

from typing import NamedTuple, Protocol

import numpy as np
from joblib import Parallel
from numpy.typing import ArrayLike

from xcompare.bagging.dunn_all_pairs import AllPairs
from xcompare.bagging.dunn_bounds import Bounds
from xcompare.bagging.dunn_close_pairs import ClosePairs
from xcompare.bagging.dunn_distance_matrix import DistanceMatrix
from xcompare.bagging.dunn_distances import dunn_ratio
from xcompare.bagging.dunn_extremes import Clusters
from xcompare.checks import check_data, check_labels


class DunnStrategy(Protocol):
    """Dunn indices of many partitions of the same points."""

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features.

        Parameters
        ----------
        labels : ndarray of int of shape (n_partitions, n_samples)
            Codes ``0..K-1``; some may be unused.
        features : ndarray of bool of shape (n_partitions, n_features)
            Which features each partition is measured in.
        centers : list of (ndarray of shape (n_clusters, m) or None)
            Where the clusters are, as far as known. Time depends on them, the result does not.

        Returns
        -------
        ndarray of shape (n_partitions,)
        """


class Plan(NamedTuple):
    """Which way a bag takes to its Dunn indices: small, so that whoever has a replica at hand can find it."""

    way: type[AllPairs] | type[Bounds] | type[DistanceMatrix]
    limit: float | None = None  # pairs within it are listed first; the way is taken if they are too many


def plan_strategy(
    points: np.ndarray,
    n_replicas: int,
    labels: np.ndarray,
    features: np.ndarray,
    centers: np.ndarray | None = None,
) -> Plan:
    """The fastest way to the Dunn indices of a bag; all ways give the same numbers.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    n_replicas : int
    labels, features, centers : ndarray, ndarray, ndarray or None
        Of one replica, as a strategy takes them of many: they show how close clusters are. No other is
        measured in fewer features.
    """
    n_features, n = points.shape
    m = int(features.sum())
    if AllPairs.suits(n, n_features):
        return Plan(AllPairs)
    kept = DistanceMatrix.suits(n, n_features, m)
    clusters = Bounds(points).clusters(labels, features, centers)
    n_pairs = clusters.pairs_within(clusters.glanced_separation)
    n_clusters = len(clusters.members)
    to_search = Bounds.seconds(n, m, n_clusters, n_pairs)
    by_search = n_replicas * to_search
    by_matrix = DistanceMatrix.seconds(n, n_features, n_replicas) if kept else np.inf
    way = Bounds if by_search <= by_matrix else DistanceMatrix
    if ClosePairs.suits(n_features, m):
        to_spend = min(by_search, by_matrix) - n_replicas * ClosePairs.seconds(n, m, n_clusters, to_search)
        limits = ClosePairs.limits(clusters)
        if all(ClosePairs.seconds_to_list(points, m, limit := each) < to_spend for each in limits):
            return Plan(way, limit)
    return Plan(way)


def choose_strategy(
    points: np.ndarray,
    n_replicas: int,
    labels: np.ndarray,
    features: np.ndarray,
    centers: np.ndarray | None = None,
    plan: Plan | None = None,
    parallel: Parallel | None = None,
) -> DunnStrategy:
    """What it takes to go the fastest way, ready to go.

    Parameters
    ----------
    points, n_replicas, labels, features, centers
        As for `plan_strategy`.
    plan : Plan or None, default=None
        If known.
    parallel : joblib.Parallel or None, default=None
        Whose workers share what is to be done once.
    """
    way, limit = plan or plan_strategy(points, n_replicas, labels, features, centers)
    if limit is not None:
        listed = ClosePairs.listed(Bounds(points), int(features.sum()), limit, parallel)
        if listed is not None:
            return listed
    return DistanceMatrix(points, n_replicas, labels) if way is DistanceMatrix else way(points)


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
    clusters = Clusters.of(np.ascontiguousarray(X.T), codes, centers, origin=origin)
    return dunn_ratio(clusters.separation(), clusters.diameter())
