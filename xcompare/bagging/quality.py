"""Quality of a partition: the Dunn index, exact and fast, and what may stand in its place."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import silhouette_score

from xcompare.bagging.dunn_extremes import Clusters
from xcompare.checks import check_data, check_labels

Quality = Literal["dunn", "silhouette"] | Callable[[np.ndarray, np.ndarray], float]


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
    X = check_data(X)
    codes, distinct = check_labels(labels, len(X))
    origin = X.mean(axis=0)
    centers = np.stack([(X[codes == k] - origin).mean(axis=0) for k in range(len(distinct))])
    if len(distinct) < 2:
        return 0.0
    clusters = Clusters.of(np.ascontiguousarray(X.T), codes, centers, origin)
    return dunn_ratio(clusters.separation(), clusters.diameter())


def dunn_ratio(separation: float, diameter: float) -> float:
    """Separation over diameter; infinite where clusters without extent are apart."""
    if separation == 0:
        return 0.0
    return separation / diameter if diameter > 0 else np.inf


class PairwiseDunn:
    """Dunn indices of many partitions in many subspaces of a small dataset.

    Squared differences of all pairs are kept per feature; one product with the feature masks gives the
    distances of every pair in every subspace.
    """

    MAX_PAIRS, MAX_ENTRIES = 2**15, 2**21

    def __init__(self, X: np.ndarray) -> None:
        self.first, self.second = np.triu_indices(len(X), 1)
        self.squared = np.square(X[self.first] - X[self.second]).T

    @classmethod
    def suits(cls, n_samples: int, n_features: int) -> bool:
        """Whether keeping all pairs is cheap."""
        n_pairs = n_samples * (n_samples - 1) // 2
        return n_pairs <= cls.MAX_PAIRS and n_pairs * n_features <= cls.MAX_ENTRIES

    def __call__(self, labels: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Dunn index of each partition in its own features.

        Parameters
        ----------
        labels : ndarray of int of shape (n_partitions, n_samples)
        features : ndarray of bool of shape (n_partitions, n_features)
        """
        distance = features.astype(np.float64) @ self.squared
        same = labels[:, self.first] == labels[:, self.second]
        diameter = np.sqrt((distance * same).max(axis=1, initial=0.0))
        distance[same] = np.inf
        separation = np.sqrt(distance.min(axis=1, initial=np.inf))
        separation[np.isinf(separation)] = 0.0  # a single cluster
        return np.array([dunn_ratio(s, d) for s, d in zip(separation, diameter, strict=True)])


def quality_of(quality: Quality, X: np.ndarray, labels: np.ndarray) -> float:
    """Weight of a partition by a quality other than the Dunn index; negative values count as 0."""
    if len(np.unique(labels)) < 2:
        return 0.0
    value = silhouette_score(X, labels) if quality == "silhouette" else quality(X, labels)  # type: ignore[operator]
    if not np.isfinite(value):
        raise ValueError(f"quality must return a finite number; got {value!r}")
    return max(float(value), 0.0)
