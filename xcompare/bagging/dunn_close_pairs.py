"""Pairs of points that are close in part of the features, listed once for all replicas of a bag.

Where clusters touch, bounds leave very many pairs to look at for the smallest distance between clusters.
But points close in the features of a replica are close in any part of them. Split the features into one group
more than a replica leaves out: every replica contains some group whole. A list of the pairs within a limit in
each group then holds, for every replica, all pairs within that limit.
"""

from typing import NamedTuple

import numpy as np

from xcompare.bagging.dunn_bounds import COLUMNS, ROWS, Clusters, dunn_ratio, scan_factors

MAX_GROUPS = 4  # with more groups, each has too few features to tell close from far
MAX_PAIRS = 2**24
HEADROOM = 1.1  # replicas differ: the limit is this much beyond what the first one needed
CHUNK = 2**15


class Group(NamedTuple):
    """Pairs of points, from the closest to the farthest in these features."""

    features: np.ndarray
    squares: np.ndarray  # of the distances in these features
    first: np.ndarray
    second: np.ndarray


class ClosePairs(NamedTuple):
    """All pairs within ``limit`` of each other, for each group of features."""

    points: np.ndarray  # (n_features, n_samples)
    limit: float
    groups: list[Group]

    @classmethod
    def worth_listing(
        cls, points: np.ndarray, m: int, n_replicas: int, smallest: float, n_pairs: int
    ) -> "ClosePairs | None":
        """The list, if the first replica shows that it saves more work than it takes; else None.

        Parameters
        ----------
        points : ndarray of shape (n_features, n_samples)
        m, n_replicas : int
            Features a replica is measured in, and how many there are.
        smallest : float
            Distance between clusters of the first replica.
        n_pairs : int
            How many pairs of points had to be looked at for it.
        """
        n_features, n = points.shape
        n_groups = n_features - m + 1
        if n_groups > MAX_GROUPS or n_replicas * n_pairs < n_groups * n**2:
            return None
        limit = HEADROOM * smallest
        groups = []
        for group in np.array_split(np.arange(n_features), n_groups):
            pairs = _pairs_within(points[group], limit)
            if pairs is None:
                return None
            groups.append(Group(group, *pairs))
        return cls(points, limit, groups)

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features."""
        found = []
        for row, chosen, near in zip(labels, features, centers, strict=True):
            clusters = Clusters.around(self.points[chosen], row, near)
            listed = self.separation(row, chosen)
            separation = clusters.separation() if listed is None else listed
            found.append(dunn_ratio(separation, clusters.diameter()))
        return np.array(found)

    def separation(self, labels: np.ndarray, features: np.ndarray) -> float | None:
        """Smallest distance between clusters in some features; None when it is beyond the limit.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,)
        features : ndarray of bool of shape (n_features,)
        """
        group = next(g for g in self.groups if features[g.features].all())
        rest = features.copy()
        rest[group.features] = False
        others = self.points[rest]
        best = np.inf
        for start in range(0, group.squares.size, CHUNK):
            if group.squares[start] >= best:
                break
            first, second = group.first[start : start + CHUNK], group.second[start : start + CHUNK]
            apart = np.flatnonzero(labels.take(first) != labels.take(second))
            difference = others.take(first[apart], axis=1) - others.take(second[apart], axis=1)
            squares = group.squares[start + apart] + np.einsum("fn,fn->n", difference, difference)
            best = min(best, squares.min(initial=np.inf))
        return float(np.sqrt(best)) if best <= self.limit**2 else None


def _pairs_within(points: np.ndarray, limit: float) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Squared distance, first and second of all pairs within a limit, ascending; None if too many."""
    # Along the widest direction, points farther apart than the limit need no look.
    along = np.linalg.eigh(np.cov(points).reshape(len(points), -1))[1][:, -1] @ points
    order = np.argsort(along)
    points, along = points[:, order], along[order]
    scan_left, scan_right, error = scan_factors(points, points)
    reach = np.float32(limit**2 + 2 * error)
    n, found, first, second = points.shape[1], 0, [], []
    for row in range(0, n, ROWS):
        last = along[min(row + ROWS, n) - 1] + limit * (1 + 1e-9)
        for column in range(row, np.searchsorted(along, last, side="right"), COLUMNS):
            block = scan_left[row : row + ROWS] @ scan_right[:, column : column + COLUMNS]
            hits = np.flatnonzero(block.ravel() <= reach)
            i, j = row + hits // block.shape[1], column + hits % block.shape[1]
            keep = i < j
            first.append(i[keep].astype(np.int32))
            second.append(j[keep].astype(np.int32))
            found += first[-1].size
            if found > MAX_PAIRS:
                return None
    i, j = np.concatenate(first), np.concatenate(second)
    squares = np.zeros(i.size)
    for feature in points:
        squares += np.square(feature.take(i) - feature.take(j))
    by_distance = np.argsort(squares)
    i, j = order[i[by_distance]].astype(np.int32), order[j[by_distance]].astype(np.int32)
    return squares[by_distance], i, j
