"""TWKM: k-means with one weight per feature and per group of features (Chen et al., 2013)."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from xcompare.methods.base import Engine, Method, Scores, linear_seconds
from xcompare.methods.weighted_kmeans.iteration import OPTIONS, weighted_kmeans

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
    max_iter: int = 100,
    tol: float = 1e-6,
    max_restarts: int = 10,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Two-level weighted k-means: weights for features and groups of features, shared by all clusters.

    Minimises the squared deviations from the centres, weighted by the weights of feature and
    group, plus ``eta`` and ``lam`` times the negative entropies of the weights.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data. Standardise first: features with small variance get large weights.
    n_clusters : int
        Number of clusters, at most n_samples.
    groups : sequence of length n_features or None, default=None
        Name or number of each feature's group (view). None: one group.
    lam : float, default=1.0
        Regularisation of the group weights: the larger, the more uniform.
    eta : float, default=1.0
        Regularisation of the feature weights within a group. Dispersions are sums over rows, so comparable
        values grow with n_samples; small values select a single feature.
    init, max_iter, tol, max_restarts, random_state, engine
        As in `fgkm`.

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): weight of the feature times weight of its group. Otherwise as in
        `fgkm`, with one weight for all clusters: ``details["feature_weights"]`` of shape (n_features,),
        ``details["group_weights"]`` of shape (n_groups,).

    Notes
    -----
    Steps and ties follow the R package wskm; see `fgkm`. The row
    called TWKM in the bagging paper is FGKM with one group.

    References
    ----------
    Chen, Xu, Huang and Ye (2013), TW-k-means: automated two-level variable weighting clustering
    algorithm for multiview data, IEEE TKDE 25(4), 932-944, doi:10.1109/TKDE.2011.262.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from xcompare.core.standardization import standardize
    >>> X = standardize(load_iris().data)
    >>> result = twkm(X, 3, lam=20, eta=20, random_state=1)
    >>> result.details["feature_weights"].round(2)
    array([0.05, 0.01, 0.46, 0.47])
    """
    return weighted_kmeans(
        X,
        n_clusters,
        per_cluster=False,
        groups=groups,
        lam=lam,
        eta=eta,
        init=init,
        max_iter=max_iter,
        tol=tol,
        max_restarts=max_restarts,
        random_state=random_state,
        engine=engine,
    )


TWKM = Method(
    name="twkm",
    title="TWKM",
    run=twkm,
    reference=REFERENCE,
    family="weighted K-means",
    options=OPTIONS,
    r_preferred=("wskm",),
    seconds=partial(linear_seconds, 2e-7),
)
