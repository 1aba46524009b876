"""Lloyd's K-means for a bag: many small problems at once, or one large problem with few distances.

scikit-learn's ``KMeans`` spends most of a small fit on set-up; a bag fits hundreds of small problems. Here
every iteration of small problems is one stacked product for all of them. A large problem looks only at
points whose cluster may change. Both stop by scikit-learn's rule (``tol`` times the mean feature variance,
or no change).
Points carry weights: a bootstrap replica is the original points with the times each was drawn.
"""

import numpy as np

from xcompare.compiled import compiled, pays

MAX_ITER = 50
TOL = 1e-4
SECONDS_A_SCORE = 4e-9  # saved by a compiled loop, for a point and a centre
SECONDS_A_GAP = 6e-9  # and for a point that may have to be looked at again
LARGE = 2000  # samples from which it pays to skip points that cannot change cluster
AT_ONCE = 2**13  # points labelled: they stay in the processor's cache
REDRAWS = 100  # tries at starting centres that differ


def kmeans(
    data: np.ndarray,
    weights: np.ndarray,
    starts: np.ndarray,
    *,
    max_iter: int = MAX_ITER,
    tol: float = TOL,
) -> np.ndarray:
    """Best of several K-means runs, for a stack of problems.

    Parameters
    ----------
    data : ndarray of shape (n_problems, n_features, n_samples)
        Points of each problem, features first.
    weights : ndarray of shape (n_problems, n_samples)
        How often each point counts; 0 leaves it out.
    starts : ndarray of shape (n_problems, n_starts, n_clusters, n_features)
        Starting centres.
    max_iter : int, default=50
    tol : float, default=1e-4
        A run stops when the squared shift of its centres is at most ``tol`` times the mean variance of
        the features; 0 runs until no label changes.

    Returns
    -------
    ndarray of shape (n_problems, n_clusters, n_features)
        Centres of the run with the smallest sum of squares, the first of equals.
    """
    if data.shape[2] >= LARGE:
        problems = zip(data, weights, starts, strict=True)
        return np.stack([kmeans_of_many(d, None, w, s, max_iter=max_iter, tol=tol) for d, w, s in problems])
    if starts.shape[1] == 1:
        return _lloyd(data, weights, starts, max_iter, tol)[:, 0]
    stacks = zip(data, weights, starts, strict=True)
    centers = np.concatenate([_lloyd(d[None], w[None], s[None], max_iter, tol) for d, w, s in stacks])
    best = _inertia(data, weights, centers).argmin(axis=1)
    return np.take_along_axis(centers, best[:, None, None, None], axis=1)[:, 0]


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
    return centers[_inertia(data[None], present[None], centers[None])[0].argmin()]


def random_starts(
    points: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    n_starts: int,
    rng: np.random.Generator,
    features: np.ndarray | None = None,
) -> np.ndarray:
    """Starting centres: distinct points drawn at random, by weight.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    weights : ndarray of shape (n_samples,)
        How often each point counts; 0 leaves it out.
    features : ndarray of int or None, default=None
        The features of the centres; None for all.

    Returns
    -------
    ndarray of shape (n_starts, n_clusters, n_features)
        Centres of one start differ from each other, unless the data hardly has that many points.
    """
    edges = np.cumsum(weights)

    def draw(count: int) -> np.ndarray:
        size = (count, n_clusters)
        whole = np.issubdtype(edges.dtype, np.integer)
        at = rng.integers(edges[-1], size=size) if whole else rng.random(size) * edges[-1]
        return np.searchsorted(edges, at, side="right")

    drawn = draw(n_starts)
    for _ in range(REDRAWS):
        starts = points.T[drawn] if features is None else points.T[drawn][..., features]
        same = (starts[:, :, None] == starts[:, None]).all(axis=3).sum(axis=(1, 2)) > n_clusters
        if not same.any():
            break
        drawn[same] = draw(int(same.sum()))
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
        The first of equally near centres.
    score : ndarray of shape (..., n_runs, n_samples)
    """
    n = data.shape[-1]
    parts = [_nearest_center(data[..., start : start + AT_ONCE], centers) for start in range(0, n, AT_ONCE)]
    if len(parts) == 1:
        return parts[0]
    labels, scores = zip(*parts, strict=True)
    return np.concatenate(labels, axis=-1), np.concatenate(scores, axis=-1)


def _nearest_center(data: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same for points that stay in the processor's cache."""
    *lead, n_runs, n_clusters, n_features = centers.shape
    flat = centers.reshape(*lead, n_runs * n_clusters, n_features)
    score = (-2.0 * flat) @ data
    score += np.einsum("...kf,...kf->...k", flat, flat)[..., None]
    score = score.reshape(*lead, n_runs, n_clusters, -1)
    best = score[..., 0, :].copy()
    labels = np.zeros(best.shape, dtype=_label_type(n_clusters))
    for k in range(1, n_clusters):
        candidate = score[..., k, :]
        np.copyto(labels, k, where=candidate < best)
        np.minimum(best, candidate, out=best)
    return labels, best


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
    n = points.shape[1]
    labels: np.ndarray = np.empty(n, dtype=_label_type(len(centers)))
    for start in range(0, n, AT_ONCE):
        some = slice(start, start + AT_ONCE)
        labels[some] = nearest_center(points[:, some][features], centers[None])[0][0]
    return labels


def _lloyd(data, weights, starts, max_iter, tol):
    """Run all starts of all problems to the end; runs that are done leave the stack."""
    centers = starts.copy()
    weights = weights.astype(np.float64)
    threshold = tol * _mean_variance(data, weights)[:, None]
    # With one problem the starts leave one by one; with several (one start each) the problems do.
    one = len(data) == 1
    active = np.arange(starts.shape[1] if one else len(data))
    X, w, previous = data, weights, None
    for _ in range(max_iter):
        now = centers[:, active] if one else centers[active]
        labels, score = nearest_center(X, now)
        new = _means(X, w, labels, score, now)
        done = ((new - now) ** 2).sum(axis=(2, 3)) <= (threshold if one else threshold[active])
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
            X, w = (X, w) if one else (data[active], weights[active])
        previous = labels
    return centers


def _means(data, weights, labels, score, centers):
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


def _lloyd_large(data, weights, centers, max_iter, tol):
    """One run on many points, looking only at points whose cluster may change.

    ``gap`` is how much farther a point's second-nearest centre is than its nearest, less how far the
    centres have moved since that was measured. While it is positive the point keeps its label, so the
    labels are those of the plain algorithm (Hamerly 2010, doi:10.1137/1.9781611972801.12).
    """
    n_clusters = len(centers)
    squares = np.einsum("fn,fn->n", data, data)
    threshold = tol * _mean_variance(data[None], weights[None])[0]
    labels, gap = _two_nearest(data, squares, centers)
    sums, mass = _cluster_sums(data, weights, labels, n_clusters)
    for _ in range(max_iter):
        if not mass.all():  # rare: refill by the plain rule; every point is looked at again
            _, score = nearest_center(data[None], centers[None, None])
            new = _means(data[None], weights[None], labels[None, None], score, centers[None, None])[0, 0]
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
    labels = np.zeros(squares.shape, dtype=_label_type(len(centers)))
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


def _mean_variance(data, weights):
    """Weighted variance of each problem's features, averaged over the features."""
    total = weights.sum(axis=1)
    mean = (data @ weights[:, :, None])[:, :, 0] / total[:, None]
    square = np.einsum("rfn,rfn,rn->r", data, data, weights, optimize=False) / total
    return np.maximum(square - (mean**2).sum(axis=1), 0.0) / data.shape[1]


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


def _inertia(data, weights, centers):
    """Weighted sum of squared distances to the nearest centre of each run, less what all runs share."""
    _, score = nearest_center(data, centers)
    return np.einsum("rsn,rn->rs", score, weights.astype(np.float64))


def _label_type(n_clusters: int) -> type:
    """The smallest integers that will do: labels are read far more often than made."""
    return np.int8 if n_clusters <= 127 else np.int32
