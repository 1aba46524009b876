"""The two steps of K-means: nearest centres, and means of the clusters."""

import numpy as np

from xcompare.core.blocks import slices

BLOCK_POINTS = 2**13  # labelled at a time, to fit in the cache
EQUAL = 1e-11  # relative difference below which squared distances are ties
EQUAL_SUMS = 1e-9  # the same for inertias, relative to the total sum of squares
COINCIDENT = 1e-20  # squared distance, relative to the largest, below which centres are equal


def nearest_center(data: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Label of the nearest centre, and its squared distance less the squared norm of the point.

    ``data`` of shape (..., n_features, n_samples) and ``centers`` of shape (..., n_runs, n_clusters,
    n_features). Returns ``labels`` of shape (..., n_runs, n_samples): ties, up to rounding, go to the first
    centre; ``score`` of shape (..., n_runs, n_samples).
    """
    n, squares = data.shape[-1], _squares(centers)
    parts = [_nearest_center(data[..., some], centers, squares) for some in slices(n, BLOCK_POINTS)]
    if len(parts) == 1:
        return parts[0]
    labels, scores = zip(*parts, strict=True)
    return np.concatenate(labels, axis=-1), np.concatenate(scores, axis=-1)


def _nearest_center(
    data: np.ndarray, centers: np.ndarray, squares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`nearest_center` for one block of points, given the squared norms of the centres."""
    *lead, n_runs, n_clusters, n_features = centers.shape
    flat = centers.reshape(*lead, n_runs * n_clusters, n_features)
    score = (-2.0 * flat) @ data
    score += squares.reshape(*lead, n_runs * n_clusters, 1)
    score = score.reshape(*lead, n_runs, n_clusters, -1)
    return first_smallest(score)


def first_smallest(score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cluster of the smallest score, the first of ties, and that score.

    ``score`` of shape (..., n_clusters, n_samples). Each step is one pass over contiguous rows, which takes a
    quarter of the time of ``argmin``.
    """
    smallest, n_clusters = score.min(axis=-2), score.shape[-2]
    from_last: np.ndarray = np.arange(n_clusters, 0, -1, dtype=label_type(n_clusters))
    found = ((score == smallest[..., None, :]) * from_last[:, None]).max(axis=-2)
    return n_clusters - found, smallest


def _squares(centers: np.ndarray) -> np.ndarray:
    """Squared norms of the centres, with a small penalty so that ties go to the first on any machine.

    With few distinct values, as in binary features, many points are equidistant from two centres, and
    machine-dependent rounding would choose between them.
    """
    differences = centers[..., np.arange(-1, centers.shape[-2] - 1), :] - centers  # to the previous centre
    apart = np.einsum("...kf,...kf->...k", differences, differences)
    most = apart.max(axis=-1, keepdims=True)
    least = np.where(apart > COINCIDENT * most, apart, most).min(axis=-1, keepdims=True)
    handicap = EQUAL * least * np.arange(centers.shape[-2])
    return np.einsum("...kf,...kf->...k", centers, centers) + handicap


def nearest_of_many(
    points: np.ndarray, features: np.ndarray, centers: np.ndarray, factors: np.ndarray | None = None
) -> np.ndarray:
    """Label of the nearest centre for many points, in a subset of their features.

    ``points`` of shape (n_all_features, n_samples), ``features`` of shape (n_features,) and ``centers`` of
    shape (n_clusters, n_features). ``factors`` of shape (n_features,) or None: factors of the features of the
    points. Returns shape (n_samples,).
    """
    n, run = points.shape[1], centers[None]
    squares = _squares(run)
    labels: np.ndarray = np.empty(n, dtype=label_type(len(centers)))
    for some in slices(n, BLOCK_POINTS):
        block = points[:, some][features]
        if factors is not None:
            block *= factors[:, None]
        labels[some] = _nearest_center(block, run, squares)[0][0]
    return labels


def means(data, weights, labels, score, centers):
    """Mean of each cluster; an empty cluster takes the point farthest from its centre."""
    sums, mass = _sums(data, weights, labels, centers.shape[2])
    if not mass.all():
        labels = labels.copy()
        for r, s in zip(*np.nonzero((mass == 0).any(axis=2)), strict=True):
            _fill_empty(data[r], weights[r], labels[r, s], score[r, s], mass[r, s])
        sums, mass = _sums(data, weights, labels, centers.shape[2])
    # With fewer points than clusters, the centres of empty clusters stay.
    return np.where(mass[..., None] > 0, sums / np.maximum(mass, 1)[..., None], centers)


def _sums(data, weights, labels, n_clusters):
    """Weighted sum of the points of each cluster of each run, and its total weight."""
    member = labels[:, :, None, :] == np.arange(n_clusters, dtype=labels.dtype)[:, None]
    share = member * weights[:, None, None, :]
    r, s, k, n = share.shape
    sums = share.reshape(r, s * k, n) @ data.swapaxes(1, 2)
    return sums.reshape(r, s, k, -1), share.sum(axis=3)


def _fill_empty(data, weights, labels, score, mass):
    """Fill each empty cluster, in place, with the farthest point of a cluster that has others."""
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
    """The run of each problem with the smallest inertia, the first of ties.

    ``score`` is that of `nearest_center`, which omits the norms of the points, common to all runs.
    """
    total = data.shape[1] * mean_variance(data, weights) * weights.sum(axis=1)
    return first_of_smallest(np.einsum("rsn,rn->rs", score, weights.astype(np.float64)), total)


def first_of_smallest(inertia: np.ndarray, total: np.ndarray | float) -> np.ndarray:
    """Index of the smallest inertia in each row, the first of ties up to rounding."""
    return (inertia <= (inertia.min(axis=-1) + EQUAL_SUMS * total)[..., None]).argmax(axis=-1)


def label_type(n_clusters: int) -> type:
    """The smallest integer type for labels, which are read far more often than written."""
    return np.int8 if n_clusters <= 127 else np.int32
