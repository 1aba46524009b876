"""Contingency tables and adjusted Rand indices of all pairs of several partitions."""

import numpy as np

from xcompare.core.blocks import slices

BLOCK = 2**14  # samples counted at a time; counts of a block are exact in single precision
CELLS = 2**20  # of contingency tables, computed at a time for adjusted Rand indices


def contingency_tables(codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Number of samples that each pair of clusters shares, for all pairs of partitions.

    ``codes`` of shape (n_partitions, n_samples): labels ``0..n_clusters-1``. Returns shape (n_partitions,
    n_clusters, n_partitions, n_clusters).
    """
    length = len(codes) * n_clusters
    counts = np.zeros((length, length))
    clusters = np.arange(n_clusters, dtype=codes.dtype)[:, None]
    for some in slices(codes.shape[1], BLOCK):
        member = codes[:, None, some] == clusters
        member = member.reshape(length, -1).astype(np.float32)
        counts += member @ member.T
    return counts.reshape(len(codes), n_clusters, len(codes), n_clusters)


def adjusted_rand_indices(codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Adjusted Rand index of all pairs of partitions, without storing all their contingency tables.

    ``codes`` of shape (n_partitions, n_samples): labels ``0..n_clusters-1``. Returns shape (n_partitions,
    n_partitions).
    """
    n_partitions, n = codes.shape
    clusters = np.arange(n_clusters, dtype=codes.dtype)[:, None]
    blocks = slices(n, BLOCK)

    def member(some: slice) -> np.ndarray:
        """Whether each sample of a block is in each cluster."""
        return (codes[:, None, some] == clusters).reshape(n_partitions * n_clusters, -1).astype(np.float32)

    whole = member(blocks[0]) if len(blocks) == 1 else None
    sizes = np.stack([(codes == cluster).sum(axis=1) for cluster in clusters], axis=1)
    together = (sizes * (sizes - 1)).sum(axis=1) / 2  # pairs of samples in one cluster
    found = np.empty((n_partitions, n_partitions))
    at_once = max(1, CELLS // (n_partitions * n_clusters**2))
    for first in range(0, n_partitions, at_once):
        some = slice(first, first + at_once)
        some_clusters = slice(first * n_clusters, (first + at_once) * n_clusters)
        table = np.zeros((len(range(n_partitions)[some]) * n_clusters, n_partitions * n_clusters))
        for block in blocks:
            found_in = member(block) if whole is None else whole
            table += found_in[some_clusters] @ found_in.T  # exact, as in `contingency_tables`
        squares = np.square(table, out=table).reshape(-1, n_clusters, n_partitions, n_clusters)
        in_both = (squares.sum(axis=1).sum(axis=2) - n) / 2
        found[some] = adjusted_rand(in_both, together[some, None], together, n)
    return found


def adjusted_rand(
    in_both: np.ndarray, in_first: np.ndarray, in_second: np.ndarray, n_samples: int
) -> np.ndarray:
    """Adjusted Rand index from the numbers of pairs of samples that share a cluster.

    ``in_both``, ``in_first``, ``in_second``: pairs in one cluster of both partitions, of the first, and of
    the second; shapes that broadcast.

    Examples
    --------
    >>> adjusted_rand(np.array([1.0]), np.array([2.0]), np.array([3.0]), 5)
    array([0.21052632])
    """
    expected = in_first * in_second / max(n_samples * (n_samples - 1) / 2, 1)
    most = (in_first + in_second) / 2
    varies = most > expected  # else both are trivial (one cluster, or singletons) and agree
    return np.divide(in_both - expected, most - expected, out=np.ones(in_both.shape), where=varies)
