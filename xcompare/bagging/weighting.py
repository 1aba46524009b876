"""One clustering of all rows in all features, which count by their importances as far as that helps.

K-means on all features loses few informative ones among many; weighting squared distances by importance
brings them out. Where every feature has its part, weights that are themselves estimates only blur. So
several strengths are tried, none among them, and each is held against the same data with every column
permuted: the strength whose clusters lie farther apart than chance explains by the largest factor is
taken. That is how sparse K-means chooses its weights (Witten and Tibshirani, 2010,
doi:10.1198/jasa.2010.tm09415).
"""

import numpy as np

from xcompare.bagging.centers import nearest_center
from xcompare.bagging.kmeans import kmeans, random_starts
from xcompare.bagging.redundancy import Groups
from xcompare.threads import one_blas_thread

STRENGTHS = (0.0, 0.5, 1.0)  # powers of the importance that squared distances are multiplied by
STARTS = 20
PERMUTED, PERMUTED_STARTS = 8, 5
MAX_ROWS = 2000  # the strength is chosen by at most so many rows, evenly spaced


def cluster_by_importance(
    points: np.ndarray,
    importances: np.ndarray,
    n_clusters: int,
    rng: np.random.Generator,
    groups: Groups = (),
    row_weights: np.ndarray | None = None,
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
    with one_blas_thread():
        gaps = [_gap(some * space[:, None], n_clusters, rng) for space in spaces]
        space = spaces[int(np.argmax(gaps))]
        return _centers(points * space[:, None], n_clusters, STARTS, rng, row_weights), space


def _gap(points: np.ndarray, n_clusters: int, rng: np.random.Generator) -> float:
    """How far apart the clusters lie, as a multiple of what they do when columns are permuted; its log."""
    apart = _between(points, n_clusters, STARTS, rng)
    by_chance = [
        _between(rng.permuted(points, axis=1), n_clusters, PERMUTED_STARTS, rng) for _ in range(PERMUTED)
    ]
    return float(np.log(apart) - np.mean(np.log(by_chance)))


def _between(points: np.ndarray, n_clusters: int, n_starts: int, rng: np.random.Generator) -> float:
    """Sum of squares between the clusters that K-means finds."""
    centers = _centers(points, n_clusters, n_starts, rng)
    within = (nearest_center(points, centers[None])[1][0] + np.square(points).sum(axis=0)).sum()
    total = np.square(points - points.mean(axis=1, keepdims=True)).sum()
    return max(total - within, np.finfo(float).tiny)


def _centers(
    points: np.ndarray,
    n_clusters: int,
    n_starts: int,
    rng: np.random.Generator,
    row_weights: np.ndarray | None = None,
) -> np.ndarray:
    counts = np.ones(points.shape[1], dtype=np.intp) if row_weights is None else row_weights
    starts = random_starts(points, counts, n_clusters, n_starts, rng)
    return kmeans(points[None], counts[None], starts[None])[0]
