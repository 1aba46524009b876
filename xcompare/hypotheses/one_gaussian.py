"""More than K-means finds in one Gaussian: draws from one, refitted.

Hypothesis: the rows are a sample of one Gaussian, of any mean and covariance. K-means cuts such a cloud too,
and the features it cuts along know its cut; a feature counts for more only if it knows more of its
partitions than it does in clouds. Draws have the very mean and covariance of the data. Given those, a
Gaussian sample has a distribution without unknowns, so the test is exact, also for few rows.
"""

from typing import NamedTuple

import numpy as np

from xcompare.hypotheses.partitions import N_REPLICAS, Partitions, bag_partitions, information

RANK = 1e-10  # share of the largest variance below which a direction counts as empty


def known(X: np.ndarray, partitions: Partitions) -> np.ndarray:
    """Information of each feature with the partitions of the replicas that drew it, by their weights.

    Returns
    -------
    ndarray of shape (n_features,)
        In nats; 0 for a feature never drawn.
    """
    weights = partitions.weights[:, None] * partitions.features
    total = np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
    return (weights * information(X, partitions)).sum(axis=0) / total


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


class Gaussian(NamedTuple):
    """Gaussian samples with the mean and covariance of some data."""

    n_samples: int
    mean: np.ndarray  # (n_features,)
    factor: np.ndarray  # (n_features, rank); covariance = factor @ factor.T
    repeated: dict[int, np.ndarray]  # values, ascending, of each feature in which most occur more than once

    @classmethod
    def of(cls, X: np.ndarray) -> "Gaussian":
        """Mean and covariance of the data, which may be singular."""
        variances, vectors = np.linalg.eigh(np.cov(X.T))
        kept = variances > variances.max() * RANK
        few = {j: np.sort(column) for j, column in enumerate(X.T) if len(np.unique(column)) <= len(X) / 2}
        return cls(len(X), X.mean(axis=0), vectors[:, kept] * np.sqrt(variances[kept]), few)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """A sample, shape (n_samples, n_features).

        A feature of few values keeps them, in the order of the draw: equal values are no sign of clusters.
        """
        noise = rng.standard_normal((self.n_samples, self.factor.shape[1]))
        # Orthonormal columns in every direction alike: the sign that the decomposition chose is undone.
        basis, triangle = np.linalg.qr(noise - noise.mean(axis=0))
        basis *= np.sign(np.diag(triangle)) * np.sqrt(self.n_samples - 1)
        points = self.mean + basis @ self.factor.T
        for j, values in self.repeated.items():
            points[np.argsort(points[:, j]), j] = values
        return points
