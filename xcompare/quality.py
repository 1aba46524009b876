"""Quality of a partition: the Dunn index, exact and fast, and what may stand in its place.

The Dunn index needs two extreme distances among all pairs of points. Both are found exactly while looking
at few pairs. Single-precision matrix products scan the pairs that cheap bounds leave; whatever could be
extreme within their rounding error is measured again in double precision.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics import silhouette_score

from xcompare.validation import check_data, check_labels

Quality = Literal["dunn", "silhouette"] | Callable[[np.ndarray, np.ndarray], float]

SEED = 32  # most promising points of a cluster, compared first to get a bound
ROWS, COLUMNS = 256, 2048  # block of pairs scanned by one matrix product
ROUNDING = np.finfo(np.float32).eps


def dunn_index(X: ArrayLike, labels: ArrayLike) -> float:
    """Smallest distance between clusters over the largest distance within one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of int of shape (n_samples,)

    Returns
    -------
    float
        Larger is better. 0 for a single cluster, which separates nothing; ``inf`` when every cluster is
        a single (repeated) point.

    References
    ----------
    Dunn, J. C. (1974). Well-separated clusters and optimal fuzzy partitions. doi:10.1080/01969727408546059

    Examples
    --------
    >>> dunn_index([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    3.0
    """
    X = check_data(X)
    codes, distinct = check_labels(labels, len(X))
    origin = X.mean(axis=0)
    centers = np.stack([(X[codes == k] - origin).mean(axis=0) for k in range(len(distinct))])
    return fast_dunn(np.ascontiguousarray(X.T), codes, centers, origin)


def fast_dunn(
    points: np.ndarray, labels: np.ndarray, centers: np.ndarray, origin: np.ndarray | None = None
) -> float:
    """Dunn index given a centre for each cluster.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
        Features first.
    labels : ndarray of int of shape (n_samples,)
        Codes ``0..K-1``; some may be unused.
    centers : ndarray of shape (n_clusters, n_features)
        Any points; the result does not depend on them, the time does. With labels that are
        nearest-centre labels it is close to linear in ``n_samples``.
    origin : ndarray of shape (n_features,) or None, default=None
        Where ``centers`` are measured from: somewhere in the middle, where rounding is least.
        Distances that count are measured between the points as given.
    """
    order = np.argsort(labels, kind="stable")
    stops = np.cumsum(np.bincount(labels, minlength=len(centers)))
    members = np.split(order, stops[:-1])
    if sum(m.size > 0 for m in members) < 2:
        return 0.0
    centred = points if origin is None else points - origin[:, None]
    squares, center_squares = np.einsum("fn,fn->n", centred, centred), np.einsum("kf,kf->k", centers, centers)
    to_center = (-2.0 * centers) @ centred  # becomes squared distances to every centre
    to_center += center_squares[:, None]
    to_center += squares
    error = 4 * (len(points) + 2) * np.finfo(np.float64).eps * max(squares.max(), center_squares.max())
    return _ratio(
        _separation(points, members, centers, to_center, error),
        _diameter(points, members, to_center, error),
    )


def _ratio(separation: float, diameter: float) -> float:
    """Separation over diameter; infinitely good where no cluster has an extent."""
    return separation / diameter if diameter > 0 else np.inf


def _separation(points, members, centers, to_center, error) -> float:
    """Smallest distance between points of different clusters.

    The signed distance of a point to the hyperplane halfway between two centres is its margin. For x in
    one cluster and y in the other, ``margin(x) + margin(y) <= d(x, y)``: pairs whose margins add up to
    the best distance so far need no look.
    """
    n_clusters = len(members)
    apart = cdist(centers, centers)
    apart[apart == 0] = np.inf  # equal centres: no direction, margin 0
    pairs = []
    for i in range(n_clusters):
        for j in range(i + 1, n_clusters):
            if members[i].size and members[j].size:
                sides = [
                    (to_center[far].take(members[near]) - to_center[near].take(members[near]) - error)
                    / (2 * apart[i, j])
                    for near, far in ((i, j), (j, i))
                ]
                pairs.append((sides[0].min() + sides[1].min(), i, j, sides))
    pairs.sort(key=lambda pair: pair[0])
    best = np.inf
    for lowest, i, j, (a, b) in pairs:
        if lowest >= best:
            break
        nearest = cdist(
            points.take(members[i][_smallest(a, SEED)], axis=1).T,
            points.take(members[j][_smallest(b, SEED)], axis=1).T,
        )
        best = min(best, nearest.min())
        if a.size > SEED or b.size > SEED:
            keep_i, keep_j = np.flatnonzero(a < best - b.min()), np.flatnonzero(b < best - a.min())
            keep_i, keep_j = keep_i[np.argsort(a[keep_i])], keep_j[np.argsort(b[keep_j])]
            left, right = points.take(members[i][keep_i], axis=1), points.take(members[j][keep_j], axis=1)
            best = _closest(left, right, a[keep_i], b[keep_j], best)
    return float(best)


def _closest(left, right, margin_left, margin_right, best) -> float:
    """Smallest distance between two sets of columns, or ``best``; margins are ascending."""
    if left.shape[1] * right.shape[1] <= ROWS * ROWS:
        return min(best, cdist(left.T, right.T).min(initial=np.inf))
    scan_left, scan_right, error = _scan_factors(left, right)
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


def _diameter(points, members, to_center, error) -> float:
    """Largest distance between two points of one cluster.

    By the triangle inequality two points are no farther apart than their radii (distances to the
    centre) add up to: only points far out need a look.
    """
    radii = [np.sqrt(np.maximum(to_center[k].take(m), 0.0) + error) for k, m in enumerate(members)]
    best = 0.0
    for k in sorted(range(len(members)), key=lambda k: -radii[k].max(initial=0.0)):
        radius = radii[k]
        if radius.size < 2 or 2 * radius.max() <= best:
            continue
        best = max(best, pdist(points.take(members[k][_smallest(-radius, SEED)], axis=1).T).max())
        keep = np.flatnonzero(radius > best - radius.max())
        if radius.size > SEED and keep.size > 1:
            keep = keep[np.argsort(-radius[keep])]
            best = _farthest(points.take(members[k][keep], axis=1), radius[keep], best)
    return float(best)


def _farthest(points, radius, best) -> float:
    """Largest distance between two columns, or ``best``; radii are descending."""
    if points.shape[1] <= ROWS:
        return max(best, pdist(points.T).max())
    scan_left, scan_right, error = _scan_factors(points, points)
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


def _scan_factors(left, right):
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


class PairwiseDunn:
    """Dunn indices of many partitions in many subspaces of a small dataset.

    Squared differences of all pairs are kept per feature; one product with the feature masks gives the
    distances of every pair in every subspace.
    """

    MAX_PAIRS, MAX_ENTRIES = 2**15, 2**21

    def __init__(self, X: np.ndarray) -> None:
        self.first, self.second = np.triu_indices(len(X), 1)
        self.squared = np.square(X[self.first] - X[self.second]).T

    @classmethod
    def suits(cls, n_samples: int, n_features: int) -> bool:
        """Whether keeping all pairs is cheap."""
        n_pairs = n_samples * (n_samples - 1) // 2
        return n_pairs <= cls.MAX_PAIRS and n_pairs * n_features <= cls.MAX_ENTRIES

    def __call__(self, labels: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Dunn index of each partition in its own features.

        Parameters
        ----------
        labels : ndarray of int of shape (n_partitions, n_samples)
        features : ndarray of bool of shape (n_partitions, n_features)
        """
        distance = features.astype(np.float64) @ self.squared
        same = labels[:, self.first] == labels[:, self.second]
        diameter = np.sqrt((distance * same).max(axis=1, initial=0.0))
        distance[same] = np.inf
        separation = np.sqrt(distance.min(axis=1, initial=np.inf))
        separation[np.isinf(separation)] = 0.0  # a single cluster
        return np.array(
            [_ratio(s, d) if s > 0 or d > 0 else 0.0 for s, d in zip(separation, diameter, strict=True)]
        )


def quality_of(quality: Quality, X: np.ndarray, labels: np.ndarray) -> float:
    """Weight of a partition by a quality other than the Dunn index; negative values count as 0."""
    if len(np.unique(labels)) < 2:
        return 0.0
    value = silhouette_score(X, labels) if quality == "silhouette" else quality(X, labels)  # type: ignore[operator]
    if not np.isfinite(value):
        raise ValueError(f"quality must return a finite number; got {value!r}")
    return max(float(value), 0.0)
