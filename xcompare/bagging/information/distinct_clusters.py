"""Clusters shared by several partitions, so that their entropies are computed once.

Replicates often find the same cluster, mostly if clusters are well separated.
"""

from typing import NamedTuple

import numpy as np


class DistinctClusters(NamedTuple):
    """The distinct clusters of several partitions of the same samples."""

    number: np.ndarray  # (n_partitions, n_codes), index of the cluster of each code
    sizes: np.ndarray  # (n_clusters,); one of them may be empty

    @classmethod
    def of(cls, labels: np.ndarray) -> "DistinctClusters":
        """Find the distinct clusters.

        ``labels`` of shape (n_partitions, n_samples): codes ``0..K-1``; a partition need not use all of them.

        Examples
        --------
        >>> found = DistinctClusters.of(np.array([[0, 0, 1, 2], [1, 1, 0, 0]]))
        >>> found.number.tolist(), found.sizes.tolist()
        ([[0, 1, 2], [3, 0, 4]], [2, 1, 1, 2, 0])
        """
        n_codes = int(labels.max()) + 1
        known: dict[bytes, int] = {}
        number = np.empty((len(labels), n_codes), dtype=np.intp)
        for partition, row in enumerate(labels):
            for code in range(n_codes):
                number[partition, code] = known.setdefault(np.packbits(row == code).tobytes(), len(known))
        sizes = np.zeros(len(known), dtype=np.intp)
        for row, numbers in zip(labels, number, strict=True):
            sizes[numbers] = np.bincount(row, minlength=n_codes)
        return cls(number, sizes)

    def first_met(self, features: np.ndarray) -> np.ndarray:
        """First occurrence of each pair of a cluster and a feature.

        ``features`` of shape (n_partitions, n_features): features of each partition. Returns shape
        (n_partitions, n_features, n_codes): false for empty clusters.
        """
        unmet = np.repeat(self.sizes[:, None] > 0, features.shape[1], axis=1)
        first = np.empty((len(features), *self.number.shape[1:], features.shape[1]), dtype=bool)
        for here, numbers, chosen in zip(first, self.number, features, strict=True):
            np.logical_and(unmet[numbers], chosen, out=here)
            unmet[numbers] &= ~chosen
        return first.swapaxes(1, 2)
