"""One Gaussian as a reference: draws with the mean and covariance of data, and how often they reach it.

Given mean and covariance, a Gaussian sample has a distribution without unknowns, so that a test by such draws
is exact, also for few rows.
"""

from typing import NamedTuple

import numpy as np

RANK = 1e-10  # share of the largest variance below which a direction counts as empty


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


def p_more(observed: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """How often a draw reaches what was observed.

    Parameters
    ----------
    observed : ndarray of shape (n_features,)
    draws : ndarray of shape (n_draws, n_features)

    Returns
    -------
    ndarray of shape (n_features,)
        p-values, at least ``1 / (n_draws + 1)``.
    """
    return (1 + (draws >= observed).sum(axis=0)) / (1 + len(draws))


def p_most(observed: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """How often any feature of a draw stands out as much as a feature of the data does.

    Each feature is taken in standard deviations from its mean over data and draws alike; the largest over all
    features of a draw counts. The chance that any feature at all is rejected where there is nothing is
    the level (Westfall and Young, 1993).

    Parameters
    ----------
    observed : ndarray of shape (n_features,)
    draws : ndarray of shape (n_draws, n_features)

    Returns
    -------
    ndarray of shape (n_features,)
        p-values, at least ``1 / (n_draws + 1)``.
    """
    together = np.vstack([observed, draws])
    spread = together.std(axis=0)
    scores = (together - together.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return p_more(scores[0], scores[1:].max(axis=1, keepdims=True))
