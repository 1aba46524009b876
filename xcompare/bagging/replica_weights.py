"""Replicate weights other than the Dunn index."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from sklearn.metrics import silhouette_score

Quality = Literal["dunn", "silhouette"] | Callable[[np.ndarray, np.ndarray], float]


def quality_of(quality: Quality, X: np.ndarray, labels: np.ndarray) -> float:
    """Weight of a partition by a quality other than the Dunn index; negative values count as 0."""
    if len(np.unique(labels)) < 2:
        return 0.0
    value = silhouette_score(X, labels) if quality == "silhouette" else quality(X, labels)  # type: ignore[operator]
    if not np.isfinite(value):
        raise ValueError(f"quality must return a finite number; got {value!r}")
    return max(float(value), 0.0)


class QualityStrategy(NamedTuple):
    """Quality of many partitions of the same points, with the interface of `DunnStrategy`."""

    points: np.ndarray  # (n_features, n_samples)
    quality: Quality

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Quality of each partition in its own features; centres are not used."""
        partitions = zip(labels, features, strict=True)
        return np.array([quality_of(self.quality, self.points[chosen].T, row) for row, chosen in partitions])
