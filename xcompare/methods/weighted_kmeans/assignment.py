"""Assignment of rows to the nearest weighted centre, and the update of the clusters, in FGKM and TWKM.

A matrix product gives the distances, and near-ties are summed in the order of the features; ties go to the
last centre. Sparse products sum the rows in order.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

EPSILON = np.finfo(float).eps


class WeightedClusters(NamedTuple):
    """The clusters once each row is assigned to its nearest centre."""

    labels: np.ndarray  # (n_samples,), overwritten by the next update
    sizes: np.ndarray  # (n_clusters,)
    centers: np.ndarray  # (n_clusters, n_features), means of the rows; an empty cluster keeps its centre
    dispersion: np.ndarray  # (n_clusters, n_features), sums of squared deviations from these centres


class Assignment:
    """Assigns rows to clusters."""

    def __init__(self, X: np.ndarray, n_clusters: int) -> None:
        n_samples, n_features = X.shape
        self._X = X
        # Expanding the square gives distances from one matrix product. Centring the data limits
        # cancellation; near-ties are recomputed by the plain sum.
        self._shift = X.mean(axis=0)
        self._squares_and_values = np.ones((n_samples, 2 * n_features + 1))
        squares, shifted = self._squares_and_values[:, :-1].reshape(n_samples, 2, -1).swapaxes(0, 1)
        np.subtract(X, self._shift, out=shifted)
        np.square(shifted, out=squares)
        self._largest_square = squares.max(axis=1)
        # The product with a 0-1 matrix (clusters x samples) adds the rows of each cluster
        # in order, as a loop in C or R would, so that centres agree to the last bit.
        self._membership = sparse.csc_array(
            (np.ones(n_samples), np.zeros(n_samples, np.int32), np.arange(n_samples + 1, dtype=np.int32)),
            shape=(n_clusters, n_samples),
        )
        self._number_and_sum = np.stack([np.ones(n_clusters), np.arange(n_clusters)])
        self._residuals = np.empty_like(X)

    def update(self, centers: np.ndarray, weights: np.ndarray) -> WeightedClusters:
        """Label each row by its nearest centre, ties to the last.

        ``centers`` of shape (n_clusters, n_features). ``weights`` of shape (n_clusters, n_features):
        positive, summing to 1 in each row; one row is for all centres.
        """
        labels = self._nearest(centers, weights)
        sizes = np.bincount(labels, minlength=len(centers))
        means = self._membership @ self._X
        means /= np.maximum(sizes, 1)[:, None]
        np.copyto(means, centers, where=(sizes == 0)[:, None])
        return WeightedClusters(labels, sizes, means, self._dispersion(means))

    def _nearest(self, centers: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Nearest centre of each row."""
        n_clusters, n_features = centers.shape
        shifted = centers - self._shift
        pull = weights * shifted
        expanded = np.hstack([-2 * pull, np.einsum("kj,kj->k", pull, shifted)[:, None]])
        if len(weights) == 1:  # the squares of a row are the same for all centres
            distances = expanded @ self._squares_and_values[:, n_features:].T
        else:
            distances = np.hstack([weights, expanded]) @ self._squares_and_values.T
        rounding = 16 * (n_features + 4) * EPSILON * (self._largest_square + np.square(shifted).max())
        near = distances <= distances.min(axis=0) + rounding
        n_near, total = self._number_and_sum @ near  # of the centres that may be the nearest
        labels = self._membership.indices
        labels[:] = total
        undecided = np.flatnonzero(n_near != 1)
        if undecided.size:
            plain = np.zeros((n_clusters, undecided.size))
            for j in range(n_features):  # in the order of the features, like a loop in C or R
                plain += weights[:, j, None] * (self._X[undecided, j] - centers[:, j, None]) ** 2
            labels[undecided] = n_clusters - 1 - np.argmin(plain[::-1], axis=0)
        return labels

    def _dispersion(self, centers: np.ndarray) -> np.ndarray:
        """Sum of each cluster's squared deviations from its centre, feature by feature."""
        residuals = self._residuals
        np.take(centers, self._membership.indices, axis=0, out=residuals, mode="clip")
        np.subtract(self._X, residuals, out=residuals)
        return self._membership @ np.square(residuals, out=residuals)
