"""Common factors: continuous variation shared by many features, which can hide clusters in the others.

K-means splits the directions of largest variance. Response style, library size or a gradient moves many
features at once, and outweighs clusters in a few. So some replicates remove the leading principal components
before they cluster. A component with several modes may be the clusters; it stays, and so do those after it.
"""

from typing import NamedTuple

import numpy as np

from xcompare.refined.density_gap import density_gap

MOST_FACTORS = 4
FEWEST_FEATURES = 6  # below, a factor is not told from the features
FEWEST_ROWS = 40  # below, clusters that are a factor are taken for one with a single mode
EDGE = 1.5  # times the largest eigenvalue that independent features would have (Marchenko and Pastur)
SPLITS = np.linspace(0.1, 0.9, 17)  # quantiles at which a factor is split to look for modes
MIN_GAP = 2.0  # standard errors; unimodal factors exceed it in at most 5% of simulated cases
MOST_ROWS = 5000  # evenly spaced, to look for modes


class CommonFactors(NamedTuple):
    """Leading principal components of the standardised features, each with a single mode."""

    loadings: np.ndarray  # (n_features, n_factors)
    scores: np.ndarray  # (n_factors, n_samples), of unit length

    @classmethod
    def of(cls, points: np.ndarray) -> "CommonFactors":
        """Find the factors of ``points``, of shape (n_features, n_samples).

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> points = rng.normal(size=(10, 200))
        >>> CommonFactors.of(points).n_factors
        0
        >>> points[:7] += 2 * rng.normal(size=200)
        >>> CommonFactors.of(points).n_factors
        1
        """
        n_features, n = points.shape
        if n_features < FEWEST_FEATURES or n < FEWEST_ROWS:
            return cls(np.zeros((n_features, 0)), np.zeros((0, n)))
        centered = points - points.mean(axis=1, keepdims=True)
        lengths = np.linalg.norm(centered, axis=1, keepdims=True)
        _, singular, scores = np.linalg.svd(
            np.divide(centered, lengths, out=np.zeros_like(centered), where=lengths > 0), full_matrices=False
        )
        large = singular**2 > EDGE * (1 + np.sqrt(n_features / n)) ** 2
        count = min(int(np.argmin(np.append(large, False))), MOST_FACTORS)
        several = [has_several_modes(score) for score in scores[:count]]
        scores = scores[: int(np.argmax([*several, True]))]
        return cls(centered @ scores.T, scores)

    @property
    def n_factors(self) -> int:
        """Number of factors."""
        return len(self.scores)

    def without(self, points: np.ndarray, features: np.ndarray, removed: int) -> np.ndarray:
        """Points of these features, with the first factors removed."""
        return points - self.loadings[features, :removed] @ self.scores[:removed] if removed else points


def has_several_modes(x: np.ndarray) -> bool:
    """Whether a split of a sample, at any of its quantiles, has a density gap.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> has_several_modes(x), has_several_modes(np.append(x, x + 5))
    (False, True)
    """
    x = x[np.linspace(0, len(x) - 1, min(len(x), MOST_ROWS)).astype(np.intp)]
    labels = (x > np.quantile(x, SPLITS)[:, None]).astype(np.intp)
    return bool((density_gap(np.broadcast_to(x, (len(SPLITS), 1, len(x))), labels) >= MIN_GAP).any())
