"""How many samples the clusters of several partitions share."""

import numpy as np
from scipy.linalg.blas import ssyrk

from xcompare.compiled import compiled, pays

BLOCK = 2**14  # samples counted at a time; counts of a block are exact in single precision
SECONDS_A_SAMPLE = 7e-12  # saved by a compiled loop, for two clusters


def contingency_tables(codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """How many samples each pair of clusters shares, for all pairs of partitions.

    Parameters
    ----------
    codes : ndarray of int of shape (n_partitions, n_samples)
        Labels ``0..n_clusters-1``.
    n_clusters : int

    Returns
    -------
    ndarray of shape (n_partitions, n_clusters, n_partitions, n_clusters)
    """
    n_partitions, n = codes.shape
    by_loop = pays(SECONDS_A_SAMPLE * (n_partitions * n_clusters) ** 2 * n)
    counts = (_counted_by_bits if by_loop else _counted_by_products)(codes, n_clusters)
    return counts.reshape(n_partitions, n_clusters, n_partitions, n_clusters)


def _counted_by_products(codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Samples that each pair of clusters shares, of all partitions, by products of ones and zeros."""
    length = len(codes) * n_clusters
    counts = np.zeros((length, length))
    for start in range(0, codes.shape[1], BLOCK):
        member = _members(codes[:, start : start + BLOCK], n_clusters).astype(np.float32)
        counts += ssyrk(1.0, member.T, trans=1)  # upper half
    return counts + np.triu(counts, 1).T


def _counted_by_bits(codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """The same in machine code, 64 samples at a time."""
    length, n = len(codes) * n_clusters, codes.shape[1]
    bits = np.zeros((length, -(-n // 64) * 8), dtype=np.uint8)
    for start in range(0, n, BLOCK):
        packed = np.packbits(_members(codes[:, start : start + BLOCK], n_clusters), axis=1)
        bits[:, start // 8 : start // 8 + packed.shape[1]] = packed
    counts = np.empty((length, length))
    _count_common_bits(bits.view(np.uint64), counts)
    return counts


def _members(codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Which samples belong to each cluster of each partition, one after the other."""
    member = codes[:, None] == np.arange(n_clusters, dtype=codes.dtype)[:, None]
    return member.reshape(-1, codes.shape[1])


@compiled
def _count_common_bits(bits, counts):
    """Write down how many bits each two rows have in common."""
    pairs, fours, eights = (
        np.uint64(0x5555555555555555),
        np.uint64(0x3333333333333333),
        np.uint64(0x0F0F0F0F0F0F0F0F),
    )
    ones = np.uint64(0x0101010101010101)
    for i in range(len(bits)):
        for j in range(i, len(bits)):
            total = np.uint64(0)
            for word in range(bits.shape[1]):
                # Neighbouring bits are added to numbers of two bits, those to numbers of four, then of eight;
                # the product adds these up.
                both = bits[i, word] & bits[j, word]
                both -= (both >> np.uint64(1)) & pairs
                both = (both & fours) + ((both >> np.uint64(2)) & fours)
                both = (both + (both >> np.uint64(4))) & eights
                total += (both * ones) >> np.uint64(56)
            counts[i, j] = counts[j, i] = total
