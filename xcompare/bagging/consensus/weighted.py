"""One clustering of all rows in all features, which count by their importances as far as that helps.

K-means on all features loses few informative ones among many; weighting squared distances by importance
brings them out. Where every feature has its part, weights that are themselves estimates only blur. So
several strengths are tried, none among them, and each is held against the same data with every column
permuted: the strength whose clusters lie farther apart than chance explains by the largest factor is
taken. That is how sparse K-means chooses its weights (Witten and Tibshirani, 2010,
doi:10.1198/jasa.2010.tm09415).
"""

from collections.abc import Iterator

import numpy as np
from joblib import Parallel, delayed

from xcompare.bagging.kmeans.centers import first_of_smallest, nearest_center
from xcompare.bagging.kmeans.hamerly import hamerly_kmeans
from xcompare.bagging.kmeans.lloyd import is_large, kmeans, random_initializations
from xcompare.bagging.redundancy import Groups
from xcompare.core.threads import one_blas_thread

STRENGTHS = (0.0, 0.5, 1.0)  # powers of the importance that squared distances are multiplied by
N_INIT = 20  # of the consensus itself
N_PERMUTED = 4  # tables with permuted columns
N_INIT_COMPARED = 3  # of the data and of each permuted table
MAX_ROWS = 2000  # the strength is chosen by at most so many rows, evenly spaced


def cluster_by_importance(
    points: np.ndarray,
    importances: np.ndarray,
    n_clusters: int,
    rng: np.random.Generator,
    groups: Groups = (),
    row_weights: np.ndarray | None = None,
    parallel: Parallel | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Centres of all rows, and what each feature is multiplied by before they are the nearest.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
        Standardised.
    importances : ndarray of shape (n_features,)
    n_clusters : int
    rng : numpy.random.Generator
    groups : tuple of tuple of int, default=()
        Features that count as one.
    row_weights : ndarray of shape (n_samples,) or None, default=None
        How much each row counts for the centres; None: all alike.
    parallel : joblib.Parallel or None, default=None
        Whose workers run K-means.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
    space : ndarray of shape (n_features,)
        All 1 where weights do not help and there are no groups.

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
        tables = _with_permuted(some, n_clusters, rng)
        between = np.array(parallel(delayed(_between)(*table, spaces) for table in tables))
        # How far apart clusters lie, as a multiple of what they do when columns are permuted.
        gaps = np.log(between[0]) - np.log(between[1:]).mean(axis=0)
        space = spaces[int(np.argmax(gaps))]
        weighted = points * space[:, None]
        counts = np.ones(n, dtype=np.intp) if row_weights is None else row_weights
        init = random_initializations(weighted, counts, n_clusters, N_INIT, rng)
        return _best_centers(weighted, counts, init, parallel), space


def _with_permuted(
    points: np.ndarray, n_clusters: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Points and starting centres, then the same with permuted columns, one after the other: few are kept."""
    counts = np.ones(points.shape[1], dtype=np.intp)
    for i in range(1 + N_PERMUTED):
        table = points if i == 0 else rng.permuted(points, axis=1)
        yield table, random_initializations(table, counts, n_clusters, N_INIT_COMPARED, rng)


def _between(points: np.ndarray, init: np.ndarray, spaces: list[np.ndarray]) -> list[float]:
    """Sums of squares between the clusters that K-means finds in each space.

    All spaces have the same permutations and starting rows: what is compared is the spaces, not chance.
    """
    with one_blas_thread():
        stack = np.stack([points * space[:, None] for space in spaces])
        found = kmeans(
            stack,
            np.ones((len(stack), points.shape[1]), dtype=np.intp),
            np.stack([init * space for space in spaces]),
        )
        return [_sum_between(*one) for one in zip(stack, found, strict=True)]


def _sum_between(points: np.ndarray, centers: np.ndarray) -> float:
    """Sum of squares between clusters."""
    within = (nearest_center(points, centers[None])[1][0] + np.square(points).sum(axis=0)).sum()
    total = np.square(points - points.mean(axis=1, keepdims=True)).sum()
    return max(total - within, np.finfo(float).tiny)


def _best_centers(points: np.ndarray, counts: np.ndarray, init: np.ndarray, parallel: Parallel) -> np.ndarray:
    """Centres by the best of several init; with many points, each is a task."""
    if not is_large(points.shape[1], *init.shape[:2]):
        return kmeans(points[None], counts[None], init[None])[0]
    runs = parallel(delayed(_run)(points, counts, start) for start in init)
    inertia, total, centers = zip(*runs, strict=True)
    return centers[first_of_smallest(np.array(inertia), total[0])]


def _run(points: np.ndarray, counts: np.ndarray, start: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Sum of squares of one run of K-means, less what all runs share, its scale, and the centres."""
    with one_blas_thread():
        run = hamerly_kmeans(points, None, counts, start[None])
        return run.inertia, run.total, run.centers
