"""More than K-means finds in one Gaussian: draws from one, refitted.

Hypothesis: the rows are a sample of one Gaussian, of any mean and covariance. K-means cuts such a cloud too,
and the features it cuts along know its cut; a feature counts for more only if it knows more of its
partitions than it does in clouds. Draws have the very mean and covariance of the data. Given those, a
Gaussian sample has a distribution without unknowns, so the test is exact, also for few rows.
"""

import numpy as np

from xcompare.bagging.partitions import N_REPLICAS, bag_partitions, known
from xcompare.bagging.reference import Gaussian


def known_in_draws(
    X: np.ndarray, n_clusters: int, n_draws: int, rng: np.random.Generator, n_replicas: int = N_REPLICAS
) -> np.ndarray:
    """What features know of K-means' partitions of one Gaussian with the data's covariance.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        No column constant.
    n_clusters, n_draws : int
    rng : numpy.random.Generator
    n_replicas : int, default=50

    Returns
    -------
    ndarray of shape (n_draws, n_features)
        In nats, as `known` gives it for the data.
    """
    cloud = Gaussian.of(X)
    draws = (cloud.draw(rng) for _ in range(n_draws))
    return np.array([known(Y, bag_partitions(Y, n_clusters, rng, n_replicas=n_replicas)) for Y in draws])
