"""Lloyd's K-means on many points, looking only at those whose cluster may change."""

import numpy as np

from xcompare.bagging.centers import inertia, label_type, mean_variance, means, nearest_center
from xcompare.compiled import compiled, pays

MAX_ITER = 50
TOL = 1e-4
SECONDS_A_SCORE = 4e-9  # saved by a compiled loop, for a point and a centre
SECONDS_A_GAP = 6e-9  # and for a point that may have to be looked at again


def kmeans_of_many(
    points: np.ndarray,
    features: np.ndarray | None,
    weights: np.ndarray,
    starts: np.ndarray,
    *,
    max_iter: int = MAX_ITER,
    tol: float = TOL,
) -> np.ndarray:
    """Best of several K-means runs on many points, in some of their features: `kmeans`, for one problem.

    Parameters
    ----------
    points : ndarray of shape (n_all_features, n_samples)
    features : ndarray of int of shape (n_features,) or None
        The features to cluster in; None for all.
    weights : ndarray of shape (n_samples,)
    starts : ndarray of shape (n_starts, n_clusters, n_features)

    Returns
    -------
    ndarray of shape (n_clusters, n_features)
    """
    data, present = _present(points, features, weights)
    centers = np.stack([_lloyd_large(data, present, start, max_iter, tol) for start in starts])
    if len(centers) == 1:
        return centers[0]
    return centers[inertia(data[None], present[None], centers[None])[0].argmin()]


def _present(points, features, weights):
    """Points that count, in some features, with their weights."""
    rows = np.flatnonzero(weights)
    features = range(len(points)) if features is None else features
    if rows.size == weights.size and len(features) == len(points):
        return points, weights.astype(np.float64)
    data = np.empty((len(features), rows.size))
    for feature, row in zip(features, data, strict=True):
        points[feature].take(rows, out=row, mode="clip")  # it looks at none twice, as "raise" does
    return data, weights[rows].astype(np.float64)


def _lloyd_large(data, weights, centers, max_iter, tol):
    """One run on many points, looking only at points whose cluster may change.

    ``gap`` is how much farther a point's second-nearest centre is than its nearest, less how far the
    centres have moved since that was measured. While it is positive the point keeps its label, so the
    labels are those of the plain algorithm (Hamerly 2010, doi:10.1137/1.9781611972801.12).
    """
    n_clusters = len(centers)
    squares = np.einsum("fn,fn->n", data, data)
    threshold = tol * mean_variance(data[None], weights[None])[0]
    labels, gap = _two_nearest(data, squares, centers)
    sums, mass = _cluster_sums(data, weights, labels, n_clusters)
    for _ in range(max_iter):
        if not mass.all():  # rare: refill by the plain rule; every point is looked at again
            _, score = nearest_center(data[None], centers[None, None])
            new = means(data[None], weights[None], labels[None, None], score, centers[None, None])[0, 0]
            gap[:] = 0.0
        else:
            new = sums / mass[:, None]
        moved = np.sqrt(((new - centers) ** 2).sum(axis=1))
        centers = new
        if moved @ moved <= threshold:
            break
        by_loop = pays(SECONDS_A_GAP * gap.size)
        unsure = (_unsure_by_loop if by_loop else _unsure)(gap, labels, moved + moved.max())
        some = unsure.size < data.shape[1] // 2
        at = unsure if some else slice(None)
        now, gap[at] = _two_nearest(data.take(unsure, axis=1) if some else data, squares[at], centers)
        before = labels[at]
        changed = np.flatnonzero(now != before)
        if changed.size == 0:
            break
        before, after, labels[at] = before[changed], now[changed], now
        points = unsure[changed] if some else changed
        moving, their_weights = data.take(points, axis=1), weights[points]
        gained, lost = (_cluster_sums(moving, their_weights, x, n_clusters) for x in (after, before))
        sums += gained[0] - lost[0]
        mass += gained[1] - lost[1]
    return centers


def _unsure(gap, labels, closer):
    """Take off the gaps of points how much closer other centres may have come; those that may change."""
    gap -= closer.take(labels)
    return np.flatnonzero(gap <= 0)


@compiled
def _unsure_by_loop(gap, labels, closer):
    """The same in machine code."""
    unsure = np.empty(gap.size, np.intp)
    count = 0
    for i in range(gap.size):
        gap[i] -= closer[labels[i]]
        unsure[count] = i
        count += gap[i] <= 0
    return unsure[:count]


def _two_nearest(data, squares, centers):
    """Nearest centre of each point, and how much farther the second nearest is."""
    score = (-2.0 * centers) @ data
    score += np.einsum("kf,kf->k", centers, centers)[:, None]
    labels = np.zeros(squares.shape, dtype=label_type(len(centers)))
    by_loop = pays(SECONDS_A_SCORE * score.size)
    return labels, (_label_by_loop if by_loop else _label)(score, squares, labels)


def _label(score, squares, labels):
    """Write the row of each point's smallest score to its label; how much farther the second smallest is.

    A score is a squared distance less the square of the point.
    """
    best, second = score[0].copy(), np.full(squares.shape, np.inf)
    for k in range(1, len(score)):
        candidate = score[k]
        np.copyto(labels, k, where=candidate < best)
        np.minimum(second, np.maximum(best, candidate), out=second)
        np.minimum(best, candidate, out=best)
    for distance in (best, second):
        distance += squares
        np.maximum(distance, 0.0, out=distance)
        np.sqrt(distance, out=distance)
    return second - best


@compiled
def _label_by_loop(score, squares, labels):
    """The same in machine code."""
    gap = np.empty_like(squares)
    for i in range(squares.size):
        best, second = score[0, i], np.inf
        for k in range(1, score.shape[0]):
            candidate = score[k, i]
            labels[i] = k if candidate < best else labels[i]
            second = min(second, max(best, candidate))
            best = min(best, candidate)
        gap[i] = np.sqrt(max(second + squares[i], 0.0)) - np.sqrt(max(best + squares[i], 0.0))
    return gap


def _cluster_sums(data, weights, labels, n_clusters):
    """Weighted sum of the points of each cluster, one column per feature, and its weight."""
    share = (labels == np.arange(n_clusters, dtype=labels.dtype)[:, None]) * weights
    return share @ data.T, share.sum(axis=1)
