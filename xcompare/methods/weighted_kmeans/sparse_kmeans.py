"""Sparse K-means: K-means with sparse feature weights (Witten and Tibshirani, 2010)."""

from functools import partial
from numbers import Real

import numpy as np

from xcompare.bagging.kmeans.centers import nearest_center
from xcompare.bagging.kmeans.lloyd import kmeans, random_initializations
from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.core.seeds import as_seed
from xcompare.core.threads import one_blas_thread
from xcompare.methods.base import PYTHON, SOFTWARE, Engine, Method, Scores, linear_seconds
from xcompare.methods.measures import eta_squared
from xcompare.methods.option import Option, option_table

REFERENCE = (
    "Witten, Tibshirani (2010), A framework for feature selection in clustering,"
    " doi:10.1198/jasa.2010.tm09415"
)
N_BOUNDS = 10
MOST_ROUNDS = 20  # of updating clusters and weights; about five are typical
TOLERANCE = 1e-4  # change of the weights, relative to their sum
TUNING_ROWS = 1000  # used to choose the bound


def sparse_kmeans(
    X: np.ndarray,
    n_clusters: int,
    *,
    l1_bound: float | None = None,
    n_permutations: int = 10,
    n_init: int = 10,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Feature weights of sparse K-means.

    Maximises ``sum_j w_j between_j`` over clusters and weights w, where between_j is the between-cluster sum
    of squares of feature j, subject to ``|w|_2 = 1``, ``|w|_1 <= s`` and w >= 0. Two steps alternate: K-means
    on the weighted features, and weights from the soft-thresholded between_j; the smaller s, the fewer
    features have nonzero weights.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
        Number of clusters, from 2 to n_samples.
    l1_bound : float or None, default=None
        s, from 1 to the square root of n_features. None: chosen from ten values between 1.2 and 0.9 times
        that root by the gap statistic, the difference between the log of the objective and its mean over
        data with permuted columns; at most 1,000 rows, drawn at random, are used.
    n_permutations : int, default=10
        Number of permuted datasets for the choice of s.
    n_init : int, default=10
        Number of initializations of K-means.
    random_state : int, Generator or None, default=None
        For the initializations and the permutations.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): the weights, larger means more important, 0 is not selected;
        ``labels``; ``details`` with "l1_bound" and, if it was chosen, "l1_bounds" and "gaps".

    References
    ----------
    Witten, D. M., Tibshirani, R. (2010). A framework for feature selection in clustering. Journal of the
    American Statistical Association 105(490). doi:10.1198/jasa.2010.tm09415

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.core.standardization import standardize
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 6))
    >>> X[:30, :2] += 4
    >>> sparse_kmeans(standardize(X), 2, l1_bound=1.4, random_state=0).scores.round(1)
    array([0.6, 0.8, 0. , 0. , 0. , 0. ])
    """
    check_choice("engine", engine, PYTHON)
    X = check_data(X, min_samples=2, squares=True)
    check_integer("n_clusters", n_clusters, 2, len(X))
    check_integer("n_permutations", n_permutations, 1)
    check_integer("n_init", n_init, 1)
    largest = np.sqrt(X.shape[1])
    if l1_bound is not None and not (isinstance(l1_bound, Real) and 1 <= l1_bound <= largest):
        raise ValueError(f"l1_bound must be a number from 1 to {largest:.4g}; got {l1_bound!r}")
    rng = np.random.default_rng(as_seed(random_state))
    details = {}
    with one_blas_thread():
        if l1_bound is None:
            bounds = np.minimum(np.geomspace(1.2, max(0.9 * largest, 1.2), N_BOUNDS), largest)
            gaps = _gaps(X, n_clusters, bounds, n_permutations, n_init, rng)
            l1_bound = bounds[gaps.argmax()]
            details = {"l1_bounds": bounds, "gaps": gaps}
        start = _clusters(X, np.ones(X.shape[1]), n_clusters, n_init, rng)
        weights, labels, _ = _alternate(X, n_clusters, float(l1_bound), start, n_init, rng)
    return Scores(weights, SOFTWARE, labels, details={"l1_bound": float(l1_bound), **details})


def sparse_weights(between: np.ndarray, bound: float) -> np.ndarray:
    """Weights that maximise ``weights @ between``.

    ``between`` of shape (n_features,): at least 0. ``bound``: on the sum of the weights, at least 1. Returns
    shape (n_features,): at least 0, squares sum to 1. If the m largest are equal, all of them are selected,
    and their sum is the square root of m even if the bound is lower.

    Notes
    -----
    The weights are ``between`` soft-thresholded at t and scaled. With b the mean and v the sum of squared
    deviations of the m values above t, the bound s gives ``t = b - s sqrt(v / (m (m - s^2)))``.

    Examples
    --------
    >>> sparse_weights(np.array([4.0, 3.0, 0.0]), 1.2).round(3)
    array([0.974, 0.226, 0.   ])
    """
    if np.abs(between).sum() <= bound * np.linalg.norm(between):
        norm = np.linalg.norm(between)
        return between / norm if norm > 0 else np.full(len(between), len(between) ** -0.5)
    ordered = np.sort(between)[::-1]
    m = np.arange(1, len(ordered) + 1)
    mean = np.cumsum(ordered) / m
    deviations = np.maximum(np.cumsum(ordered**2) - m * mean**2, 0.0)
    room = m - bound**2
    with np.errstate(divide="ignore", invalid="ignore"):
        threshold = mean - bound * np.sqrt(deviations / (m * room))
    following = np.append(ordered[1:], 0.0)
    fits = (room > 0) & (threshold >= following) & (threshold < ordered)
    t = threshold[fits.argmax()] if fits.any() else np.append(ordered[ordered < ordered[0]], 0.0)[0]
    above = np.maximum(between - t, 0.0)
    return above / np.linalg.norm(above)


def _gaps(
    X: np.ndarray, n_clusters: int, bounds: np.ndarray, n_permutations: int, n_init: int, rng
) -> np.ndarray:
    """Gap statistic of each bound: log objective minus its mean over data with permuted columns."""
    if len(X) > TUNING_ROWS:
        X = X[rng.choice(len(X), max(TUNING_ROWS, n_clusters), replace=False)]
    logs = []
    for data in (X, *(rng.permuted(X, axis=0) for _ in range(n_permutations))):
        start = _clusters(data, np.ones(X.shape[1]), n_clusters, n_init, rng)
        found = [_alternate(data, n_clusters, bound, start, n_init, rng)[2] for bound in bounds]
        logs.append(np.log(np.maximum(found, np.finfo(float).tiny)))
    return logs[0] - np.mean(logs[1:], axis=0)


def _alternate(
    X: np.ndarray, n_clusters: int, bound: float, labels: np.ndarray, n_init: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, float]:
    """Weights, clusters and objective, initialized with the unweighted clusters."""
    spread = np.square(X - X.mean(axis=0)).sum(axis=0)
    weights = np.full(X.shape[1], X.shape[1] ** -0.5)
    for _ in range(MOST_ROUNDS):
        between = spread * eta_squared(X, labels, None, None)
        before, weights = weights, sparse_weights(between, bound)
        if np.abs(weights - before).sum() <= TOLERANCE * before.sum():
            break
        labels = _clusters(X, weights, n_clusters, n_init, rng, labels)
    return weights, labels, float(weights @ between)


def _clusters(
    X: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    n_init: int,
    rng: np.random.Generator,
    labels: np.ndarray | None = None,
) -> np.ndarray:
    """K-means on the weighted features, initialized at random and with the current clusters."""
    used = weights > 0
    data = np.ascontiguousarray((X[:, used] * np.sqrt(weights[used])).T)
    counts = np.ones(len(X), dtype=int)
    starts = random_initializations(data, counts, n_clusters, n_init, rng)
    if labels is not None:
        member = (labels == np.arange(n_clusters)[:, None]).astype(float)
        starts[0] = member @ data.T / np.maximum(member.sum(axis=1), 1)[:, None]
    centers = kmeans(data[None], counts[None].astype(float), starts[None])
    return nearest_center(data, centers)[0][0].astype(np.intp)


SPARSE_KMEANS = Method(
    name="sparse_kmeans",
    title="Sparse K-means",
    run=sparse_kmeans,
    reference=REFERENCE,
    family="weighted K-means",
    default=False,
    options=option_table(
        Option(
            "l1_bound", "bound on the sum of weights; None: by the gap statistic", "number", 1, or_none=True
        ),
        Option("n_permutations", "permuted tables of the gap statistic", least=1),
        Option("n_init", "initializations of K-means", least=1),
    ),
    wide=True,
    engines=PYTHON,
    seconds=partial(linear_seconds, 6e-7),
)
