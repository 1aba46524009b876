"""Lloyd's K-means for many small problems at once: replicas and starts share each matrix product.

scikit-learn's ``KMeans`` spends most of a small fit on set-up; a bag fits hundreds of small problems.
Here every iteration is one stacked product for all of them, in one thread, with the same stopping rule
as scikit-learn (``tol`` times the mean feature variance, or no label changed).
"""

import numpy as np

MAX_ITER = 50
TOL = 1e-4
REDRAWS = 100  # tries at starting centres that differ
LARGE = 2000  # samples from which it pays to skip points that cannot change cluster


def kmeans(
    data: np.ndarray, starts: np.ndarray, *, max_iter: int = MAX_ITER, tol: float = TOL
) -> tuple[np.ndarray, np.ndarray]:
    """Best of several K-means runs, for a stack of data matrices.

    Parameters
    ----------
    data : ndarray of shape (n_problems, n_features, n_samples)
        One matrix per problem, features first.
    starts : ndarray of shape (n_problems, n_starts, n_clusters, n_features)
        Starting centres.
    max_iter : int, default=50
    tol : float, default=1e-4
        A run stops when the squared shift of its centres is at most ``tol`` times the mean variance of
        the features; 0 runs until no label changes.

    Returns
    -------
    centers : ndarray of shape (n_problems, n_clusters, n_features)
        Centres of the run with the smallest inertia (the first of equals).
    inertia : ndarray of shape (n_problems,)
        Its within-cluster sum of squares.
    """
    if data.shape[2] >= LARGE:
        runs = [[_lloyd_large(d, c, max_iter, tol) for c in s] for d, s in zip(data, starts, strict=True)]
    elif starts.shape[1] == 1:
        centers, inertia = _lloyd(data, starts, max_iter, tol)
        return centers[:, 0], inertia[:, 0]
    else:
        runs = [
            list(zip(*(a[0] for a in _lloyd(d[None], s[None], max_iter, tol)), strict=True))
            for d, s in zip(data, starts, strict=True)
        ]
    best = [min(run, key=lambda pair: pair[1]) for run in runs]
    return np.stack([centers for centers, _ in best]), np.array([inertia for _, inertia in best])


def random_starts(points: np.ndarray, n_clusters: int, n_starts: int, rng: np.random.Generator) -> np.ndarray:
    """Starting centres: distinct points drawn at random.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)

    Returns
    -------
    ndarray of shape (n_starts, n_clusters, n_features)
        Centres of one start differ from each other, unless the data hardly has that many points.
    """
    drawn = rng.integers(points.shape[1], size=(n_starts, n_clusters))
    for _ in range(REDRAWS):
        starts = points.T[drawn]
        same = (starts[:, :, None] == starts[:, None]).all(axis=3).sum(axis=(1, 2)) > n_clusters
        if not same.any():
            break
        drawn[same] = rng.integers(points.shape[1], size=(same.sum(), n_clusters))
    return starts


def nearest_center(data: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Label of the nearest centre, and that squared distance less the squared norm of the point.

    Parameters
    ----------
    data : ndarray of shape (..., n_features, n_samples)
    centers : ndarray of shape (..., n_runs, n_clusters, n_features)

    Returns
    -------
    labels : ndarray of int8 or int32 of shape (..., n_runs, n_samples)
    score : ndarray of shape (..., n_runs, n_samples)
    """
    *lead, n_runs, n_clusters, n_features = centers.shape
    flat = centers.reshape(*lead, n_runs * n_clusters, n_features)
    score = (-2.0 * flat) @ data
    score += np.einsum("...kf,...kf->...k", flat, flat)[..., None]
    score = score.reshape(*lead, n_runs, n_clusters, -1)
    best = score[..., 0, :].copy()
    labels = np.zeros(best.shape, dtype=np.int8 if n_clusters <= 127 else np.int32)
    for k in range(1, n_clusters):
        candidate = score[..., k, :]
        np.copyto(labels, k, where=candidate < best)
        np.minimum(best, candidate, out=best)
    return labels, best


def _lloyd(data, centers, max_iter, tol):
    """Run all starts of all problems to the end; runs that are done leave the stack."""
    n_problems, n_starts = centers.shape[:2]
    centers = centers.copy()
    threshold = tol * data.var(axis=2).mean(axis=1)[:, None]
    # With one problem the starts leave one by one; with several (one start each) the problems do.
    one = n_problems == 1
    active = np.arange(n_starts if one else n_problems)
    X, previous = data, None
    for _ in range(max_iter):
        now = centers[:, active] if one else centers[active]
        labels, score = nearest_center(X, now)
        new = _means(X, labels, now, score)
        shift = ((new - now) ** 2).sum(axis=(2, 3))
        done = shift <= (threshold if one else threshold[active])
        if previous is not None:
            done |= (labels == previous).all(axis=2)
        if one:
            centers[:, active] = new
        else:
            centers[active] = new
        keep = ~done.all(axis=0 if one else 1)
        if not keep.any():
            break
        if not keep.all():
            active = active[keep]
            labels = labels[:, keep] if one else labels[keep]
            X = X if one else data[active]
        previous = labels
    _, score = nearest_center(data, centers)
    return centers, score.sum(axis=2) + np.einsum("rfn,rfn->r", data, data)[:, None]


def _means(data, labels, centers, score):
    """Mean of each cluster; an empty cluster takes the point worst served by its centre."""
    n_clusters = centers.shape[2]
    member = labels[:, :, None, :] == np.arange(n_clusters, dtype=labels.dtype)[:, None]
    counts = member.sum(axis=3)
    if not counts.all():
        labels = labels.copy()
        _fill_empty(data, labels, counts, score)
        member = labels[:, :, None, :] == np.arange(n_clusters, dtype=labels.dtype)[:, None]
        counts = member.sum(axis=3)
    r, s, k, n = member.shape
    sums = member.reshape(r, s * k, n).astype(data.dtype) @ data.swapaxes(1, 2)
    return sums.reshape(r, s, k, -1) / np.maximum(counts, 1)[..., None]


def _fill_empty(data, labels, counts, score):
    """Move the points farthest from their centres, one per empty cluster, out of clusters of two or more."""
    for r, s in zip(*np.nonzero((counts == 0).any(axis=2)), strict=True):
        distance = score[r, s] + (data[r] ** 2).sum(axis=0)
        size = counts[r, s].copy()
        farthest = iter(np.argsort(-distance, kind="stable"))
        for k in np.flatnonzero(size == 0):
            point = next((i for i in farthest if size[labels[r, s, i]] > 1), None)
            if point is None:
                break
            size[labels[r, s, point]] -= 1
            labels[r, s, point] = k


def _lloyd_large(data, centers, max_iter, tol):
    """One run on many points, looking only at points whose cluster may change.

    ``gap`` is how much farther a point's second-nearest centre is than its nearest, less how far the
    centres have moved since that was measured. While it is positive the point keeps its label, so the
    labels are those of the plain algorithm (Hamerly 2010, doi:10.1137/1.9781611972801.12).
    """
    n_clusters = len(centers)
    squares = np.einsum("fn,fn->n", data, data)
    mean = data.mean(axis=1)
    threshold = tol * (squares.mean() - mean @ mean) / len(data)
    labels, gap = _two_nearest(data, squares, centers)
    sums = _cluster_sums(data, labels, n_clusters)
    counts = np.bincount(labels, minlength=n_clusters)
    for _ in range(max_iter):
        if not counts.all():  # rare: refill by the plain rule; every point is looked at again
            _, score = nearest_center(data[None], centers[None, None])
            new = _means(data[None], labels[None, None], centers[None, None], score)[0, 0]
            gap[:] = 0.0
        else:
            new = sums / counts[:, None]
        moved = np.sqrt(((new - centers) ** 2).sum(axis=1))
        centers = new
        if moved @ moved <= threshold:
            break
        gap -= (moved + moved.max())[labels]
        unsure = np.flatnonzero(gap <= 0)
        some = unsure.size < data.shape[1] // 2
        at = unsure if some else slice(None)
        now, gap[at] = _two_nearest(data[:, at] if some else data, squares[at], centers)
        before = labels[at]
        changed = np.flatnonzero(now != before)
        if changed.size == 0:
            break
        after, before, labels[at] = now[changed], before[changed], now
        points = data[:, unsure[changed] if some else changed]
        sums += _cluster_sums(points, after, n_clusters) - _cluster_sums(points, before, n_clusters)
        counts += np.bincount(after, minlength=n_clusters) - np.bincount(before, minlength=n_clusters)
    # Sum of squares about the centres, from the sums of each cluster alone.
    inertia = squares.sum() - 2 * (sums * centers).sum() + counts @ np.einsum("kf,kf->k", centers, centers)
    return centers, inertia


def _two_nearest(data, squares, centers):
    """Nearest centre of each point, and how much farther the second nearest is."""
    score = (-2.0 * centers) @ data
    score += np.einsum("kf,kf->k", centers, centers)[:, None]
    best, second = score[0].copy(), np.full(data.shape[1], np.inf)
    labels = np.zeros(best.shape, dtype=np.int8 if len(centers) <= 127 else np.int32)
    for k in range(1, len(centers)):
        candidate = score[k]
        np.copyto(labels, k, where=candidate < best)
        np.minimum(second, np.maximum(best, candidate), out=second)
        np.minimum(best, candidate, out=best)
    distance = np.sqrt(np.maximum(np.stack([best, second]) + squares, 0.0))
    return labels, distance[1] - distance[0]


def _cluster_sums(data, labels, n_clusters):
    """Sum of the points of each cluster, one column per feature."""
    member = labels == np.arange(n_clusters, dtype=labels.dtype)[:, None]
    return member.astype(data.dtype) @ data.T
