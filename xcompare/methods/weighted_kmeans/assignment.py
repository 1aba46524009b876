"""Assignment of rows to the nearest weighted centre, and the update of the clusters, in FGKM and TWKM.

A matrix product gives the distances, and near-ties are summed in the order of the features; ties go to the
last centre. Sparse products sum the rows in order.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

EPSILON = np.finfo(float).eps
KEPT_VALUES = 2**20  # larger data are expanded again in every update, in blocks
BLOCK_VALUES = 2**15  # of them at a time, to fit in the cache
FEWEST_FEATURES = 4  # at a time: each time all rows are read


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
        self._shift = X.mean(axis=0)
        step = min(n_samples, max(1, (KEPT_VALUES if X.size <= KEPT_VALUES else BLOCK_VALUES) // n_features))
        self._blocks = [slice(start, start + step) for start in range(0, n_samples, step)]
        # Expanding the square gives distances from one matrix product. Centring the data limits
        # cancellation; near-ties are recomputed by the plain sum.
        self._squares_and_values = np.ones((step, 2 * n_features + 1))
        self._largest_square = np.concatenate(
            [self._expand(rows)[:, :n_features].max(axis=1) for rows in self._blocks]
        )
        # The product with a 0-1 matrix (clusters x samples) adds the rows of each cluster
        # in order, as a loop in C or R would, so that centres agree to the last bit.
        self._membership = sparse.csc_array(
            (np.ones(n_samples), np.zeros(n_samples, np.int32), np.arange(n_samples + 1, dtype=np.int32)),
            shape=(n_clusters, n_samples),
        )
        self._number_and_sum = np.stack([np.ones(n_clusters), np.arange(n_clusters)])
        self._residuals = np.empty(
            (n_samples, min(n_features, max(FEWEST_FEATURES, KEPT_VALUES // n_samples)))
        )

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

    def _expand(self, rows: slice) -> np.ndarray:
        """Squares and values of some rows, and a 1."""
        X = self._X[rows]
        block = self._squares_and_values[: len(X)]
        squares, shifted = block[:, :-1].reshape(len(X), 2, -1).swapaxes(0, 1)
        np.subtract(X, self._shift, out=shifted)
        np.square(shifted, out=squares)
        return block

    def _nearest(self, centers: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Nearest centre of each row."""
        n_clusters, n_features = centers.shape
        shifted = centers - self._shift
        pull = weights * shifted
        expanded = np.hstack([-2 * pull, np.einsum("kj,kj->k", pull, shifted)[:, None]])
        labels = self._membership.indices
        for rows in self._blocks:
            squares_and_values = self._squares_and_values if len(self._blocks) == 1 else self._expand(rows)
            if len(weights) == 1:  # the squares of a row are the same for all centres
                distances = expanded @ squares_and_values[:, n_features:].T
            else:
                distances = np.hstack([weights, expanded]) @ squares_and_values.T
            rounding = (
                16 * (n_features + 4) * EPSILON * (self._largest_square[rows] + np.square(shifted).max())
            )
            near = distances <= distances.min(axis=0) + rounding
            n_near, labels[rows] = self._number_and_sum @ near  # of the centres that may be the nearest
            undecided = rows.start + np.flatnonzero(n_near != 1)
            if undecided.size:
                plain = np.zeros((n_clusters, undecided.size))
                for j in range(n_features):  # in the order of the features, like a loop in C or R
                    plain += weights[:, j, None] * (self._X[undecided, j] - centers[:, j, None]) ** 2
                labels[undecided] = n_clusters - 1 - np.argmin(plain[::-1], axis=0)
        return labels

    def _dispersion(self, centers: np.ndarray) -> np.ndarray:
        """Sum of each cluster's squared deviations from its centre, feature by feature."""
        found, at_once = np.empty_like(centers), self._residuals.shape[1]
        for first in range(0, centers.shape[1], at_once):
            some = slice(first, first + at_once)
            residuals = self._residuals[:, : centers[:, some].shape[1]]
            np.take(centers[:, some], self._membership.indices, axis=0, out=residuals, mode="clip")
            np.subtract(self._X[:, some], residuals, out=residuals)
            found[:, some] = self._membership @ np.square(residuals, out=residuals)
        return found
