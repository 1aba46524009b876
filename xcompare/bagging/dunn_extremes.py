"""The two extreme distances of a partition, found exactly while looking at few pairs of points.

Cheap bounds rule out most pairs. Single-precision matrix products scan what is left; whatever could be
extreme within their rounding error is measured again in double precision, between the points as given.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist

from xcompare.bagging import dunn_across
from xcompare.bagging.dunn_distances import Factors, Pair, distances

SEED, GLANCED = 32, 100  # points of a cluster, and one in so many, compared first to get a bound
TRUSTED = 1.2  # times what is closest in some other partition, within which a hint is bound enough
NEAR, MANY = 0.125, 5000  # part of the bound within which, if there are so many, points are compared next
FEW = 2**12  # pairs that are measured at once
MANY_CLUSTERS = 12  # from which a point is looked at for several pairs of them
ROWS, COLUMNS = 256, 2048  # block of pairs scanned by one matrix product
AT_ONCE = 2**13  # points measured from the centres: they stay in the processor's cache
TIED = 1e-12  # distances closer than this, as parts of them, may be equal but for rounding


@dataclass(frozen=True, eq=False)
class Clusters:
    """A partition of points, with a centre for each cluster to measure from."""

    points: np.ndarray  # (n_all_features, n_samples)
    features: np.ndarray  # those they are measured in
    labels: np.ndarray
    centers: np.ndarray  # (n_clusters, n_features), from the origin
    members: list[np.ndarray]  # the points of each cluster
    to_center: np.ndarray  # (n_clusters, n_samples), squared distances
    error: float  # bound on the rounding of those
    known_rows: dunn_across.Rows | None  # the points again, if somebody has them that way

    @classmethod
    def of(
        cls,
        points: np.ndarray,
        labels: np.ndarray,
        centers: np.ndarray,
        features: np.ndarray | None = None,
        origin: np.ndarray | None = None,
        rows: dunn_across.Rows | None = None,
    ) -> "Clusters":
        """Measure all points from all centres.

        Parameters
        ----------
        points : ndarray of shape (n_all_features, n_samples)
            Features first.
        labels : ndarray of int of shape (n_samples,)
            Codes ``0..K-1``; some may be unused.
        centers : ndarray of shape (n_clusters, n_features)
            Any points; the results do not depend on them, the time does. With labels that are
            nearest-centre labels it is close to linear in ``n_samples``.
        features : ndarray of int of shape (n_features,) or None, default=None
            Which features to measure in; None for all.
        origin : ndarray of shape (n_features,) or None, default=None
            Where ``centers`` are measured from: somewhere in the middle, where rounding is least.
        rows : Rows or None, default=None
            The points as they are searched, if known.
        """
        n = points.shape[1]
        features = np.arange(len(points)) if features is None else features
        stops = np.cumsum(np.bincount(labels, minlength=len(centers)))
        members = np.split(np.argsort(labels, kind="stable"), stops[:-1])
        to_center, scale = np.empty((len(centers), n)), 0.0
        center_squares = np.einsum("kf,kf->k", centers, centers)
        for start in range(0, n, AT_ONCE):
            some = slice(start, start + AT_ONCE)
            block = points[:, some] if features.size == len(points) else points[:, some][features]
            block = block if origin is None else block - origin[:, None]
            squares = np.einsum("fn,fn->n", block, block)
            there = np.matmul(-2.0 * centers, block, out=to_center[:, some])
            there += center_squares[:, None]
            there += squares
            scale = max(scale, squares.max())
        error = 4 * (features.size + 2) * np.finfo(np.float64).eps * max(scale, center_squares.max())
        return cls(points, features, labels, centers, members, to_center, error, rows)

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

    def separation(self, hints: "Sequence[Pair]" = ()) -> float:
        """Smallest distance between points of different clusters; 0 for a single cluster."""
        return self.closest(hints).distance

    def closest(self, hints: "Sequence[Pair]" = ()) -> "Pair":
        """A closest pair of points of different clusters; at distance 0 from itself for a single cluster.

        Parameters
        ----------
        hints : sequence of Pair
            Pairs that may be close, as those closest in other partitions are. They save time, and change
            nothing else.
        """
        pairs = self._by_margin()
        if not pairs:
            return Pair(0.0, 0, 0)
        best = self._glance(pairs, hints)
        for share, at_least in ((NEAR, MANY), (1.0, 1)):
            for lowest, i, j, a, b in pairs:
                reach = share * best.distance
                if lowest >= reach:
                    break
                keep_i, keep_j = np.flatnonzero(a < reach - b.min()), np.flatnonzero(b < reach - a.min())
                if min(keep_i.size, keep_j.size) >= at_least:
                    best = self._between(i, j, keep_i, keep_j, a[keep_i], b[keep_j], best)
        return best

    @cached_property
    def glanced_separation(self) -> float:
        """About the smallest distance between points of different clusters, and not below it."""
        pairs = self._by_margin()
        return self._glance(pairs).distance if pairs else 0.0

    @cached_property
    def thinned_separation(self) -> float:
        """The separation of a third of the points: a ninth of the search, and a little above that of all."""
        some = np.flatnonzero(np.random.default_rng(0).random(self.labels.size) < 1 / 3)
        return Clusters.of(self._take(some), self.labels[some], self.centers).separation()

    def _by_margin(self) -> list[tuple[float, int, int, np.ndarray, np.ndarray]]:
        """Pairs of clusters and the margins of their points; those first that come closest by them."""
        pairs = [(a.min() + b.min(), i, j, a, b) for i, j, a, b in self.margins()]
        return sorted(pairs, key=lambda pair: pair[0])

    def _glance(self, pairs: list, hints: "Sequence[Pair]" = ()) -> "Pair":
        """A close pair of points of smallest margin.

        Pairs of points whose margins add up to the best distance so far need no look: when the long looks
        start, the best should be good.
        """
        best = self._closer(Pair(np.inf, 0, 0), *self._hinted(hints, within=False))
        if best.distance <= TRUSTED * max((hint.distance for hint in hints), default=0.0):
            return best  # as close as in other partitions: to look for closer ones takes longer
        for lowest, i, j, a, b in pairs:
            if lowest >= best.distance:
                break
            some_i, some_j = (_smallest(margin, SEED + margin.size // GLANCED) for margin in (a, b))
            best = self._between(i, j, some_i, some_j, a[some_i], b[some_j], best)
        return best

    def _hinted(self, hints: "Sequence[Pair]", within: bool) -> tuple[np.ndarray, np.ndarray]:
        """Both points of the hints that are within a cluster, or of those that are not."""
        first, second = (np.array([hint[i] for hint in hints], dtype=np.intp) for i in (1, 2))
        chosen = (self.labels[first] == self.labels[second]) == within
        return first[chosen], second[chosen]

    def _closer(self, best: "Pair", first: np.ndarray, second: np.ndarray) -> "Pair":
        """The best so far, or one of some pairs if that is closer."""
        apart = distances(self._take(first), self._take(second))
        if apart.min(initial=np.inf) >= best.distance:
            return best
        at = apart.argmin()
        return Pair(float(apart[at]), int(first[at]), int(second[at]))

    def _farther(self, best: "Pair", first: np.ndarray, second: np.ndarray) -> "Pair":
        """The best so far, or one of some pairs if that is farther."""
        apart = distances(self._take(first), self._take(second))
        if apart.max(initial=0.0) <= best.distance:
            return best
        at = apart.argmax()
        return Pair(float(apart[at]), int(first[at]), int(second[at]))

    def pairs_within(self, limit: float) -> int:
        """How many pairs of points the margins leave to look at for distances below a limit."""
        return sum(int(np.searchsorted(np.sort(b), limit - a).sum()) for _, _, a, b in self.margins())

    def diameter(self, hints: "Sequence[Pair]" = ()) -> float:
        """Largest distance between two points of one cluster."""
        return self.farthest(hints).distance

    def farthest(self, hints: "Sequence[Pair]" = ()) -> "Pair":
        """A farthest pair of points of one cluster; hints as for ``closest``."""
        # By the triangle inequality two points are no farther apart than their radii (distances to the
        # centre) add up to: only points far out need a look.
        radii = [
            np.sqrt(np.maximum(self.to_center[k].take(m), 0.0) + self.error)
            for k, m in enumerate(self.members)
        ]
        largest = np.array([radius.max(initial=0.0) for radius in radii])
        best = self._farther(Pair(0.0, 0, 0), *self._hinted(hints, within=True))
        for k in np.argsort(-largest):
            radius, members = radii[k], self.members[k]
            if radius.size < 2 or 2 * largest[k] <= best.distance:
                continue
            if not hints:  # those farthest out: what they give rules most others out
                some = _smallest(-radius, SEED + radius.size // GLANCED)
                best = self._farthest(members, radius, some, best)
            some = np.flatnonzero(radius > best.distance - largest[k])
            best = self._farthest(members, radius, some, best)
        return best

    def _take(self, some: np.ndarray) -> np.ndarray:
        """Some of the points, in the features they are measured in."""
        taken = self.points.take(some, axis=1)
        return taken if self.features.size == len(taken) else taken[self.features]

    def _factors(self, some: np.ndarray) -> "Factors":
        """What single-precision products of some points are made of."""
        if len(self.members) < MANY_CLUSTERS:
            return Factors.of(self._take(some))
        return self._factors_of_all.some(some)

    @cached_property
    def _factors_of_all(self) -> "Factors":
        """Made once, where each point is in many pairs of clusters."""
        return Factors.of(self.points[self.features])

    @cached_property
    def _rows(self) -> dunn_across.Rows:
        """The points as they are searched."""
        rows = dunn_across.Rows.of(self.points) if self.known_rows is None else self.known_rows
        return rows._replace(features=self.features)

    def _between(self, i, j, some_i, some_j, margin_i, margin_j, best) -> "Pair":
        """A closest pair of some points of two clusters, or ``best``."""
        if some_i.size * some_j.size <= FEW:
            left, right = self.members[i][some_i], self.members[j][some_j]
            apart = cdist(self._take(left).T, self._take(right).T)
            r, c = np.nonzero(apart <= min(best.distance, apart.min()) * (1 + TIED))
            return self._closer(best, left[r], right[c])
        n_pairs = int(np.searchsorted(np.sort(margin_j), best.distance - np.sort(margin_i)).sum())
        if dunn_across.suits(some_i.size + some_j.size, n_pairs, self.features.size):
            left, right = self.members[i][some_i], self.members[j][some_j]
            across = self.centers[j] - self.centers[i]
            return dunn_across.closest_across(self._rows, left, right, across, best)
        by_i, by_j = np.argsort(margin_i), np.argsort(margin_j)
        left, right = self.members[i][some_i[by_i]], self.members[j][some_j[by_j]]
        return self._closest(left, right, margin_i[by_i], margin_j[by_j], best)

    def _closest(self, left, right, margin_left, margin_right, best) -> "Pair":
        """A closest pair of two sets of points, or ``best``; margins are ascending."""
        factors = self._factors(np.concatenate([left, right]))
        error, scan_right = factors.error, factors.right[:, left.size :]
        scan_left = factors.left(slice(left.size))
        for row in range(0, left.size, ROWS):
            reach = np.searchsorted(margin_right, best.distance - margin_left[row])
            if reach == 0:
                break
            for column in range(0, reach, COLUMNS):
                block = scan_left[row : row + ROWS] @ scan_right[:, column : min(column + COLUMNS, reach)]
                smallest, square = block.min(), factors.square(best.distance)
                if smallest <= square + error:
                    r, c = np.nonzero(block <= min(square, smallest + error) + error)
                    best = self._closer(best, left[row + r], right[column + c])
        return best

    def _farthest(self, members, radius, some, best) -> "Pair":
        """A farthest pair of some of the members of a cluster, by their radii, or ``best``."""
        if some.size < 2:
            return best
        some = some[np.argsort(-radius[some])]
        radius, some = radius[some], members[some]
        if some.size**2 <= FEW:
            apart = cdist(self._take(some).T, self._take(some).T)
            r, c = np.nonzero(apart >= max(best.distance, apart.max()) * (1 - TIED))
            return self._farther(best, some[r], some[c])
        factors = self._factors(some)
        error, scan_left, scan_right = factors.error, factors.left(slice(None)), factors.right
        for row in range(0, some.size, ROWS):
            if 2 * radius[row] <= best.distance:
                break
            reach = np.searchsorted(-radius, radius[row] - best.distance)
            for column in range(row, reach, COLUMNS):
                block = scan_left[row : row + ROWS] @ scan_right[:, column : min(column + COLUMNS, reach)]
                largest, square = block.max(), factors.square(best.distance)
                if largest >= square - error:
                    r, c = np.nonzero(block >= max(square, largest - error) - error)
                    best = self._farther(best, some[row + r], some[column + c])
        return best


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """Indices of the ``count`` smallest values, in no order."""
    return np.argpartition(values, count)[:count] if values.size > count else np.arange(values.size)
