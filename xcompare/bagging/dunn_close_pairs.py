"""Pairs of points that are close in what a replica keeps of the features, listed once for a bag.

Where clusters touch, bounds leave many pairs to look at for the smallest distance between clusters, and do so
anew for every replica. But the points stay where they are, and a replica leaves out few features. Split the
features into four groups: what a replica leaves out is in no more groups than it is features. The pairs that
are within a limit in all other groups, for any such choice of groups, hold all pairs within that limit for
every replica; and they are few, for a pair has to be close in most features.
"""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from xcompare.bagging.dunn_bounds import Bounds
from xcompare.bagging.dunn_distances import Factors, distances
from xcompare.bagging.dunn_extremes import COLUMNS, ROWS, TIED, Clusters
from xcompare.bagging.dunn_nearly_close import nearly_close_pairs, seconds_by_tiles
from xcompare.compiled import can_compile, would_pay
from xcompare.threads import keep_freed_memory, one_blas_thread, own

GROUPS = 4  # of features: with more there are more choices to look at, with fewer there are more pairs
MANY = 20_000  # rows beyond which it is better to look at more pairs than at more choices
TILED, SAVED = 5000, 4e-10  # rows from which compiled loops are faster, by so many seconds times their square
MAX_PAIRS = 2**24  # looked at closely ...
MAX_DIFFERENCES = 0.25  # ... in this share of n squared differences: more would take longer than the products
AT_ONCE = 2**12  # pairs looked at before asking whether the next can be closer
HEADROOM, HEADROOM_OF_MANY = 1.2, 1.05  # replicas differ: the limit is beyond what the first one needs
LIMIT_FROM_GLANCE = 0.9  # of the distance seen at a glance, about what the limit will be, or less
BEYOND = 0.2  # of many rows, share of replicas that are beyond it all the same, about
SECONDS_A_PAIR = 0.8e-9  # and a choice of groups, about


class ClosePairs(NamedTuple):
    """All pairs within ``limit`` of each other in the features of any replica."""

    bounds: Bounds  # for the rest: the largest distances, and smallest ones beyond the limit
    limit: float
    first: np.ndarray
    second: np.ndarray
    lowest: np.ndarray  # ascending: distances in the features of the replica in which they are smallest

    @classmethod
    def listed(
        cls, bounds: Bounds, m: int, limit: float, parallel: Parallel | None = None
    ) -> "ClosePairs | None":
        """The list for replicas that are measured in ``m`` features; None when it is too long to be used.

        Workers of ``parallel`` each find a share of it.
        """
        n = bounds.points.shape[1]
        parallel = Parallel() if parallel is None else parallel
        n_shares = effective_n_jobs(parallel.n_jobs)
        shares = parallel(
            delayed(_close_pairs)(bounds.points, m, limit, (share, n_shares)) for share in range(n_shares)
        )
        if any(pairs is None for pairs in shares):
            return None
        codes, lowest = (np.concatenate(parts) for parts in zip(*shares, strict=True))
        codes, once = np.unique(codes, return_index=True)
        order = np.argsort(lowest[once], kind="stable")
        return cls(bounds, limit, *np.divmod(codes[order], n), lowest[once[order]])

    @staticmethod
    def suits(n_features: int, m: int) -> bool:
        """Whether replicas leave so few features out that some group is always whole."""
        return n_features - m < GROUPS <= n_features

    @staticmethod
    def limit_from(clusters: Clusters) -> float:
        """A limit that will do for most replicas, from the clusters of the first."""
        if clusters.labels.size > MANY:
            return HEADROOM_OF_MANY * clusters.thinned_separation
        return HEADROOM * clusters.separation()

    @staticmethod
    def seconds_to_list(points: np.ndarray, m: int, limit: float) -> float:
        """About how long listing takes."""
        n_features, n = points.shape
        if _by_tiles(n):
            return seconds_by_tiles(points, m, limit)
        n_choices = math.comb(_n_groups(n, n_features, m), n_features - m)
        return n_choices * (SECONDS_A_PAIR + 1e-11 * m) * n**2 / 2

    @staticmethod
    def limits(clusters: Clusters) -> Iterator[float]:
        """One known at once, and rather too low; then the one to list by, wanted if the first is fast."""
        yield LIMIT_FROM_GLANCE * clusters.glanced_separation
        yield ClosePairs.limit_from(clusters)

    @staticmethod
    def seconds(n_samples: int, m: int, n_clusters: int, to_search: float) -> float:
        """About how long a partition takes, once pairs are listed; beyond the limit it is searched for."""
        return 9e-5 * n_clusters + 9e-9 * n_samples * m + (BEYOND * to_search if n_samples > MANY else 0.0)

    def __call__(self, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
        """Dunn index of each partition in its own features."""
        partitions = zip(labels, features, centers, strict=True)
        return np.array([self.bounds.index(*each, self.separation(*each[:2])) for each in partitions])

    def separation(self, labels: np.ndarray, features: np.ndarray) -> float | None:
        """Smallest distance between clusters in some features; None when it is beyond the limit.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,)
        features : ndarray of bool of shape (n_features,)
        """
        points, best = own(self.bounds.points), np.inf
        for start in range(0, self.first.size, AT_ONCE):
            if self.lowest[start] > best:
                break
            first, second = self.first[start : start + AT_ONCE], self.second[start : start + AT_ONCE]
            between = labels.take(first) != labels.take(second)
            ends = (points.take(some[between], axis=1)[features] for some in (first, second))
            best = min(best, distances(*ends).min(initial=np.inf))
        return float(best) if best <= self.limit else None


def _by_tiles(n_samples: int) -> bool:
    """Whether pairs are looked for by compiled loops."""
    return can_compile() if n_samples > MANY else n_samples > TILED and would_pay(SAVED * n_samples**2)


def _n_groups(n_samples: int, n_features: int, m: int) -> int:
    """How many groups of features to choose from: of many rows, as few as will do."""
    return GROUPS if n_samples <= MANY else n_features - m + 1


def _close_pairs(
    points: np.ndarray, m: int, limit: float, share: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray] | None:
    """A share of the pairs within a limit, numbered, and how close they can be; None if too many."""
    keep_freed_memory()
    n_features, n = points.shape
    rows = np.ascontiguousarray(points.T)
    candidates = nearly_close_pairs if _by_tiles(n) else _pairs_by_products
    seen, found = 0, [(np.empty(0, dtype=np.intp), np.empty(0))]
    with one_blas_thread():
        for first, second in candidates(points, m, limit, share):
            seen += first.size * share[1]  # in all shares, about
            if seen > MAX_PAIRS or seen * n_features > MAX_DIFFERENCES * n**2:
                return None
            lowest = _lowest(rows, m, first, second)
            near = lowest <= limit
            first, second = first[near], second[near]
            found.append((np.minimum(first, second) * n + np.maximum(first, second), lowest[near]))
    codes, lowest = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return codes, lowest


def _pairs_by_products(
    points: np.ndarray, m: int, limit: float, share: tuple[int, int] = (0, 1)
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All pairs within a limit in some ``m`` features, and others; some more than once.

    Of several shares, the one of this number: every so many-th block of rows.
    """
    n_features, n = points.shape
    n_groups = _n_groups(n, n_features, m)
    groups = np.array_split(np.arange(n_features), n_groups)
    for whole in combinations(groups, n_groups - (n_features - m)):
        # Along the widest direction, points farther apart than the limit need no look.
        measured = points[np.concatenate(whole)]
        along = np.linalg.eigh(np.cov(measured).reshape(len(measured), -1))[1][:, -1] @ measured
        order = np.argsort(along)
        along = along[order]
        factors = Factors.of(measured[:, order])
        reach = np.float32(factors.square(limit) + 2 * factors.error)
        for row in range(share[0] * ROWS, n, share[1] * ROWS):
            last = along[min(row + ROWS, n) - 1] + limit * (1 + 1e-9)
            left = factors.left(slice(row, row + ROWS))
            for column in range(row, np.searchsorted(along, last, side="right"), COLUMNS):
                block = left @ factors.right[:, column : column + COLUMNS]
                if block.min() <= reach:
                    i, j = np.divmod(np.flatnonzero(block.ravel() <= reach), block.shape[1])
                    later = row + i < column + j
                    yield order[row + i[later]], order[column + j[later]]


def _lowest(rows: np.ndarray, m: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distances of pairs of rows in the ``m`` features in which they are closest, rounded down."""
    squares = np.square(rows.take(first, axis=0) - rows.take(second, axis=0))
    squares.partition(m - 1, axis=1)
    return np.sqrt(squares[:, :m].sum(axis=1)) * (1 - TIED)
