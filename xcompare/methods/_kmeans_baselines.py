"""What one plain K-means says about the features: the baselines that bagging and weighting must beat."""

from importlib.metadata import version

import numpy as np
from sklearn.cluster import KMeans
from sklearn.inspection import permutation_importance
from sklearn.metrics import adjusted_rand_score

from xcompare.bagging.entropy import mutual_information
from xcompare.bagging.estimator import CAP
from xcompare.checks import check_data
from xcompare.methods._base import SOFTWARE, Engine, Method, Scores

MAX_ITER = 50  # as in a replica of the bag

WITH_SKLEARN = f"{SOFTWARE}, scikit-learn {version('scikit-learn')}"


def one_kmeans(X: np.ndarray, n_clusters: int, seed: int | None) -> KMeans:
    """K-means from one random start, fitted to all features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_clusters : int
    seed : int or None

    Returns
    -------
    KMeans
    """
    X = check_data(X)
    if n_clusters > len(X):
        raise ValueError(f"{len(X)} rows cannot make n_clusters={n_clusters} clusters; ask for fewer")
    return KMeans(n_clusters, init="random", n_init=1, max_iter=MAX_ITER, random_state=seed).fit(X)


def mi_kmeans(X: np.ndarray, n_clusters: int, *, seed: int | None = None) -> np.ndarray:
    """Mutual information of each feature with the labels of one K-means.

    The information and its cap are those of one replica of the bag, with no resampling, all features
    and no averaging: the difference to the bagged rows is what bagging adds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
    seed : int or None, default=None
        For the start of K-means.

    Returns
    -------
    ndarray of shape (n_features,)
        Nats, clipped to [0, 1]. Larger means more important.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(np.repeat([0, 8], 50)), rng.normal(size=100)])
    >>> mi_kmeans((X - X.mean(axis=0)) / X.std(axis=0, ddof=1), 2, seed=0).argmax()
    np.int64(0)
    """
    return _informed(one_kmeans(X, n_clusters, seed), X)


def perm_kmeans(X: np.ndarray, n_clusters: int, *, n_repeats: int = 5, seed: int | None = None) -> np.ndarray:
    """Permutation importance of one K-means: agreement with its own labels lost to permuting a feature.

    The adjusted Rand index between the labels of the fitted K-means and those it predicts with one
    column permuted, subtracted from 1; mean over the repeats. Computed by scikit-learn's
    ``permutation_importance``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
    n_repeats : int, default=5
        Times each column is permuted.
    seed : int or None, default=None
        For the start of K-means and the permutations.

    Returns
    -------
    ndarray of shape (n_features,)
        About 0 to 1. Larger means more important.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(np.repeat([0, 8], 50)), rng.normal(size=100)])
    >>> perm_kmeans((X - X.mean(axis=0)) / X.std(axis=0, ddof=1), 2, seed=0).argmax()
    np.int64(0)
    """
    return _permuted(one_kmeans(X, n_clusters, seed), X, n_repeats, seed)


def _informed(model: KMeans, X: np.ndarray) -> np.ndarray:
    """Information each feature shares with the labels of a fitted K-means, clipped as in the bag."""
    return np.clip(mutual_information(X, model.labels_), 0.0, CAP)


def _permuted(model: KMeans, X: np.ndarray, n_repeats: int, seed: int | None) -> np.ndarray:
    """Permutation importance of a fitted K-means, scored against its own labels."""

    def agreement(model: KMeans, X: np.ndarray, labels: np.ndarray) -> float:
        return adjusted_rand_score(labels, model.predict(X))

    result = permutation_importance(
        model, X, model.labels_, scoring=agreement, n_repeats=n_repeats, random_state=seed
    )
    return result.importances_mean


def _run_mi(X: np.ndarray, *, n_clusters: int, seed: int | None, engine: Engine) -> Scores:
    """One run for the registry."""
    model = one_kmeans(X, n_clusters, seed)
    return Scores(_informed(model, X), WITH_SKLEARN, model.labels_)


def _run_perm(
    X: np.ndarray, *, n_clusters: int, seed: int | None, engine: Engine, n_repeats: int = 5
) -> Scores:
    """One run for the registry."""
    model = one_kmeans(X, n_clusters, seed)
    return Scores(_permuted(model, X, n_repeats, seed), WITH_SKLEARN, model.labels_)


MI_KMEANS = Method(
    name="mi_kmeans",
    title="MI of K-means",
    run=_run_mi,
    larger_is_better=True,
    normalization="max",
    reference="baseline: mutual information with the labels of one K-means",
    engines=("python",),
)

PERM_KMEANS = Method(
    name="perm_kmeans",
    title="Permutation of K-means",
    run=_run_perm,
    larger_is_better=True,
    normalization="max",
    reference="Breiman (2001), Random forests, doi:10.1023/A:1010933404324; here for one K-means",
    options=("n_repeats",),
    engines=("python",),
)
