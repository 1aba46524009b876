"""Replicates after the fit, with clusters matched to the consensus."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from xcompare.bagging.clusterers import apply_model
from xcompare.core.blocks import slices

BLOCK_POINTS = 2**12  # votes counted at a time, to fit in the cache


@dataclass(frozen=True, eq=False)
class AlignedReplicas:
    """The replicates of an ensemble, with each cluster matched to a consensus cluster."""

    points: np.ndarray  # (n_features, n_samples): the training rows, standardised
    # (n_replicas, n_samples): matched labels; from ``n_clusters`` on for clusters without a match
    labels: np.ndarray
    features: np.ndarray  # (n_replicas, n_features): features drawn by each replicate
    weights: np.ndarray  # (n_replicas,): finite and not all 0
    models: list[Any]  # models for `xcompare.bagging.clusterers.apply_model`
    names: np.ndarray  # (n_replicas, n_codes): matched label of each cluster code of a model
    n_clusters: int  # number of consensus clusters

    def vote(self, replica: int, points: np.ndarray) -> np.ndarray:
        """Labels of points (features first) in one replicate, shape (n_points,)."""
        codes = apply_model(self.models[replica], points[self.features[replica]])
        return self.names[replica][codes]

    def votes(self, points: np.ndarray) -> np.ndarray:
        """Labels of points (features first) in each replicate, shape (n_replicas, n_points)."""
        return np.stack([self.vote(replica, points) for replica in range(len(self.models))])

    def shares(self, votes: np.ndarray) -> np.ndarray:
        """Weighted share of the votes for each cluster, shape (n_points, n_clusters)."""
        shares = np.empty((votes.shape[1], self.n_clusters))
        for some in slices(len(shares), BLOCK_POINTS):
            for k in range(self.n_clusters):
                shares[some, k] = self.weights @ (votes[:, some] == k)
        return shares / self.weights.sum()

    def means(self) -> np.ndarray:
        """Mean of the training rows of each cluster in each replicate.

        Returns shape (n_replicas, n_clusters, n_features): NaN for features not drawn and clusters not found.
        """
        means = np.full((len(self.labels), self.n_clusters, len(self.points)), np.nan)
        for row, drawn, out in zip(self.labels, self.features, means, strict=True):
            member = row == np.arange(self.n_clusters, dtype=row.dtype)[:, None]
            there = np.ix_(member.any(axis=1), drawn)
            sums = member.astype(np.float64) @ self.points.T
            out[there] = (sums / np.maximum(member.sum(axis=1), 1)[:, None])[there]
        return means
