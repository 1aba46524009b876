"""FGKM: k-means with weights for features and groups of features, cluster by cluster (Chen et al., 2012)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from xcompare.methods import _weighted_kmeans
from xcompare.methods._base import Engine, Method, Scores
from xcompare.methods._weighted_kmeans import WeightedKMeans

REFERENCE = (
    "Chen, Ye, Xu, Huang (2012), A feature group weighting method for subspace clustering of "
    "high-dimensional data, Pattern Recognition 45(1), 434-446, doi:10.1016/j.patcog.2011.06.004"
)


def fgkm(
    X: npt.ArrayLike,
    n_clusters: int,
    *,
    groups: Sequence[object] | np.ndarray | None = None,
    lam: float = 1.0,
    eta: float = 1.0,
    init: npt.ArrayLike | None = None,
    seed: int | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    max_restarts: int = 10,
    running_max: bool = False,
    engine: Engine = "python",
) -> WeightedKMeans:
    """Feature group k-means: each cluster has its own weights for features and for groups of them.

    Minimises the squared deviations from the centres, each weighted by its feature's and its
    group's weight in the cluster, plus ``eta`` and ``lam`` times the weights' negative entropies.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data. Standardise first: a feature with little spread gets the weight.
    n_clusters : int
        Number of clusters, at most n_samples.
    groups : sequence of length n_features or None, default=None
        Name or number of each feature's group; None puts all in one.
    lam : float, default=1.0
        Evenness of group weights: the larger, the more even.
    eta : float, default=1.0
        Evenness of feature weights within a group. Dispersions are sums over rows, so the value
        that spreads the weights grows with n_samples; small ones leave one feature per cluster.
    init : array-like of shape (n_clusters, n_features) or None, default=None
        Starting centres; None draws rows of X.
    seed : int or None, default=None
        For the rows drawn, also where a cluster empties and the run restarts. The rows are those
        ``set.seed(seed)`` gives in R. None: other rows each time.
    max_iter : int, default=100
        Iterations from one start.
    tol : float, default=1e-6
        Stop when the cost changes by no more than this share of itself.
    max_restarts : int, default=10
        Starts from new rows when a cluster empties. After the last, an empty cluster keeps its
        centre and equal weights, and the result says so in ``warnings``.
    running_max : bool, default=False
        Before exponentials are taken, subtract the largest exponent of the clusters so far instead
        of the cluster's own, as the R package wskm does. It changes the result only where the
        exponentials of a cluster then underflow (dispersions some 700 times ``eta`` apart, thousands
        of rows), and there towards equal weights. R with wskm installed always does this.
    engine : {"python", "r"}, default="python"
        ``"r"`` computes the same in R, with wskm where it is installed.

    Returns
    -------
    WeightedKMeans
        With ``labels``, ``centers``, ``feature_weights`` (n_clusters, n_features), ``group_weights``
        (n_clusters, n_groups), ``importances`` (the largest product of the two over the clusters),
        ``cost``, ``n_iter``, ``n_restarts``, ``software``, ``warnings``, ``output``.

    Notes
    -----
    Steps and ties are those of wskm: a row as near to two centres goes to the later one, no weight
    falls below 1e-5 / (number of weights), the last row is never drawn as a start.

    References
    ----------
    Chen, Ye, Xu and Huang (2012), A feature group weighting method for subspace clustering of
    high-dimensional data, Pattern Recognition 45(1), 434-446, doi:10.1016/j.patcog.2011.06.004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    >>> result = fgkm(X, 3, groups=["sepal", "sepal", "petal", "petal"], lam=6, eta=30, seed=1)
    >>> np.bincount(result.labels)
    array([50, 52, 48])
    >>> result.importances.round(2)
    array([0.02, 0.02, 0.49, 0.49])
    """
    problem = _weighted_kmeans.check(
        X,
        n_clusters,
        groups=groups,
        lam=lam,
        eta=eta,
        init=init,
        seed=seed,
        max_iter=max_iter,
        tol=tol,
        max_restarts=max_restarts,
    )
    return _weighted_kmeans.run(problem, engine, per_cluster=True, running_max=running_max)


def _run(X: np.ndarray, *, n_clusters: int, seed: int | None, engine: Engine, **options) -> Scores:
    return fgkm(X, n_clusters, seed=seed, engine=engine, **options).scores()


FGKM = Method(
    name="fgkm",
    title="FGKM",  # one group, lam = eta = 1: the row that the bagging paper prints as TWKM
    run=_run,
    larger_is_better=True,
    normalization="max",
    reference=REFERENCE,
    options=("lam", "eta", "groups"),
    r_preferred=("wskm",),
)
