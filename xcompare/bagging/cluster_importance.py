"""Feature importances for single clusters.

The information of a feature about cluster ``k`` is its mutual information with the partition into ``k`` and
the rest: ``H(x) - p_k H(x | k) - (1 - p_k) H(x | not k)``. The simpler ``H(x) - H(x | k)`` does not identify
the cluster that a feature separates: if it separates one cluster, the conditional entropy is about equally
small in all of them.
"""

from collections.abc import Callable

import numpy as np

from xcompare.bagging.consensus.alignment import AlignedReplicas
from xcompare.bagging.information.kinds import KindInformation
from xcompare.bagging.information.mutual import FeatureInformation
from xcompare.bagging.uncertainty import weighted_mean
from xcompare.core.blocks import slices
from xcompare.core.threads import one_blas_thread

BLOCK = 2**21  # labels per block, and values of the features prepared at a time ...
MOST_BLOCKS = 8  # ... in at most so many blocks of features


def cluster_importances(
    replicas: AlignedReplicas,
    features: np.ndarray,
    prepared: Callable[[slice], FeatureInformation | KindInformation],
    cap: float | None,
    constant: np.ndarray,
) -> np.ndarray:
    """Importance of each feature for each cluster: its mean information, relative to the largest.

    Unlike the overall importances, it is averaged before it is divided: in replicates that did not draw the
    feature that separates a cluster, all information about it may be close to 0, and shares are meaningless.

    ``features`` of shape (n_replicas, n_features): drawn by each. ``prepared``: prepares a block of their
    features, which takes several times the memory of the block. ``cap``: information, in nats, at which a
    feature counts as fully informative. ``constant`` of shape (n_features,): features with importance 0.
    Returns shape (n_clusters, n_features): between 0 and 1. Replicates without a cluster are left out of its
    mean.
    """
    n_features, n = features.shape[1], replicas.points.shape[1]
    found = np.zeros((replicas.n_clusters, n_features))
    size = max(BLOCK // n, -(-n_features // MOST_BLOCKS))
    for block in slices(n_features, size):
        information = prepared(block)
        for cluster, out in enumerate(found):
            known = information_about(cluster, replicas.labels, features[:, block], information)
            with np.errstate(invalid="ignore"):
                out[block] = weighted_mean(np.clip(known, 0.0, cap), replicas.weights).mean
    found[:, constant] = 0.0
    largest = found.max(axis=1, keepdims=True)
    return found / np.where(largest > 0, largest, 1.0)


def information_about(
    cluster: int, labels: np.ndarray, features: np.ndarray, information: FeatureInformation | KindInformation
) -> np.ndarray:
    """Information of each feature about one cluster against the rest, in several partitions.

    ``labels`` of shape (n_partitions, n_samples). ``features`` of shape (n_partitions, n_features): features
    to evaluate in each partition. Returns shape (n_partitions, n_features): in nats; NaN where ``features``
    is False or the partition has no such cluster.

    Examples
    --------
    >>> x = np.repeat([0.0, 0.0, 9.0], 20) + np.tile(np.linspace(-1, 1, 20), 3)
    >>> information = FeatureInformation.of(np.stack([x, np.roll(x, 20)]), "auto")
    >>> labels, both = np.repeat([0, 1, 2], 20)[None], np.ones((1, 2), dtype=bool)
    >>> [information_about(k, labels, both, information)[0].round(1).tolist() for k in range(3)]
    [[0.4, 1.7], [0.4, 0.4], [1.7, 0.4]]
    """
    found = np.full(features.shape, np.nan)
    step = max(1, BLOCK // labels.shape[1])
    there = np.flatnonzero((labels == cluster).any(axis=1))
    with one_blas_thread():
        for some in np.split(there, range(step, len(there), step)):
            member = (labels[some] == cluster).astype(np.int8)
            if len(member):
                found[some], _ = information.mutual_information(member, features[some])
    return found
