"""Resampling: the data itself, Efron's bootstrap, the proper Bayesian bootstrap."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from xcompare.bagging.kmeans.lloyd import partition

Resampling = Literal["basic", "efron", "bbc"]
RESAMPLINGS: tuple[Resampling, ...] = get_args(Resampling)
PRIOR_N_INIT = 20


class Prior(NamedTuple):
    """Gaussian mixture prior of the proper Bayesian bootstrap.

    Each point of a replicate is drawn from it with probability ``weight``.
    """

    weight: float
    proportions: np.ndarray  # (n_components,)
    means: np.ndarray  # (n_components, n_features)
    axes: list[tuple[np.ndarray, np.ndarray]]  # of each covariance: (n_features, rank), standard deviations

    @classmethod
    def elicit(cls, points: np.ndarray, n_clusters: int, weight: float, rng: np.random.Generator) -> "Prior":
        """Elicit the mixture from K-means (20 initializations): proportions, means, covariances.

        ``points`` of shape (n_features, n_samples).

        Notes
        -----
        A covariance may be singular. Sampling is along its principal axes, so a singleton cluster yields its
        own point.
        """
        labels = partition(points, n_clusters, PRIOR_N_INIT, rng)
        groups = [points[:, labels == k] for k in range(n_clusters) if (labels == k).any()]
        return cls(
            weight,
            np.array([g.shape[1] for g in groups]) / points.shape[1],
            np.stack([g.mean(axis=1) for g in groups]),
            [_axes(g) for g in groups],
        )

    def draw(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Sample from the mixture, shape (n_features, size)."""
        component = rng.choice(len(self.proportions), size=size, p=self.proportions)
        noise = rng.standard_normal((size, self.means.shape[1]))
        points = self.means[component]
        # The symmetric square root, which does not depend on the signs of the axes.
        for k, (vectors, lengths) in enumerate(self.axes):
            points[component == k] += (noise[component == k] @ vectors * lengths) @ vectors.T
        return points.T


def _axes(group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal axes of points, and the standard deviation along each; none for a single point."""
    n_features, n = group.shape
    if n <= n_features:
        centred = group - group.mean(axis=1, keepdims=True)
        vectors, lengths, _ = np.linalg.svd(centred[:, : n if n > 1 else 0], full_matrices=False)
        return vectors, lengths / np.sqrt(max(n - 1, 1))
    values, vectors = np.linalg.eigh(np.cov(group).reshape(n_features, n_features))
    return vectors, np.sqrt(np.maximum(values, 0.0))


def draw_replica(
    resampling: Resampling,
    points: np.ndarray,
    features: np.ndarray,
    prior: Prior | None,
    rng: np.random.Generator,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a replicate: points, and how often each was drawn.

    ``resampling`` ("basic", "efron", "bbc"). ``points`` of shape (m, n_samples): standardised data in the
    features of the replicate. ``features`` of shape (m,): indices of those features. ``prior``: needed for
    "bbc". ``weights`` of shape (n_samples,) or None: rows are drawn with probabilities proportional to them;
    None for equal weights. Returns ``atoms`` of shape (m, n_samples); ``counts`` of shape (n_samples,): they
    sum to ``n_samples``. For "basic", which draws nothing, the weights if given, else ones.
    """
    n = points.shape[1]
    if resampling == "basic":
        return points, np.ones(n, dtype=np.intp) if weights is None else weights
    rows = rng.integers(n, size=n) if weights is None else draw_rows(weights, rng)
    if resampling == "efron":
        return points, np.bincount(rows, minlength=n)
    # The posterior is approximated by n atoms from the mixture of prior and data, with Dirichlet weights
    # whose parameters add up to n + k (k = n w / (1 - w), the prior's worth in observations).
    assert prior is not None
    atoms = points.take(rows, axis=1)
    invented = np.flatnonzero(rng.random(n) < prior.weight)
    atoms[:, invented] = prior.draw(invented.size, rng)[features]
    shares = np.asarray(rng.gamma(1 / (1 - prior.weight), size=n))  # (n + k) / n each
    return atoms, np.bincount(draw_rows(shares, rng), minlength=n)


def draw_rows(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Indices drawn with probabilities proportional to the weights, as many as there are weights."""
    edges = np.cumsum(weights)
    return np.searchsorted(edges, rng.random(len(weights)) * edges[-1], side="right")
