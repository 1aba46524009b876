"""Variation of information, the medoid partition of an ensemble, and label alignment."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.special import xlogy

from xcompare.bagging.consensus.contingency import contingency_tables
from xcompare.core.checks import check_labels

ConsensusFrom = Literal["weighted", "medoid"]
CONSENSUS: tuple[ConsensusFrom, ...] = get_args(ConsensusFrom)


@dataclass(frozen=True, eq=False)
class Consensus:
    """Medoid partition of an ensemble."""

    labels: np.ndarray  # (n_samples,)
    index: int  # its row in the ensemble
    cost: np.ndarray  # (n_partitions,), weighted mean variation of information to the ensemble


def variation_of_information(a: ArrayLike, b: ArrayLike) -> float:
    """Distance between two partitions: ``H(a) + H(b) - 2 I(a, b)``, in nats.

    A metric on partitions, 0 if and only if they are equal up to the names of the labels.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,)

    References
    ----------
    Meila, M. (2007). Comparing clusterings: an information based distance. doi:10.1016/j.jmva.2006.11.013

    Examples
    --------
    >>> variation_of_information([0, 0, 1, 1], [1, 1, 0, 0])
    0.0
    >>> round(variation_of_information([0, 0, 1, 1], [0, 1, 0, 1]), 4)
    1.3863
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 1 or a.shape != b.shape or a.size == 0:
        raise ValueError(
            f"a and b must be two partitions of the same samples; got shapes {a.shape} and {b.shape}"
        )
    return float(pairwise_vi(np.stack([check_labels(x, a.size)[0] for x in (a, b)]))[0, 1])


def consensus_partition(labels: ArrayLike, weights: ArrayLike | None = None) -> Consensus:
    """Medoid partition: the one with the smallest weighted mean variation of information to an ensemble.

    Parameters
    ----------
    labels : array-like of int of shape (n_partitions, n_samples)
        The ensemble, one partition per row.
    weights : array-like of shape (n_partitions,), default=None
        Non-negative, not all 0; None for equal weights.

    Returns
    -------
    Consensus
        ``labels``, ``index`` and ``cost``; the first of ties.

    Examples
    --------
    >>> consensus_partition([[0, 0, 1, 1], [0, 0, 0, 1], [1, 1, 0, 0]]).index
    0
    """
    labels = np.asarray(labels)
    if labels.ndim != 2 or labels.size == 0:
        raise ValueError(f"labels must be a matrix, partitions by samples; got shape {labels.shape}")
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64)
    if weights.shape != (len(labels),):
        raise ValueError(
            f"weights must hold one entry per partition ({len(labels)}); got shape {weights.shape}"
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise ValueError("weights must be finite, not negative, and not all 0")
    codes = np.stack([check_labels(row, labels.shape[1])[0] for row in labels])
    cost = consensus_cost(codes, weights)
    index = int(cost.argmin())
    return Consensus(labels[index], index, cost)


def consensus_cost(codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted mean variation of information from each partition to all of them.

    Rounded, so that rounding errors do not decide ties.
    """
    return (pairwise_vi(codes) @ (weights / weights.sum())).round(12)


def pairwise_vi(codes: np.ndarray) -> np.ndarray:
    """Variation of information between all pairs of partitions.

    ``codes`` of shape (n_partitions, n_samples): labels ``0..K-1``. Returns shape (n_partitions,
    n_partitions).
    """
    tables = contingency_tables(codes, int(codes.max()) + 1) / codes.shape[1]
    sizes = np.einsum("ikik->ik", tables)
    entropy = -xlogy(sizes, sizes).sum(axis=1)
    joint = -xlogy(tables, tables).sum(axis=(1, 3))
    vi = (joint + joint.T) - (entropy[:, None] + entropy)  # exactly symmetric
    vi[vi < 1e-12] = 0.0  # equal partitions, up to rounding
    return vi


def align_labels(codes: np.ndarray, reference: np.ndarray, n_clusters: int) -> np.ndarray:
    """Match the clusters of each partition to those of a reference, by maximum overlap.

    ``codes`` of shape (n_partitions, n_samples) and ``reference`` of shape (n_samples,). ``n_clusters``:
    codes of both lie in ``0..n_clusters-1``. Returns shape (n_partitions, n_samples).
    """
    return renamed(codes, cluster_names(codes, reference, n_clusters))


def cluster_names(codes: np.ndarray, reference: np.ndarray, n_clusters: int) -> np.ndarray:
    """Matched labels of the clusters of each partition, shape (n_partitions, n_clusters)."""
    names = np.empty((len(codes), n_clusters), dtype=codes.dtype)
    for row, out in zip(codes, names, strict=True):
        shared = np.bincount(row.astype(np.intp) * n_clusters + reference, minlength=n_clusters**2)
        out[:] = linear_sum_assignment(shared.reshape(n_clusters, n_clusters), maximize=True)[1]
    return names


def renamed(codes: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Replace codes by matched labels; shapes as in `cluster_names`."""
    labels = np.empty_like(codes, dtype=names.dtype)
    for row, own_names, out in zip(codes, names, labels, strict=True):
        own_names.take(row, out=out, mode="clip")  # "raise" would buffer the output
    return labels


def ranks_by_size(sizes: np.ndarray) -> np.ndarray:
    """Number of each cluster, 0 for the largest; ties keep their order.

    Examples
    --------
    >>> ranks_by_size(np.array([10, 30, 20, 20]))
    array([3, 0, 1, 2])
    """
    ranks = np.empty(len(sizes), dtype=np.int64)
    ranks[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return ranks
