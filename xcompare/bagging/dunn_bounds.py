"""The two extreme distances of a partition, found exactly while looking at few pairs of points.

Cheap bounds rule out most pairs. Single-precision matrix products scan what is left; whatever could be
extreme within their rounding error is measured again in double precision, between the points as given.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist, pdist

SEED = 32  # most promising points of a cluster, compared first to get a bound
ROWS, COLUMNS = 256, 2048  # block of pairs scanned by one matrix product
ROUNDING = np.finfo(np.float32).eps


@dataclass(frozen=True, eq=False)
class Clusters:
    """A partition of points, with a centre for each cluster to measure from."""

    points: np.ndarray  # (n_features, n_samples)
    centers: np.ndarray  # (n_clusters, n_features), from the origin
    members: list[np.ndarray]  # the points of each cluster
    to_center: np.ndarray  # (n_clusters, n_samples), squared distances
    error: float  # bound on the rounding of those

    @classmethod
    def of(
        cls,
        points: np.ndarray,
        labels: np.ndarray,
        centers: np.ndarray,
        origin: np.ndarray | None = None,
    ) -> "Clusters":
        """Measure all points from all centres.

        Parameters
        ----------
        points : ndarray of shape (n_features, n_samples)
            Features first.
        labels : ndarray of int of shape (n_samples,)
            Codes ``0..K-1``; some may be unused.
        centers : ndarray of shape (n_clusters, n_features)
            Any points; the results do not depend on them, the time does. With labels that are
            nearest-centre labels it is close to linear in ``n_samples``.
        origin : ndarray of shape (n_features,) or None, default=None
            Where ``centers`` are measured from: somewhere in the middle, where rounding is least.
        """
        stops = np.cumsum(np.bincount(labels, minlength=len(centers)))
        members = np.split(np.argsort(labels, kind="stable"), stops[:-1])
        centred = points if origin is None else points - origin[:, None]
        squares = np.einsum("fn,fn->n", centred, centred)
        center_squares = np.einsum("kf,kf->k", centers, centers)
        to_center = (-2.0 * centers) @ centred
        to_center += center_squares[:, None]
        to_center += squares
        scale = max(squares.max(), center_squares.max())
        error = 4 * (len(points) + 2) * np.finfo(np.float64).eps * scale
        return cls(points, centers, members, to_center, error)

    @classmethod
    def around(cls, points: np.ndarray, labels: np.ndarray, centers: np.ndarray | None) -> "Clusters":
        """Measure all points from the centres given, or from the means of the clusters."""
        return cls.of(points, labels, _means(points, labels) if centers is None else centers)

    def margins(self) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        """For each pair of clusters, how far their points are on their own side of the middle.

        The signed distance of a point to the hyperplane halfway between two centres is its margin. For x
        in one cluster and y in the other, ``margin(x) + margin(y) <= d(x, y)``.
        """
        apart = cdist(self.centers, self.centers)
        apart[apart == 0] = np.inf  # equal centres: no direction, margin 0
        used = [k for k, m in enumerate(self.members) if m.size]
        for i in used:
            for j in (k for k in used if k > i):
                yield (
                    i,
                    j,
                    *(
                        (
                            self.to_center[far].take(self.members[near])
                            - self.to_center[near].take(self.members[near])
                            - self.error
                        )
                        / (2 * apart[i, j])
                        for near, far in ((i, j), (j, i))
                    ),
                )

    def separation(self) -> float:
        """Smallest distance between points of different clusters; 0 for a single cluster."""
        # Pairs whose margins add up to the best distance so far need no look: first a glance at the points
        # of smallest margin between all clusters, so that the best is good when the long looks start.
        pairs = [(a.min() + b.min(), i, j, a, b) for i, j, a, b in self.margins()]
        pairs.sort(key=lambda pair: pair[0])
        best = np.inf
        for lowest, i, j, a, b in pairs:
            if lowest >= best:
                break
            some_i, some_j = (_smallest(margin, SEED + margin.size // 100) for margin in (a, b))
            best = min(best, cdist(self._take(i, some_i).T, self._take(j, some_j).T).min())
        for lowest, i, j, a, b in pairs:
            if lowest >= best:
                break
            keep_i, keep_j = np.flatnonzero(a < best - b.min()), np.flatnonzero(b < best - a.min())
            if keep_i.size and keep_j.size:
                keep_i, keep_j = keep_i[np.argsort(a[keep_i])], keep_j[np.argsort(b[keep_j])]
                best = _closest(self._take(i, keep_i), self._take(j, keep_j), a[keep_i], b[keep_j], best)
        return float(best) if pairs else 0.0

    def pairs_within(self, limit: float) -> int:
        """How many pairs of points the margins leave to look at for distances below a limit."""
        return sum(int(np.searchsorted(np.sort(b), limit - a).sum()) for _, _, a, b in self.margins())

    def diameter(self) -> float:
        """Largest distance between two points of one cluster."""
        # By the triangle inequality two points are no farther apart than their radii (distances to the
        # centre) add up to: only points far out need a look.
        radii = [
            np.sqrt(np.maximum(self.to_center[k].take(m), 0.0) + self.error)
            for k, m in enumerate(self.members)
        ]
        best = 0.0
        for k in sorted(range(len(radii)), key=lambda k: -radii[k].max(initial=0.0)):
            radius = radii[k]
            if radius.size < 2 or 2 * radius.max() <= best:
                continue
            best = max(best, pdist(self._take(k, _smallest(-radius, SEED)).T).max())
            keep = np.flatnonzero(radius > best - radius.max())
            if radius.size > SEED and keep.size > 1:
                keep = keep[np.argsort(-radius[keep])]
                best = _farthest(self._take(k, keep), radius[keep], best)
        return float(best)

    def _take(self, cluster: int, which: np.ndarray) -> np.ndarray:
        """Some points of a cluster, features first."""
        return self.points.take(self.members[cluster][which], axis=1)


def dunn_ratio(separation: float, diameter: float) -> float:
    """Separation over diameter; infinite where clusters without extent are apart."""
    if separation == 0:
        return 0.0
    return separation / diameter if diameter > 0 else np.inf


class Bounds(NamedTuple):
    """Dunn indices of many points, from the extreme distances of one partition after the other."""

    points: np.ndarray  # (n_features, n_samples)

    @staticmethod
    def seconds(n_samples: int, m: int, n_clusters: int, n_pairs: int) -> float:
        """About how long a partition takes that leaves so many pairs of points to look at."""
        return 6e-8 * n_samples * m + 2e-4 * n_clusters**2 / 2 + (0.6e-9 + 5e-11 * m) * n_pairs

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features."""
        found = []
        for row, chosen, near in zip(labels, features, centers, strict=True):
            clusters = Clusters.around(self.points[chosen], row, near)
            found.append(dunn_ratio(clusters.separation(), clusters.diameter()))
        return np.array(found)


def _means(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Mean of each cluster; an unused label gets 0."""
    sizes = np.bincount(labels)
    member = (labels == np.arange(len(sizes))[:, None]).astype(points.dtype)
    return member @ points.T / np.maximum(sizes, 1)[:, None]


def _closest(left, right, margin_left, margin_right, best) -> float:
    """Smallest distance between two sets of columns, or ``best``; margins are ascending."""
    if left.shape[1] * right.shape[1] <= ROWS * ROWS:
        return min(best, cdist(left.T, right.T).min(initial=np.inf))
    scan_left, scan_right, error = scan_factors(left, right)
    for row in range(0, left.shape[1], ROWS):
        reach = np.searchsorted(margin_right, best - margin_left[row])
        for column in range(0, reach, COLUMNS):
            block = scan_left[row : row + ROWS] @ scan_right[:, column : min(column + COLUMNS, reach)]
            smallest = block.min()
            if smallest <= best**2 + error:
                r, c = np.nonzero(block <= min(best**2, smallest + error) + error)
                difference = left[:, row + r] - right[:, column + c]
                best = min(best, np.sqrt(np.einsum("fn,fn->n", difference, difference).min()))
    return best


def _farthest(points, radius, best) -> float:
    """Largest distance between two columns, or ``best``; radii are descending."""
    if points.shape[1] <= ROWS:
        return max(best, pdist(points.T).max())
    scan_left, scan_right, error = scan_factors(points, points)
    for row in range(0, points.shape[1], ROWS):
        if 2 * radius[row] <= best:
            break
        reach = np.searchsorted(-radius, radius[row] - best)
        for column in range(row, reach, COLUMNS):
            block = scan_left[row : row + ROWS] @ scan_right[:, column : min(column + COLUMNS, reach)]
            largest = block.max()
            if largest >= best**2 - error:
                r, c = np.nonzero(block >= max(best**2, largest - error) - error)
                difference = points[:, row + r] - points[:, column + c]
                best = max(best, np.sqrt(np.einsum("fn,fn->n", difference, difference).max()))
    return best


def scan_factors(left, right):
    """Two single-precision matrices whose product holds squared distances, and a bound on its error."""
    origin = left.mean(axis=1, keepdims=True)  # rounding is least near it
    left, right = left - origin, right - origin
    squares_left = np.einsum("fn,fn->n", left, left)
    squares_right = np.einsum("fn,fn->n", right, right)
    scan_left = np.vstack([-2 * left, squares_left, np.ones_like(squares_left)]).astype(np.float32).T
    scan_right = np.vstack([right, np.ones_like(squares_right), squares_right]).astype(np.float32)
    largest = (np.sqrt(squares_left.max()) + np.sqrt(squares_right.max())) ** 2
    return np.ascontiguousarray(scan_left), scan_right, float((len(left) + 4) * ROUNDING * largest)


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """Indices of the ``count`` smallest values, in no order."""
    return np.argpartition(values, count)[:count] if values.size > count else np.arange(values.size)
