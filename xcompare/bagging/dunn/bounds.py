"""Dunn indices of many points: bounds rule out most pairs, and only the remaining ones are measured.

Single-precision matrix products scan the remaining pairs; whatever could be extreme within their rounding
error is recomputed in double precision.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist

from xcompare.bagging.dunn.distances import Factors, distances, dunn_ratio
from xcompare.core.blocks import slices

SEED, SEED_SHARE = 32, 100  # points of a cluster, plus one in so many, that give the first bound
ROWS, COLUMNS = 256, 2048  # block of pairs scanned by one matrix product
CHUNK = 2**13  # points whose distances to the centres are computed at a time, to fit in the cache


class Bounds:
    """Dunn indices of many points, one partition at a time.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    """

    def __init__(self, points: np.ndarray) -> None:
        self.points = points

    @staticmethod
    def seconds(n_samples: int, m: int, n_clusters: int, n_pairs: int) -> float:
        """Approximate time for a partition in ``m`` features with ``n_pairs`` pairs left to measure."""
        return 6e-8 * n_samples * m + 4e-4 * n_clusters**2 / 2 + (0.6e-9 + 2e-11 * m) * n_pairs

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features, shape (n_partitions,).

        ``labels`` of shape (n_partitions, n_samples): codes ``0..K-1``; some may be unused. ``features`` of
        shape (n_partitions, n_features): features in which each partition is measured. ``centers`` of shape
        (n_clusters, m) or None: centres of the clusters where known. They affect the running time, not the
        result.
        """
        partitions = zip(labels, features, centers, strict=True)
        return np.array([self.clusters(*partition).dunn_index() for partition in partitions])

    def clusters(
        self, labels: np.ndarray, features: np.ndarray, centers: np.ndarray | None
    ) -> "CentredClusters":
        """A partition in its own features, around the given centres or the means of its clusters."""
        chosen = np.flatnonzero(features)
        centers = _means(self.points, labels)[:, chosen] if centers is None else centers
        return CentredClusters.of(self.points, labels, centers, chosen)


@dataclass(frozen=True, eq=False)
class CentredClusters:
    """A partition of points, with a centre for each cluster from which distances are bounded."""

    points: np.ndarray  # (n_all_features, n_samples)
    features: np.ndarray  # indices of those that distances are measured in
    centers: np.ndarray  # (n_clusters, n_features), relative to the origin
    members: list[np.ndarray]  # indices of the points of each cluster
    to_center: np.ndarray  # (n_clusters, n_samples), squared distances
    error: float  # bound on their rounding error

    @classmethod
    def of(
        cls,
        points: np.ndarray,
        labels: np.ndarray,
        centers: np.ndarray,
        features: np.ndarray | None = None,
        origin: np.ndarray | None = None,
    ) -> "CentredClusters":
        """Compute the distances of all points to all centres.

        Parameters
        ----------
        points : ndarray of shape (n_all_features, n_samples)
            Features first.
        labels : ndarray of int of shape (n_samples,)
            Codes ``0..K-1``; some may be unused.
        centers : ndarray of shape (n_clusters, n_features)
            Any points: they affect the running time, not the result. With nearest-centre labels the time is
            close to linear in ``n_samples``.
        features : ndarray of int of shape (n_features,) or None, default=None
            Features in which distances are measured; None for all.
        origin : ndarray of shape (n_features,) or None, default=None
            Point that ``centers`` are relative to, near the mean of the data to keep rounding errors small.
        """
        n = points.shape[1]
        features = np.arange(len(points)) if features is None else features
        stops = np.cumsum(np.bincount(labels, minlength=len(centers)))
        members = np.split(np.argsort(labels, kind="stable"), stops[:-1])
        to_center, scale = np.empty((len(centers), n)), 0.0
        center_squares = np.einsum("kf,kf->k", centers, centers)
        for some in slices(n, CHUNK):
            block = points[:, some] if features.size == len(points) else points[:, some][features]
            block = block if origin is None else block - origin[:, None]
            squares = np.einsum("fn,fn->n", block, block)
            there = np.matmul(-2.0 * centers, block, out=to_center[:, some])
            there += center_squares[:, None]
            there += squares
            scale = max(scale, squares.max())
        error = 4 * (features.size + 2) * np.finfo(np.float64).eps * max(scale, center_squares.max())
        return cls(points, features, centers, members, to_center, error)

    def dunn_index(self) -> float:
        """Separation over diameter."""
        return dunn_ratio(self.separation(), self.diameter())

    def separation(self) -> float:
        """Smallest distance between points of different clusters; 0 for a single cluster."""
        best = self.separation_bound
        for lowest, i, j, a, b in self._by_margin:
            if lowest >= best:
                break
            some_i, some_j = np.flatnonzero(a < best - b.min()), np.flatnonzero(b < best - a.min())
            if some_i.size and some_j.size:
                best = self._between(i, j, some_i, some_j, a[some_i], b[some_j], best)
        return best

    @cached_property
    def separation_bound(self) -> float:
        """Upper bound on the separation, usually close: the smallest distance of points of small margin."""
        best = np.inf if self._by_margin else 0.0
        for lowest, i, j, a, b in self._by_margin:
            if lowest >= best:
                break
            some_i, some_j = (_smallest(margin, SEED + margin.size // SEED_SHARE) for margin in (a, b))
            best = self._between(i, j, some_i, some_j, a[some_i], b[some_j], best)
        return best

    def pairs_within(self, limit: float) -> int:
        """Number of pairs of points in different clusters that the margins leave within a limit."""
        return sum(int(np.searchsorted(np.sort(b), limit - a).sum()) for _, _, _, a, b in self._by_margin)

    @cached_property
    def _by_margin(self) -> list[tuple[float, int, int, np.ndarray, np.ndarray]]:
        """Lower bound on the distance of each pair of clusters, and their margins; closest pair first."""
        pairs = [(a.min() + b.min(), i, j, a, b) for i, j, a, b in self._margins()]
        return sorted(pairs, key=lambda pair: pair[0])

    def _margins(self) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        """Margins of the points of each pair of clusters.

        The margin of a point is its signed distance to the hyperplane halfway between the two centres. For x
        in one cluster and y in the other, ``margin(x) + margin(y) <= d(x, y)``.
        """
        apart = cdist(self.centers, self.centers)
        apart[apart == 0] = np.inf  # equal centres: no direction, margin 0
        used = [k for k, m in enumerate(self.members) if m.size]
        for i in used:
            for j in (k for k in used if k > i):
                a, b = (
                    (self.to_center[far].take(at) - self.to_center[near].take(at) - self.error)
                    / (2 * apart[i, j])
                    for near, far, at in ((i, j, self.members[i]), (j, i, self.members[j]))
                )
                yield i, j, a, b

    def _between(self, i, j, some_i, some_j, margin_i, margin_j, best) -> float:
        """Smallest distance between some points of two clusters, at most ``best``."""
        by_i, by_j = np.argsort(margin_i), np.argsort(margin_j)
        left, right = self.members[i][some_i[by_i]], self.members[j][some_j[by_j]]
        margin_left, margin_right = margin_i[by_i], margin_j[by_j]
        factors = Factors.of(self._take(np.concatenate([left, right])))
        error, scan_right = factors.error, factors.right[:, left.size :]
        scan_left = factors.left(slice(left.size))
        for row in range(0, left.size, ROWS):
            reach = np.searchsorted(margin_right, best - margin_left[row])
            if reach == 0:
                break
            for column in range(0, reach, COLUMNS):
                block = scan_left[row : row + ROWS] @ scan_right[:, column : min(column + COLUMNS, reach)]
                smallest, square = block.min(), factors.square(best)
                if smallest <= square + error:
                    r, c = np.nonzero(block <= min(square, smallest + error) + error)
                    best = float(self._distances(left[row + r], right[column + c]).min(initial=best))
        return best

    def diameter(self) -> float:
        """Largest distance between two points of one cluster."""
        # Triangle inequality: two points are at most the sum of their radii (distances to the centre) apart,
        # so only points far from the centre need to be compared.
        radii = [
            np.sqrt(np.maximum(self.to_center[k].take(m), 0.0) + self.error)
            for k, m in enumerate(self.members)
        ]
        largest = np.array([radius.max(initial=0.0) for radius in radii])
        best = 0.0
        for k in np.argsort(-largest):
            radius = radii[k]
            if radius.size < 2 or 2 * largest[k] <= best:
                continue
            best = self._within(k, radius, _smallest(-radius, SEED + radius.size // SEED_SHARE), best)
            best = self._within(k, radius, np.flatnonzero(radius > best - largest[k]), best)
        return best

    def _within(self, k, radius, some, best) -> float:
        """Largest distance between some points of a cluster, at least ``best``."""
        if some.size < 2:
            return best
        some = some[np.argsort(-radius[some])]
        radius, some = radius[some], self.members[k][some]
        factors = Factors.of(self._take(some))
        error, scan_left, scan_right = factors.error, factors.left(slice(None)), factors.right
        for row in range(0, some.size, ROWS):
            if 2 * radius[row] <= best:
                break
            reach = np.searchsorted(-radius, radius[row] - best)
            for column in range(row, reach, COLUMNS):
                block = scan_left[row : row + ROWS] @ scan_right[:, column : min(column + COLUMNS, reach)]
                largest, square = block.max(), factors.square(best)
                if largest >= square - error:
                    r, c = np.nonzero(block >= max(square, largest - error) - error)
                    best = float(self._distances(some[row + r], some[column + c]).max(initial=best))
        return best

    def _distances(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Distances of some pairs."""
        return distances(self._take(first), self._take(second))

    def _take(self, some: np.ndarray) -> np.ndarray:
        """Some of the points, in the features that distances are measured in."""
        taken = self.points.take(some, axis=1)
        return taken if self.features.size == len(taken) else taken[self.features]


def _means(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Mean of each cluster; 0 for an unused label."""
    sizes = np.bincount(labels)
    member = (labels == np.arange(len(sizes))[:, None]).astype(points.dtype)
    return member @ points.T / np.maximum(sizes, 1)[:, None]


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """Indices of the ``count`` smallest values, in no order."""
    return np.argpartition(values, count)[:count] if values.size > count else np.arange(values.size)
