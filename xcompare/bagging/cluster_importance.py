"""How much each feature tells one cluster from the rest.

A replica with K clusters is, for each of them, also a partition into two: cluster ``k`` and the rest. What a
feature tells about that, ``H(x) - p_k H(x | k) - (1 - p_k) H(x | not k)``, is its information about the
cluster. The first two entropies are those of the whole partition. The third does not follow from them, and is
estimated in the same way: where a feature sets one cluster apart, its entropy is as small in each of the
others, and ``H(x) - H(x | k)`` is about the same for all of them.
"""

import numpy as np

from xcompare.bagging.consensus.alignment import AlignedReplicas
from xcompare.bagging.information.mutual import FeatureInformation
from xcompare.bagging.uncertainty import weighted_mean
from xcompare.core.threads import one_blas_thread

BLOCK = 2**21  # values of data worked on at a time


def cluster_importances(
    replicas: AlignedReplicas, information: FeatureInformation, cap: float | None, constant: np.ndarray
) -> np.ndarray:
    """Importance of each feature for each cluster: its mean information, relative to the largest.

    It is averaged before it is divided, not after as for all clusters together: where the feature that sets a
    cluster apart was not drawn there may be next to nothing to know of it, and shares of that mean nothing.

    Parameters
    ----------
    replicas : AlignedReplicas
    information : FeatureInformation
        Of their points.
    cap : float or None
        Nats at which a feature counts as fully informative.
    constant : ndarray of bool of shape (n_features,)
        Features that get 0.

    Returns
    -------
    ndarray of shape (n_clusters, n_features)
        Between 0 and 1. A replica without a cluster says nothing about it.
    """
    found = np.zeros((replicas.n_clusters, len(replicas.points)))
    for cluster, out in enumerate(found):
        known = information_about(cluster, replicas.labels, replicas.features, information)
        with np.errstate(invalid="ignore"):
            out[:] = weighted_mean(np.clip(known, 0.0, cap), replicas.weights).mean
    found[:, constant] = 0.0
    largest = found.max(axis=1, keepdims=True)
    return found / np.where(largest > 0, largest, 1.0)


def information_about(
    cluster: int, labels: np.ndarray, features: np.ndarray, information: FeatureInformation
) -> np.ndarray:
    """Information of each feature about one cluster against the rest, in several partitions.

    Parameters
    ----------
    cluster : int
    labels : ndarray of int of shape (n_partitions, n_samples)
    features : ndarray of bool of shape (n_partitions, n_features)
        Which features to look at, per partition.
    information : FeatureInformation

    Returns
    -------
    ndarray of shape (n_partitions, n_features)
        Nats; NaN where ``features`` is False, or a partition has no such cluster.

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
