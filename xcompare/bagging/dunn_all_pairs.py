"""Dunn indices of a small dataset: the squared difference of every pair in every feature is kept."""

import numpy as np

from xcompare.bagging.dunn_bounds import dunn_ratio

MAX_PAIRS, MAX_ENTRIES = 2**15, 2**21


class AllPairs:
    """One product of feature masks and squared differences gives all distances in all subspaces."""

    def __init__(self, points: np.ndarray) -> None:
        self.first, self.second = np.triu_indices(points.shape[1], 1)
        self.squared = np.square(points[:, self.first] - points[:, self.second])

    @staticmethod
    def suits(n_samples: int, n_features: int) -> bool:
        """Whether keeping all pairs is cheap."""
        n_pairs = n_samples * (n_samples - 1) // 2
        return n_pairs <= MAX_PAIRS and n_pairs * n_features <= MAX_ENTRIES

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features; centres are not needed."""
        distance = features.astype(np.float64) @ self.squared
        same = labels[:, self.first] == labels[:, self.second]
        diameter = np.sqrt((distance * same).max(axis=1, initial=0.0))
        distance[same] = np.inf
        separation = np.sqrt(distance.min(axis=1, initial=np.inf))
        separation[np.isinf(separation)] = 0.0  # a single cluster
        return np.array([dunn_ratio(s, d) for s, d in zip(separation, diameter, strict=True)])
