"""Dunn indices of a small dataset: the squared difference of every pair in every feature is stored."""

import numpy as np

from xcompare.bagging.dunn.distances import dunn_ratio

MAX_PAIRS, MAX_ENTRIES = 2**16, 2**21
ROUNDING = 1e-12
SIGN = np.uint64(1 << 63)


class AllPairs:
    """One product of feature masks and squared differences gives all distances in all subspaces."""

    def __init__(self, points: np.ndarray) -> None:
        self.first, self.second = np.triu_indices(points.shape[1], 1)
        self.squared = np.square(points[:, self.first] - points[:, self.second])

    @staticmethod
    def suits(n_samples: int, n_features: int) -> bool:
        """Whether all pairs are few enough to store."""
        n_pairs = n_samples * (n_samples - 1) // 2
        return n_pairs <= MAX_PAIRS and n_pairs * n_features <= MAX_ENTRIES

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features; centres are not used."""
        squares = features.astype(np.float64) @ self.squared
        found = []
        for row, codes, mask in zip(squares.view(np.uint64), labels, features, strict=True):
            # Pairs within a cluster get the sign bit. Read as unsigned integers, the squares then range from
            # the closest pair between clusters to the farthest pair within one.
            row |= (codes.take(self.first) == codes.take(self.second)) * SIGN
            low, high = row.min(initial=SIGN), row.max(initial=0)
            if low >= SIGN:  # a single cluster
                found.append(0.0)
                continue
            # The product may round differently in another thread or process: whatever is extreme but for
            # rounding is summed again, in a fixed order.
            near = np.flatnonzero(row <= _times(low, 1 + ROUNDING))
            far = np.flatnonzero(
                row >= max(SIGN, _times(high, 1 - ROUNDING))
            )  # none if all are single points
            separation, diameter = (np.sqrt(self.squared[:, some][mask].sum(axis=0)) for some in (near, far))
            found.append(dunn_ratio(separation.min(), diameter.max(initial=0.0)))
        return np.array(found)


def _times(bits: np.uint64, factor: float) -> np.uint64:
    """Product of a float given by its bits and a factor, as bits."""
    return (bits.view(np.float64) * factor).view(np.uint64)
