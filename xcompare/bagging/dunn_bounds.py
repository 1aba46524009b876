"""Dunn indices of many points: each partition is searched for its extreme distances, from those before it."""

from collections import deque
from functools import lru_cache
from uuid import uuid4

import numpy as np

from xcompare.bagging import dunn_across
from xcompare.bagging.dunn_distances import Pair, dunn_ratio
from xcompare.bagging.dunn_extremes import Clusters
from xcompare.compiled import can_compile
from xcompare.threads import own

HINTS = 16  # pairs remembered


class Bounds:
    """Dunn indices of many points, from the extreme distances of one partition after the other.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    """

    def __init__(self, points: np.ndarray) -> None:
        self.points = points
        self.name = uuid4().hex
        self.rows = dunn_across.Rows.of(points) if dunn_across.can_suit(*points.shape) else None

    @staticmethod
    def seconds(n_samples: int, m: int, n_clusters: int, n_pairs: int) -> float:
        """About how long a partition takes that leaves so many pairs of points to look at."""
        to_look = (0.6e-9 + 2e-11 * m) * n_pairs
        if can_compile() and m <= dunn_across.MAX_FEATURES:
            to_look = min(to_look, dunn_across.seconds(n_pairs))
        return 8e-9 * n_samples * m + 2e-4 * n_clusters**2 / 2 + to_look

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features."""
        partitions = zip(labels, features, centers, strict=True)
        return np.array([self.index(row, chosen, near) for row, chosen, near in partitions])

    def clusters(self, labels: np.ndarray, features: np.ndarray, centers: np.ndarray | None) -> Clusters:
        """A partition in its own features, around the centres given or the means of its clusters."""
        chosen, points = np.flatnonzero(features), own(self.points)
        centers = _means(points, labels)[:, chosen] if centers is None else centers
        rows = None if self.rows is None else self.rows._replace(points=points, values=own(self.rows.values))
        return Clusters.of(points, labels, centers, chosen, rows=rows)

    def index(
        self,
        labels: np.ndarray,
        features: np.ndarray,
        centers: np.ndarray | None,
        separation: float | None = None,
    ) -> float:
        """Dunn index of one partition; the separation is looked for where it is not known."""
        clusters = self.clusters(labels, features, centers)
        close, far = _extreme_pairs(self.name)
        if separation is None:
            closest = clusters.closest(tuple(close))
            close.append(closest)
            separation = closest.distance
        farthest = clusters.farthest(tuple(far))
        far.append(farthest)
        return dunn_ratio(separation, farthest.distance)


@lru_cache(maxsize=4)
def _extreme_pairs(name: str) -> "tuple[deque[Pair], deque[Pair]]":
    """The closest and farthest pairs that this process has found for a bag, the last ones.

    Often one is extreme again, and shortens the search. Kept by name: a worker gets a new copy of the bag
    with each task.
    """
    return deque(maxlen=HINTS), deque(maxlen=HINTS)


def _means(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Mean of each cluster; an unused label gets 0."""
    sizes = np.bincount(labels)
    member = (labels == np.arange(len(sizes))[:, None]).astype(points.dtype)
    return member @ points.T / np.maximum(sizes, 1)[:, None]
