"""The bag all tests look at: partitions of the rows in half of the features, and what features know of them.

With half of the features drawn, about as many replicas do without a feature as use it: those that did without
were made in ignorance of it, and those that used it did so in many companies.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from xcompare.bagging.centers import nearest_center
from xcompare.bagging.dunn import choose_strategy
from xcompare.bagging.kmeans import kmeans, random_starts
from xcompare.standardize import standardize
from xcompare.threads import one_blas_thread

N_REPLICAS = 50
BATCH_VALUES = 2**21  # of data worked on at a time
MAX_BINS = 12  # groups of equally many rows a feature is cut into


@dataclass(frozen=True, eq=False)
class Partitions:
    """Partitions of the same rows, each made in some of the features.

    Attributes
    ----------
    labels : ndarray of int of shape (n_replicas, n_samples)
        Codes 0..K-1.
    features : ndarray of bool of shape (n_replicas, n_features)
        The features drawn.
    weights : ndarray of shape (n_replicas,)
        Dunn index in the features drawn; all 1 where it tells nothing.
    """

    labels: np.ndarray
    features: np.ndarray
    weights: np.ndarray

    def members(self) -> np.ndarray:
        """Which rows each cluster of each replica has, as 0 and 1: shape (n_replicas, K, n_samples)."""
        return (self.labels[:, None, :] == np.arange(self.labels.max() + 1)[:, None]).astype(np.float32)


def bag_partitions(
    X: np.ndarray,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    n_replicas: int = N_REPLICAS,
    n_starts: int = 1,
    scale: np.ndarray | float = 1.0,
    resampling: Literal["basic", "efron"] = "efron",
) -> Partitions:
    """Bag K-means over rows and half of the features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        No column constant; columns are standardised here.
    n_clusters : int
    rng : numpy.random.Generator
    n_replicas : int, default=50
    n_starts : int, default=1
        Of K-means in each replica.
    scale : float or ndarray of shape (n_features,), default=1.0
        Standard deviation each feature is brought to: how much it counts in distances.
    resampling : {"basic", "efron"}, default="efron"
        Not "bbc": its prior is elicited from all features, so no replica is ignorant of any.
    """
    points = np.ascontiguousarray((standardize(X) * scale).T)
    n_features, n_samples = points.shape
    n_drawn = max(1, n_features // 2)
    at_a_time = max(1, BATCH_VALUES // (n_drawn * n_samples * n_starts))
    with one_blas_thread():
        batches = [
            _partition(
                points, n_clusters, n_drawn, min(at_a_time, n_replicas - start), n_starts, resampling, rng
            )
            for start in range(0, n_replicas, at_a_time)
        ]
        labels, features = (np.concatenate(parts) for parts in zip(*batches, strict=True))
        weights = _dunn_indices(points, labels, features)
    if np.isinf(weights).any():  # clusters without extent are infinitely good
        weights = np.isinf(weights).astype(float)
    return Partitions(labels, features, weights if weights.any() else np.ones_like(weights))


def _partition(
    points: np.ndarray,
    n_clusters: int,
    n_drawn: int,
    n_replicas: int,
    n_starts: int,
    resampling: str,
    rng: Any,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw features and rows for some replicas, cluster, and label all points."""
    n_features, n_samples = points.shape
    chosen = np.argsort(rng.random((n_replicas, n_features)), axis=1)[:, :n_drawn]
    drawn = points[chosen]
    counts = np.ones((n_replicas, n_samples), dtype=np.intp)
    if resampling == "efron":
        rows = rng.integers(n_samples, size=(n_replicas, n_samples))
        counts = np.stack([np.bincount(row, minlength=n_samples) for row in rows])
    starts = [random_starts(x, w, n_clusters, n_starts, rng) for x, w in zip(drawn, counts, strict=True)]
    features = np.zeros((n_replicas, n_features), dtype=bool)
    np.put_along_axis(features, chosen, True, axis=1)
    return best_labels(drawn, counts, np.stack(starts)), features


def best_labels(data: np.ndarray, weights: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Labels by the best of several K-means runs, for a stack of problems as `kmeans` takes them.

    Returns
    -------
    ndarray of int of shape (n_problems, n_samples)
    """
    return nearest_center(data, kmeans(data, weights, starts)[:, None])[0][:, 0]


def _dunn_indices(points: np.ndarray, labels: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Dunn index of each partition in its own features."""
    fewest = int(features.sum(axis=1).argmin())
    chosen = choose_strategy(points, len(labels), labels[fewest], features[fewest])
    return chosen(labels, features, [None] * len(labels))


def binned(X: np.ndarray) -> np.ndarray:
    """Each feature cut at its quantiles into at most 12 groups; equal values stay together.

    Returns
    -------
    ndarray of int of shape (n_samples, n_features)

    Examples
    --------
    >>> binned(np.array([[5.0], [1.0], [1.0], [9.0], [7.0]]))[:, 0]
    array([1, 0, 0, 1, 1])
    """
    n_samples, n_features = X.shape
    n_bins = min(MAX_BINS, max(2, round(n_samples**0.5)))
    shares = np.arange(1, n_bins) / n_bins
    edges = np.quantile(X, shares, axis=0, method="inverted_cdf")
    return np.stack([np.searchsorted(edges[:, j], X[:, j], side="right") for j in range(n_features)], axis=1)


def entropy_terms(n_samples: int) -> np.ndarray:
    """``c * log(c)`` for the counts 0 to ``n_samples``."""
    counts = np.arange(n_samples + 1, dtype=np.float64)
    counts[1:] *= np.log(counts[1:])
    return counts


def information(X: np.ndarray, partitions: Partitions) -> np.ndarray:
    """Mutual information of every feature, cut at its quantiles, with every partition.

    Counted from ranks, so that no bandwidth, outlier or unit plays a part.

    Returns
    -------
    ndarray of shape (n_replicas, n_features)
        In nats; also for features the replica did not draw.
    """
    members, cells = partitions.members(), binned(X)
    n_replicas, n_clusters, n = members.shape
    terms = entropy_terms(n)
    sizes = members.sum(axis=2).astype(np.intp)
    found = np.empty((n_replicas, X.shape[1]))
    for j, column in enumerate(cells.T):
        member = (column == np.arange(column.max() + 1)[:, None]).astype(np.float32)
        table = (members.reshape(-1, n) @ member.T).astype(np.intp).reshape(n_replicas, n_clusters, -1)
        joint = terms[table].sum(axis=(1, 2))
        found[:, j] = joint - terms[member.sum(axis=1).astype(np.intp)].sum()
    return (found - terms[sizes].sum(axis=1)[:, None] + terms[n]) / n


def known(X: np.ndarray, partitions: Partitions) -> np.ndarray:
    """Information of each feature with the partitions of the replicas that drew it, by their weights.

    Returns
    -------
    ndarray of shape (n_features,)
        In nats; 0 for a feature never drawn.
    """
    weights = partitions.weights[:, None] * partitions.features
    total = np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
    return (weights * information(X, partitions)).sum(axis=0) / total


def some_rows(X: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many rows, among them two different values of each feature."""
    if len(X) <= most:
        return X
    chosen = rng.choice(len(X), most, replace=False)
    ends = np.concatenate([X.argmin(axis=0), X.argmax(axis=0)])
    flat = np.ptp(X[chosen], axis=0) == 0
    return X[np.union1d(chosen, ends.reshape(2, -1)[:, flat])]
