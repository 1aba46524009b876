"""Closest and farthest pairs of a partition: bounds rule out most pairs, and only the others are measured.

Single-precision matrix products scan the remaining pairs; whatever could be extreme within their rounding
error is recomputed in double precision.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from xcompare.bagging.dunn.distances import SinglePrecision, distances, dunn_ratio
from xcompare.core.blocks import slices

SEED, SEED_SHARE = 32, 100  # points of a cluster, plus one in so many, that give the first bound
ROWS, COLUMNS = 256, 2048  # block of pairs scanned by one matrix product
MEASURED = 2**20  # differences in double precision at a time, as very many pairs may be close to extreme
CHUNK = 2**13  # points whose distances to the centres are computed at a time, to fit in the cache


@dataclass(frozen=True, eq=False)
class CentredClusters:
    """A partition of points, with a centre for each cluster from which distances are bounded."""

    points: np.ndarray  # (n_samples, n_features)
    centers: np.ndarray  # (n_clusters, n_features)
    members: list[np.ndarray]  # indices of the points of each cluster
    to_center: np.ndarray  # (n_clusters, n_samples), squared distances
    error: float  # bound on their rounding error

    @classmethod
    def of(cls, points: np.ndarray, labels: np.ndarray, centers: np.ndarray) -> "CentredClusters":
        """Compute the distances of all points to all centres.

        ``points`` of shape (n_samples, n_features). ``labels`` of shape (n_samples,): codes ``0..K-1``; some
        may be unused. ``centers`` of shape (n_clusters, n_features): any points, as they affect the running
        time, not the result. With nearest-centre labels the time is close to linear in ``n_samples``.
        """
        stops = np.cumsum(np.bincount(labels, minlength=len(centers)))
        members = np.split(np.argsort(labels, kind="stable"), stops[:-1])
        to_center, scale = np.empty((len(centers), len(points))), 0.0
        origin = centers.mean(axis=0)  # near the mean of the data, which keeps rounding errors small
        moved = centers - origin
        center_squares = np.einsum("kf,kf->k", moved, moved)
        for some in slices(len(points), CHUNK):
            block = points[some] - origin
            squares = np.einsum("nf,nf->n", block, block)
            there = np.matmul(-2.0 * moved, block.T, out=to_center[:, some])
            there += center_squares[:, None]
            there += squares
            scale = max(scale, squares.max())
        error = 4 * (points.shape[1] + 2) * np.finfo(np.float64).eps * max(scale, center_squares.max())
        return cls(points, centers, members, to_center, error)

    def dunn_index(self) -> float:
        """Separation over diameter."""
        return dunn_ratio(self.separation(), self.diameter())

    def separation(self) -> float:
        """Smallest distance between points of different clusters; 0 for a single cluster."""
        pairs = [(a.min() + b.min(), i, j, a, b) for i, j, a, b in self._margins()]
        best = np.inf if pairs else 0.0
        for lowest, i, j, a, b in sorted(pairs, key=lambda pair: pair[0]):  # the closest clusters first
            if lowest >= best:
                break
            if max(a.size, b.size) > ROWS:
                best = self._between(i, j, _first(a), _first(b), a, b, best)
            some_i, some_j = np.flatnonzero(a < best - b.min()), np.flatnonzero(b < best - a.min())
            if some_i.size and some_j.size:
                best = self._between(i, j, some_i, some_j, a, b, best)
        return best

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
        some_i, some_j = some_i[np.argsort(margin_i[some_i])], some_j[np.argsort(margin_j[some_j])]
        left, right = self.members[i][some_i], self.members[j][some_j]
        margin_left, margin_right = margin_i[some_i], margin_j[some_j]
        factors = SinglePrecision.of(self.points.take(np.concatenate([left, right]), axis=0))
        error, scan_left = factors.error, factors.left(slice(left.size))
        scan_right = factors.right[left.size :].T
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
            if radius.size > ROWS:
                best = self._within(k, radius, _first(-radius), best)
            best = self._within(k, radius, np.flatnonzero(radius > best - largest[k]), best)
        return best

    def _within(self, k, radius, some, best) -> float:
        """Largest distance between some points of a cluster, at least ``best``."""
        if some.size < 2:
            return best
        some = some[np.argsort(-radius[some])]
        radius, some = radius[some], self.members[k][some]
        factors = SinglePrecision.of(self.points.take(some, axis=0))
        error, scan_left, scan_right = factors.error, factors.left(slice(None)), factors.right.T
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
        """Distances of some pairs, a part of them at a time."""
        size = max(1, MEASURED // self.points.shape[1])
        parts = [
            distances(self.points.take(first[some], axis=0), self.points.take(second[some], axis=0))
            for some in slices(len(first), size)
        ]
        return np.concatenate(parts)


def _first(values: np.ndarray) -> np.ndarray:
    """Indices of the smallest values of a cluster, in no order, to start with."""
    count = SEED + values.size // SEED_SHARE
    return np.argpartition(values, count)[:count] if values.size > count else np.arange(values.size)
