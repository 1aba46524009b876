"""Assignment of rows to the nearest weighted centre, and the update of the clusters, in FGKM and TWKM.

In numpy, a matrix product gives the distances, and sparse products sum the rows; with numba, compiled loops
do both. In both, distances are summed in the order of the features, ties go to the last centre, and rows
are summed in order, so the results are identical.
"""

from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from xcompare.core.compilation import can_compile, compiled

EPSILON = np.finfo(float).eps
WORTH_COMPILING = 40_000  # values of the data; with fewer, a run takes at most 20 ms in numpy
MANY_CLUSTERS = 32  # from which one large matrix product is faster than sums in a loop
BLOCK_ROWS = 2**8  # labelled at a time by a loop, to fit in the cache


class WeightedClusters(NamedTuple):
    """The clusters once each row is assigned to its nearest centre."""

    labels: np.ndarray  # (n_samples,), overwritten by the next update
    sizes: np.ndarray  # (n_clusters,)
    centers: np.ndarray  # (n_clusters, n_features), means of the rows; an empty cluster keeps its centre
    dispersion: np.ndarray  # (n_clusters, n_features), sums of squared deviations from these centres


class Assignment(Protocol):
    """Assigns rows to clusters."""

    def update(self, centers: np.ndarray, weights: np.ndarray) -> WeightedClusters:
        """Label each row by its nearest centre, ties to the last.

        ``centers`` of shape (n_clusters, n_features). ``weights`` of shape (n_clusters, n_features):
        positive, summing to 1 in each row; one row is for all centres.
        """


def choose_assignment(X: np.ndarray, n_clusters: int) -> Assignment:
    """Compiled loops on large data if numba is installed, about twice as fast as matrix products."""
    by_loops = can_compile() and n_clusters < MANY_CLUSTERS and X.size >= WORTH_COMPILING
    return ByLoops(X) if by_loops else ByProducts(X, n_clusters)


class ByProducts:
    """The assignment in numpy."""

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
        """Label each row by its nearest centre, ties to the last."""
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


class ByLoops:
    """The assignment in compiled loops."""

    def __init__(self, X: np.ndarray) -> None:
        # Rows for the sums, columns for the distances, so that both loops vectorise. Writeable, as numba
        # would compile the loops again for read-only arrays.
        self._rows, self._columns = np.require(X, requirements="W"), X.T.copy()
        self._labels = np.zeros(len(X), dtype=np.int32)

    def update(self, centers: np.ndarray, weights: np.ndarray) -> WeightedClusters:
        """Label each row by its nearest centre, ties to the last."""
        centers = centers.copy()  # modified by the loop
        sizes, dispersion = _update(self._rows, self._columns, centers, weights, self._labels)
        return WeightedClusters(self._labels, sizes, centers, dispersion)


@compiled
def _update(rows, columns, centers, weights, labels):
    """Update labels and centres in place; return sizes and dispersions."""
    n_clusters, n_features = centers.shape
    n_samples = labels.size
    _label(columns, centers, weights, labels)
    sizes, sums = np.zeros(n_clusters, np.intp), np.zeros(centers.shape)
    for i in range(n_samples):
        k = labels[i]
        sizes[k] += 1
        for j in range(n_features):
            sums[k, j] += rows[i, j]
    for k in range(n_clusters):
        if sizes[k] > 0:
            for j in range(n_features):
                centers[k, j] = sums[k, j] / sizes[k]
    dispersion = np.zeros(centers.shape)
    for i in range(n_samples):
        k = labels[i]
        for j in range(n_features):
            apart = rows[i, j] - centers[k, j]
            dispersion[k, j] += apart * apart
    return sizes, dispersion


@compiled
def _label(columns, centers, weights, labels):
    """Write the nearest centre of each row to its label, summing distances in the order of the features."""
    n_features, n_samples = columns.shape
    distance, nearest, label = np.empty(BLOCK_ROWS), np.empty(BLOCK_ROWS), np.empty(BLOCK_ROWS, np.intp)
    for start in range(0, n_samples, BLOCK_ROWS):
        m = min(BLOCK_ROWS, n_samples - start)
        nearest[:m] = np.inf
        for k in range(centers.shape[0]):
            weight = weights[min(k, weights.shape[0] - 1)]
            distance[:m] = 0
            for j in range(n_features):
                column, center, by = columns[j, start : start + m], centers[k, j], weight[j]
                for i in range(m):
                    apart = column[i] - center
                    distance[i] += by * (apart * apart)
            for i in range(m):
                nearer = distance[i] <= nearest[i]
                label[i] = k if nearer else label[i]
                nearest[i] = distance[i] if nearer else nearest[i]
        for i in range(m):
            labels[start + i] = label[i]
