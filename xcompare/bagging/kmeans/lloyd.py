"""Lloyd's K-means for a bag: many small problems at once, or one large problem with few distances.

scikit-learn's ``KMeans`` spends most of a small fit on set-up; a bag fits hundreds of small problems. Here
every iteration of small problems is one stacked product for all of them. A large problem looks only at
points whose cluster may change. Both stop by scikit-learn's rule (``tol`` times the mean feature variance,
or no change).
Points carry weights: a bootstrap replica is the original points with the times each was drawn.
"""

import numpy as np

from xcompare.bagging.kmeans.centers import best_run, mean_variance, means, nearest_center
from xcompare.bagging.kmeans.hamerly import MAX_ITER, TOL, kmeans_of_many

LARGE = 2000  # samples from which it pays to look only at points that may change cluster ...
LARGE_FROM_SEVERAL = 16_000  # ... and, from several starts, samples times clusters
SMALL = 2**13  # values of a problem up to which it pays to copy it for each of its starts ...
STACKED = 2**21  # ... so many values at a time
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
    if is_large(data.shape[2], *starts.shape[1:3]):
        problems = zip(data, weights, starts, strict=True)
        runs = (kmeans_of_many(d, None, w, s, max_iter=max_iter, tol=tol) for d, w, s in problems)
        return np.stack([run.centers for run in runs])
    n_starts, size = starts.shape[1], data[0].size
    if n_starts == 1:
        return _lloyd(data, weights, starts, max_iter, tol)[:, 0]
    if len(data) == 1 or size > SMALL:  # one problem after the other
        stacks = zip(data, weights, starts, strict=True)
        found = [_lloyd(d[None], w[None], s[None], max_iter, tol) for d, w, s in stacks]
    else:  # every start as a problem of its own
        which, each = np.repeat(np.arange(len(data)), n_starts), starts.reshape(-1, 1, *starts.shape[2:])
        parts = np.array_split(np.arange(len(each)), -(-len(each) * size // STACKED))
        found = [_lloyd(data[which[i]], weights[which[i]], each[i], max_iter, tol) for i in parts]
    centers = np.concatenate(found).reshape(starts.shape)
    best = best_run(data, weights, nearest_center(data, centers)[1])
    return np.take_along_axis(centers, best[:, None, None, None], axis=1)[:, 0]


def is_large(n_samples: int, n_starts: int, n_clusters: int) -> bool:
    """Whether it pays to look only at points that may change cluster, one start after the other."""
    return n_samples >= LARGE and (n_starts == 1 or n_samples * n_clusters >= LARGE_FROM_SEVERAL)


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


def _lloyd(data, weights, starts, max_iter, tol):
    """Run all starts of all problems to the end; runs that are done leave the stack."""
    centers = starts.copy()
    weights = weights.astype(np.float64)
    threshold = tol * mean_variance(data, weights)[:, None]
    # With one problem the starts leave one by one; with several (one start each) the problems do.
    one = len(data) == 1
    active = np.arange(starts.shape[1] if one else len(data))
    X, w, previous = data, weights, None
    for _ in range(max_iter):
        now = centers[:, active] if one else centers[active]
        labels, score = nearest_center(X, now)
        new = means(X, w, labels, score, now)
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
