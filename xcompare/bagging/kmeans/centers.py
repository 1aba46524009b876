"""Centres of K-means: which is nearest to a point, and the means of the points that are nearest."""

import numpy as np

AT_ONCE = 2**13  # points labelled: they stay in the processor's cache
EQUAL = 1e-11  # share up to which squared distances are taken for equal: it is rounding that they differ by
EQUAL_SUMS = 1e-9  # the same of sums over all points, a share of their sum of squares
SAME = 1e-20  # share of the largest squared distance below which centres are the same up to rounding


def nearest_center(data: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Label of the nearest centre, and that squared distance less the squared norm of the point.

    Parameters
    ----------
    data : ndarray of shape (..., n_features, n_samples)
    centers : ndarray of shape (..., n_runs, n_clusters, n_features)

    Returns
    -------
    labels : ndarray of int8 or int32 of shape (..., n_runs, n_samples)
        The first of centres that are equally near, up to rounding.
    score : ndarray of shape (..., n_runs, n_samples)
    """
    n, squares = data.shape[-1], _squares(centers)
    some = (data[..., start : start + AT_ONCE] for start in range(0, n, AT_ONCE))
    parts = [_nearest_center(points, centers, squares) for points in some]
    if len(parts) == 1:
        return parts[0]
    labels, scores = zip(*parts, strict=True)
    return np.concatenate(labels, axis=-1), np.concatenate(scores, axis=-1)


def _nearest_center(
    data: np.ndarray, centers: np.ndarray, squares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same for points that stay in the processor's cache, with the squares of the centres."""
    *lead, n_runs, n_clusters, n_features = centers.shape
    flat = centers.reshape(*lead, n_runs * n_clusters, n_features)
    score = (-2.0 * flat) @ data
    score += squares.reshape(*lead, n_runs * n_clusters, 1)
    score = score.reshape(*lead, n_runs, n_clusters, -1)
    best, kind = score[..., 0, :].copy(), label_type(n_clusters)
    labels = np.zeros(best.shape, dtype=kind)
    for k in range(1, n_clusters):
        candidate = score[..., k, :]
        closer = (candidate < best).astype(kind)
        closer *= kind(k)
        np.maximum(labels, closer, out=labels)  # half the time of setting labels where that is so
        np.minimum(best, candidate, out=best)
    return labels, best


def _squares(centers: np.ndarray) -> np.ndarray:
    """Squares of the centres, with a handicap: of equals the first centre is the nearest on any machine.

    Rounding depends on the order in which a machine adds up. Where values are few, as in binary features,
    many points are as near to one centre as to another, and rounding would choose between them.
    """
    differences = centers[..., np.arange(-1, centers.shape[-2] - 1), :] - centers  # from the one before
    apart = np.einsum("...kf,...kf->...k", differences, differences)
    most = apart.max(axis=-1, keepdims=True)
    least = np.where(apart > SAME * most, apart, most).min(axis=-1, keepdims=True)
    handicap = EQUAL * least * np.arange(centers.shape[-2])
    return np.einsum("...kf,...kf->...k", centers, centers) + handicap


def nearest_of_many(points: np.ndarray, features: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Label of the nearest centre for many points, in some of their features.

    Parameters
    ----------
    points : ndarray of shape (n_all_features, n_samples)
    features : ndarray of int of shape (n_features,)
    centers : ndarray of shape (n_clusters, n_features)

    Returns
    -------
    ndarray of int8 or int32 of shape (n_samples,)
    """
    n, run = points.shape[1], centers[None]
    squares = _squares(run)
    labels: np.ndarray = np.empty(n, dtype=label_type(len(centers)))
    for start in range(0, n, AT_ONCE):
        some = slice(start, start + AT_ONCE)
        labels[some] = _nearest_center(points[:, some][features], run, squares)[0][0]
    return labels


def means(data, weights, labels, score, centers):
    """Mean of each cluster; an empty cluster takes the point worst served by its centre."""
    sums, mass = _sums(data, weights, labels, centers.shape[2])
    if not mass.all():
        labels = labels.copy()
        for r, s in zip(*np.nonzero((mass == 0).any(axis=2)), strict=True):
            _fill_empty(data[r], weights[r], labels[r, s], score[r, s], mass[r, s])
        sums, mass = _sums(data, weights, labels, centers.shape[2])
    # Fewer points than clusters: what stays empty stays where it is.
    return np.where(mass[..., None] > 0, sums / np.maximum(mass, 1)[..., None], centers)


def _sums(data, weights, labels, n_clusters):
    """Weighted sum of the points of each cluster of each run, and its weight."""
    member = labels[:, :, None, :] == np.arange(n_clusters, dtype=labels.dtype)[:, None]
    share = member * weights[:, None, None, :]
    r, s, k, n = share.shape
    sums = share.reshape(r, s * k, n) @ data.swapaxes(1, 2)
    return sums.reshape(r, s, k, -1), share.sum(axis=3)


def _fill_empty(data, weights, labels, score, mass):
    """Give each empty cluster the point farthest from its centre that its cluster can spare; in place."""
    distance = np.where(weights > 0, score + (data**2).sum(axis=0), -np.inf)
    spare = np.bincount(labels[weights > 0], minlength=mass.size)
    candidates = iter(np.argsort(-distance, kind="stable")[: np.count_nonzero(weights)])
    for k in np.flatnonzero(spare == 0):
        point = next((i for i in candidates if spare[labels[i]] > 1), None)
        if point is None:
            return
        spare[labels[point]] -= 1
        labels[point] = k


def mean_variance(data, weights):
    """Weighted variance of each problem's features, averaged over the features."""
    total = weights.sum(axis=1)
    mean = (data @ weights[:, :, None])[:, :, 0] / total[:, None]
    square = np.einsum("rfn,rfn,rn->r", data, data, weights, optimize=False) / total
    return np.maximum(square - (mean**2).sum(axis=1), 0.0) / data.shape[1]


def best_run(data, weights, score):
    """The run of each problem whose points are nearest to their centres, the first of equals.

    ``score`` is that of `nearest_center`, which leaves out what all runs share.
    """
    total = data.shape[1] * mean_variance(data, weights) * weights.sum(axis=1)
    return first_of_smallest(np.einsum("rsn,rn->rs", score, weights.astype(np.float64)), total)


def first_of_smallest(inertia: np.ndarray, total: np.ndarray | float) -> np.ndarray:
    """Where each row of sums of squares is smallest: the first of those that are equal up to rounding."""
    return (inertia <= (inertia.min(axis=-1) + EQUAL_SUMS * total)[..., None]).argmax(axis=-1)


def label_type(n_clusters: int) -> type:
    """The smallest integers that will do: labels are read far more often than made."""
    return np.int8 if n_clusters <= 127 else np.int32
