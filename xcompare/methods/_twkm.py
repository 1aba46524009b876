"""TWKM: k-means with one weight per feature and per group of features (Chen et al., 2013)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from xcompare.methods import _weighted_kmeans
from xcompare.methods._base import Engine, Method, Scores
from xcompare.methods._weighted_kmeans import WeightedKMeans

REFERENCE = (
    "Chen, Xu, Huang, Ye (2013), TW-k-means: automated two-level variable weighting clustering algorithm "
    "for multiview data, IEEE TKDE 25(4), 932-944, doi:10.1109/TKDE.2011.262"
)


def twkm(
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
    engine: Engine = "python",
) -> WeightedKMeans:
    """Two-level weighted k-means: weights for features and for groups of them, shared by all clusters.

    Minimises the squared deviations from the centres, each weighted by its feature's and its
    group's weight, plus ``eta`` and ``lam`` times the weights' negative entropies.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data. Standardise first: a feature with little spread gets the weight.
    n_clusters : int
        Number of clusters, at most n_samples.
    groups : sequence of length n_features or None, default=None
        Name or number of each feature's group (view); None puts all in one.
    lam : float, default=1.0
        Evenness of group weights: the larger, the more even.
    eta : float, default=1.0
        Evenness of feature weights within a group. Dispersions are sums over rows, so the value
        that spreads the weights grows with n_samples; small ones leave one feature.
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
        centre, and the result says so in ``warnings``.
    engine : {"python", "r"}, default="python"
        ``"r"`` computes the same in R, with wskm where it is installed.

    Returns
    -------
    WeightedKMeans
        With ``labels``, ``centers``, ``feature_weights`` (n_features,), ``group_weights`` (n_groups,),
        ``importances`` (feature weight times the weight of its group), ``cost``, ``n_iter``,
        ``n_restarts``, ``software``, ``warnings``, ``output``.

    Notes
    -----
    Steps and ties are those of the R package wskm; see :func:`xcompare.methods._fgkm.fgkm`. The row
    that the bagging paper prints as TWKM is FGKM with one group.

    References
    ----------
    Chen, Xu, Huang and Ye (2013), TW-k-means: automated two-level variable weighting clustering
    algorithm for multiview data, IEEE TKDE 25(4), 932-944, doi:10.1109/TKDE.2011.262.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    >>> result = twkm(X, 3, lam=20, eta=20, seed=1)
    >>> result.feature_weights.round(2)
    array([0.05, 0.01, 0.46, 0.47])
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
    return _weighted_kmeans.run(problem, engine, per_cluster=False)


def _run(X: np.ndarray, *, n_clusters: int, seed: int | None, engine: Engine, **options) -> Scores:
    return twkm(X, n_clusters, seed=seed, engine=engine, **options).scores()


TWKM = Method(
    name="twkm",
    title="TWKM",
    run=_run,
    larger_is_better=True,
    normalization="max",
    reference=REFERENCE,
    options=("lam", "eta", "groups"),
    r_preferred=("wskm",),
)
