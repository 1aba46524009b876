"""Dunn indices of a small dataset: the squared difference of every pair in every feature is kept."""

import numpy as np

from xcompare.bagging.dunn_distances import dunn_ratio

MAX_PAIRS, MAX_ENTRIES = 2**15, 2**21
ROUNDING = 1e-12


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
        found = []
        for row, within, mask in zip(distance, same, features, strict=True):
            between = np.where(within, np.inf, row)
            closest, farthest = between.min(initial=np.inf), np.where(within, row, 0.0).max(initial=0.0)
            if closest == np.inf:  # a single cluster
                found.append(0.0)
                continue
            # A product may round otherwise in another thread or process: what is extreme but for rounding is
            # added up again, in one order.
            near = np.flatnonzero(between <= closest * (1 + ROUNDING))
            far = np.flatnonzero(within & (row >= farthest * (1 - ROUNDING)))
            separation, diameter = (np.sqrt(self.squared[:, some][mask].sum(axis=0)) for some in (near, far))
            found.append(dunn_ratio(separation.min(), diameter.max(initial=0.0)))
        return np.array(found)
