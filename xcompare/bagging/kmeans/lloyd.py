"""Lloyd's K-means for an ensemble: many small problems at once, or one large problem with few distances.

scikit-learn's ``KMeans`` spends most of a small fit on set-up, and an ensemble fits hundreds of small
problems: here each iteration is one stacked matrix product for all of them. A large problem reassigns only
points whose cluster may change. Both use scikit-learn's stopping rule. A bootstrap replicate is the original
points, weighted by how often each was drawn.
"""

import numpy as np

from xcompare.bagging.kmeans.centers import best_run, mean_variance, means, nearest_center
from xcompare.bagging.kmeans.hamerly import MAX_ITER, TOL, hamerly_kmeans

LARGE = 2000  # samples from which `hamerly_kmeans` is faster ...
LARGE_SEVERAL_INIT = 16_000  # ... and, with several initializations, samples times clusters
SMALL_PROBLEM = 2**13  # values up to which a problem is copied for each initialization ...
STACK_VALUES = 2**21  # ... this many values at a time
MAX_REDRAWS = 100  # of initial centres that coincide


def kmeans(
    data: np.ndarray,
    weights: np.ndarray,
    init: np.ndarray,
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
        0 leaves a point out.
    init : ndarray of shape (n_problems, n_init, n_clusters, n_features)
        Initial centres.
    tol : float, default=1e-4
        A run stops when the squared shift of its centres is at most ``tol`` times the mean variance of
        the features; 0 runs until no label changes.

    Returns
    -------
    ndarray of shape (n_problems, n_clusters, n_features)
        Centres of the run with the smallest inertia, the first of ties.
    """
    if is_large(data.shape[2], *init.shape[1:3]):
        problems = zip(data, weights, init, strict=True)
        runs = (hamerly_kmeans(d, None, w, s, max_iter=max_iter, tol=tol) for d, w, s in problems)
        return np.stack([run.centers for run in runs])
    n_init, size = init.shape[1], data[0].size
    if n_init == 1:
        return _lloyd(data, weights, init, max_iter, tol)[:, 0]
    if len(data) == 1 or size > SMALL_PROBLEM:  # one problem after the other
        stacks = zip(data, weights, init, strict=True)
        found = [_lloyd(d[None], w[None], s[None], max_iter, tol) for d, w, s in stacks]
    else:  # every initialization as a problem of its own
        which, each = np.repeat(np.arange(len(data)), n_init), init.reshape(-1, 1, *init.shape[2:])
        parts = np.array_split(np.arange(len(each)), -(-len(each) * size // STACK_VALUES))
        found = [_lloyd(data[which[i]], weights[which[i]], each[i], max_iter, tol) for i in parts]
    centers = np.concatenate(found).reshape(init.shape)
    best = best_run(data, weights, nearest_center(data, centers)[1])
    return np.take_along_axis(centers, best[:, None, None, None], axis=1)[:, 0]


def partition(points: np.ndarray, n_clusters: int, n_init: int, rng: np.random.Generator) -> np.ndarray:
    """Labels of the best of several K-means runs on points (features first) of equal weight."""
    once = np.ones(points.shape[1], dtype=np.intp)
    init = random_initializations(points, once, n_clusters, n_init, rng)
    return nearest_center(points, kmeans(points[None], once[None], init[None]))[0][0]


def is_large(n_samples: int, n_init: int, n_clusters: int) -> bool:
    """Whether `hamerly_kmeans`, one initialization after the other, is faster."""
    return n_samples >= LARGE and (n_init == 1 or n_samples * n_clusters >= LARGE_SEVERAL_INIT)


def random_initializations(
    points: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    n_init: int,
    rng: np.random.Generator,
    features: np.ndarray | None = None,
) -> np.ndarray:
    """Initial centres: distinct points drawn at random, with probability proportional to weight.

    ``points`` of shape (n_features, n_samples) and ``weights`` of shape (n_samples,). ``features``: the
    features of the centres; None for all. Returns shape (n_init, n_clusters, n_features): the centres of an
    initialization are distinct, unless the data has hardly that many distinct points.
    """
    edges = np.cumsum(weights)

    def draw(count: int) -> np.ndarray:
        size = (count, n_clusters)
        whole = np.issubdtype(edges.dtype, np.integer)
        at = rng.integers(edges[-1], size=size) if whole else rng.random(size) * edges[-1]
        return np.searchsorted(edges, at, side="right")

    drawn = draw(n_init)
    for _ in range(MAX_REDRAWS):
        init = points.T[drawn] if features is None else points.T[drawn][..., features]
        same = (init[:, :, None] == init[:, None]).all(axis=3).sum(axis=(1, 2)) > n_clusters
        if not same.any():
            break
        drawn[same] = draw(int(same.sum()))
    return init


def _lloyd(data, weights, init, max_iter, tol):
    """Run all initializations of all problems; converged runs leave the stack."""
    centers = init.copy()
    weights = weights.astype(np.float64)
    threshold = tol * mean_variance(data, weights)[:, None]
    # A single problem drops initializations; several problems, of one initialization each, drop problems.
    one = len(data) == 1
    active = np.arange(init.shape[1] if one else len(data))
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
