"""Consensus by K-means on all rows, with features weighted by importance if that helps.

With few informative features among many, weighting squared distances by importance improves K-means; with
only informative features, estimated weights add noise. So several powers of the importance are compared,
including 0, by the gap statistic of sparse K-means (Witten and Tibshirani, 2010,
doi:10.1198/jasa.2010.tm09415): the log of the sum of squares between clusters, less its mean over tables
with permuted columns.
"""

from collections.abc import Iterator

import numpy as np
from joblib import Parallel, delayed

from xcompare.bagging.kmeans.centers import first_of_smallest, nearest_center
from xcompare.bagging.kmeans.hamerly import hamerly_kmeans
from xcompare.bagging.kmeans.lloyd import is_large, kmeans, random_initializations
from xcompare.bagging.redundancy import Groups
from xcompare.core.threads import one_blas_thread

STRENGTHS = (0.0, 0.5, 1.0)  # powers of the importance, the weights of squared distances
N_INIT = 20  # of the consensus
N_PERMUTED = 4  # tables with permuted columns
N_INIT_COMPARED = 3  # of the data and of each permuted table
MAX_ROWS = 2000  # rows, evenly spaced, that the strength is chosen from


def cluster_by_importance(
    points: np.ndarray,
    importances: np.ndarray,
    n_clusters: int,
    rng: np.random.Generator,
    groups: Groups = (),
    row_weights: np.ndarray | None = None,
    parallel: Parallel | None = None,
    block: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the weighted data, and the factor of each feature.

    ``importances`` of shape (n_features,). ``points`` of shape (n_features, n_samples): standardised.
    ``groups``: features that count as one. ``row_weights`` of shape (n_samples,) or None: None for equal
    weights. ``parallel``: runs K-means. ``block`` of shape (n_features,) or None: which dimensions are one
    feature, and are permuted together; None: each is its own. Returns ``centers`` of shape (n_clusters,
    n_features); ``space`` of shape (n_features,): all 1 if weights do not help and there are no groups.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(30, 120))
    >>> x[:2, :60] += 4
    >>> centers, space = cluster_by_importance(x, np.r_[1.0, 1.0, np.full(28, 0.1)], 2, rng)
    >>> space[:3].round(2)
    array([1.  , 1.  , 0.32])
    """
    if not importances.any():
        importances = np.ones_like(importances)
    n = points.shape[1]
    some = points[:, np.linspace(0, n - 1, min(n, MAX_ROWS)).astype(np.intp)]
    shares = np.ones_like(importances)
    for group in groups:
        shares[list(group)] = 1 / len(group)
    spaces = [np.sqrt(shares * np.clip(importances, 0.0, None) ** strength) for strength in STRENGTHS]
    parallel = Parallel() if parallel is None else parallel
    with one_blas_thread():
        tables = _with_permuted(some, n_clusters, rng, block)
        between = np.array(parallel(delayed(_between)(*table, spaces) for table in tables))
        gaps = np.log(between[0]) - np.log(between[1:]).mean(axis=0)
        space = spaces[int(np.argmax(gaps))]
        del some, tables
        weighted = points if (space == 1).all() else points * space[:, None]
        counts = np.ones(n, dtype=np.intp) if row_weights is None else row_weights
        init = random_initializations(weighted, counts, n_clusters, N_INIT, rng)
        return _best_centers(weighted, counts, init, parallel), space


def _with_permuted(
    points: np.ndarray, n_clusters: int, rng: np.random.Generator, block: np.ndarray | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Points and initial centres, then the same with permuted columns; lazily, to save memory."""
    counts = np.ones(points.shape[1], dtype=np.intp)
    for i in range(1 + N_PERMUTED):
        table = points if i == 0 else _permuted(points, rng, block)
        yield table, random_initializations(table, counts, n_clusters, N_INIT_COMPARED, rng)


def _permuted(points: np.ndarray, rng: np.random.Generator, block: np.ndarray | None) -> np.ndarray:
    """Points with each feature permuted."""
    if block is None:
        return rng.permuted(points, axis=1)
    starts = np.flatnonzero(np.diff(block)) + 1
    return np.vstack([rng.permutation(part, axis=1) for part in np.split(points, starts)])


def _between(points: np.ndarray, init: np.ndarray, spaces: list[np.ndarray]) -> list[float]:
    """Sums of squares between the clusters that K-means finds in each space.

    All spaces share permutations and initial rows, which reduces the variance of their comparison.
    """
    once, found = np.ones((1, points.shape[1]), dtype=np.intp), []
    with one_blas_thread():
        for space in spaces:
            scaled = points * space[:, None]
            found.append(_sum_between(scaled, kmeans(scaled[None], once, (init * space)[None])[0]))
    return found


def _sum_between(points: np.ndarray, centers: np.ndarray) -> float:
    """Sum of squares between clusters."""
    within = (nearest_center(points, centers[None])[1][0] + np.square(points).sum(axis=0)).sum()
    total = np.square(points - points.mean(axis=1, keepdims=True)).sum()
    return max(total - within, np.finfo(float).tiny)


def _best_centers(points: np.ndarray, counts: np.ndarray, init: np.ndarray, parallel: Parallel) -> np.ndarray:
    """Centres of the best initialization; with many points, each is a task."""
    if not is_large(points.shape[1], *init.shape[:2]):
        return kmeans(points[None], counts[None], init[None])[0]
    runs = parallel(delayed(_run)(points, counts, centers) for centers in init)
    inertia, total, found = zip(*runs, strict=True)
    return found[first_of_smallest(np.array(inertia), total[0])]


def _run(points: np.ndarray, counts: np.ndarray, init: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Inertia of one run of K-means, up to a constant, its scale, and the centres."""
    with one_blas_thread():
        run = hamerly_kmeans(points, None, counts, init[None])
        return run.inertia, run.total, run.centers
