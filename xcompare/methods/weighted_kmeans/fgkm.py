"""FGKM: k-means with cluster-specific weights for features and feature groups (Chen et al., 2012)."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from xcompare.methods.base import Engine, Method, Scores, linear_seconds
from xcompare.methods.weighted_kmeans.iteration import OPTIONS, weighted_kmeans

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
    max_iter: int = 100,
    tol: float = 1e-6,
    max_restarts: int = 10,
    running_max: bool = False,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Feature group k-means: each cluster has its own weights for features and groups of features.

    Minimises the squared deviations from the centres, weighted by the weights of feature and
    group in the cluster, plus ``eta`` and ``lam`` times the negative entropies of the weights.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data. Standardise first: features with small variance get large weights.
    n_clusters : int
        Number of clusters, at most n_samples.
    groups : sequence of length n_features or None, default=None
        Name or number of each feature's group. None: one group.
    lam : float, default=1.0
        Regularisation of the group weights: the larger, the more uniform.
    eta : float, default=1.0
        Regularisation of the feature weights within a group. Dispersions are sums over rows, so comparable
        values grow with n_samples; small values select a single feature per cluster.
    init : array-like of shape (n_clusters, n_features) or None, default=None
        Initial centres. None: random rows of X.
    max_iter : int, default=100
        Maximum number of iterations per initialization.
    tol : float, default=1e-6
        Relative change of the cost at which to stop.
    max_restarts : int, default=10
        Restarts from new rows if a cluster becomes empty. After the last, an empty cluster keeps its
        centre and equal weights, with a message in ``warnings``.
    running_max : bool, default=False
        Whether to subtract the largest exponent of all clusters so far before exponentiation, instead
        of the cluster's own, as the R package wskm does. It changes the result only if the
        exponentials of a cluster underflow (dispersions some 700 times ``eta`` apart, thousands
        of rows), towards equal weights. R with wskm installed always does this.
    random_state : int, Generator or None, default=None
        For the rows drawn initially and at restarts. The rows are those of
        ``set.seed(random_state)`` in R; 0 is replaced by 2147483647, as 0 means no seed in wskm.
        None: different rows each time.
    engine : {"python", "r"}, default="python"
        ``"r"`` computes the same in R, with wskm if installed.

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): weight of the feature times weight of its group, the maximum over
        the clusters. ``labels``: the partition. ``details``: ``centers`` and ``feature_weights`` of shape
        (n_clusters, n_features), the weights summing to 1 within a group; ``group_weights`` of shape
        (n_clusters, n_groups), groups in sorted order, summing to 1; ``groups``, the column of
        ``group_weights`` each feature belongs to; ``cost``, the objective; ``n_iter`` of the last
        initialization; ``n_restarts``.

    Notes
    -----
    Steps and ties follow wskm: a row at equal distance to two centres is assigned to the later one, weights
    are at least 1e-5 / (number of weights), and the last row is never drawn as an initial centre.

    References
    ----------
    Chen, Ye, Xu and Huang (2012), A feature group weighting method for subspace clustering of
    high-dimensional data, Pattern Recognition 45(1), 434-446, doi:10.1016/j.patcog.2011.06.004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from xcompare.core.standardization import standardize
    >>> X = standardize(load_iris().data)
    >>> result = fgkm(X, 3, groups=["sepal", "sepal", "petal", "petal"], lam=6, eta=30, random_state=1)
    >>> np.bincount(result.labels)
    array([50, 52, 48])
    >>> result.scores.round(2)
    array([0.02, 0.02, 0.49, 0.49])
    """
    return weighted_kmeans(
        X,
        n_clusters,
        per_cluster=True,
        groups=groups,
        lam=lam,
        eta=eta,
        init=init,
        max_iter=max_iter,
        tol=tol,
        max_restarts=max_restarts,
        random_state=random_state,
        engine=engine,
        running_max=running_max,
    )


FGKM = Method(
    name="fgkm",
    title="FGKM",  # one group, lam = eta = 1: the row called TWKM in the bagging paper
    run=fgkm,
    reference=REFERENCE,
    family="weighted K-means",
    options=OPTIONS,
    r_preferred=("wskm",),
    seconds=partial(linear_seconds, 2e-7),
)
