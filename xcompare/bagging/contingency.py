"""Contingency tables of all pairs of several partitions."""

import numpy as np
from scipy.linalg.blas import ssyrk

BLOCK = 2**14  # samples counted at a time; counts of a block are exact in single precision


def contingency_tables(codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Number of samples that each pair of clusters shares, for all pairs of partitions.

    Parameters
    ----------
    codes : ndarray of int of shape (n_partitions, n_samples)
        Labels ``0..n_clusters-1``.
    n_clusters : int

    Returns
    -------
    ndarray of shape (n_partitions, n_clusters, n_partitions, n_clusters)
    """
    length = len(codes) * n_clusters
    counts = np.zeros((length, length))
    clusters = np.arange(n_clusters, dtype=codes.dtype)[:, None]
    for start in range(0, codes.shape[1], BLOCK):
        member = codes[:, None, start : start + BLOCK] == clusters
        member = member.reshape(length, -1).astype(np.float32)
        counts += ssyrk(1.0, member.T, trans=1)  # upper half
    counts += np.triu(counts, 1).T
    return counts.reshape(len(codes), n_clusters, len(codes), n_clusters)
