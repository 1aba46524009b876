"""Feature importances from a single K-means: baselines for bagging and weighting."""

from collections.abc import Iterable, Iterator

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from xcompare.bagging.consensus.contingency import adjusted_rand
from xcompare.bagging.information.mutual import INFORMATION, Information, information_and_how, plug_in_note
from xcompare.core.checks import check_choice, check_data, check_integer, check_squares
from xcompare.core.seeds import as_seed
from xcompare.methods.base import PYTHON, WITH_SKLEARN, Engine, Method, Scores
from xcompare.methods.option import Option, option_table
from xcompare.methods.single_feature_measures import eta_squared

MAX_ITER = 50  # as in `BaggedClustering`
CAP = 1.0  # nats, as in `BaggedClustering`


def mi_kmeans(
    X: np.ndarray,
    n_clusters: int,
    *,
    information: Information = "auto",
    sample_weight: np.ndarray | None = None,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Mutual information of each feature with the labels of a single K-means.

    Estimate and cap are those of one replicate of `BaggedClustering`, without resampling, with all features
    and no averaging, so the difference to the bagging methods is the effect of bagging.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
        Number of clusters, at most n_samples.
    information : {"auto", "kde", "discrete"}, default="auto"
        Estimator, as in ``BaggedClustering``.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        Weights of the rows in K-means; information is unweighted.
    random_state : int, Generator or None, default=None
        For the initialization of K-means.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): nats, clipped to [0, 1], larger means more important; ``labels``;
        ``details["centers"]`` of shape (n_clusters, n_features).

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.core.standardization import standardize
    >>> rng = np.random.default_rng(0)
    >>> X = standardize(np.column_stack([rng.normal(np.repeat([0, 8], 50)), rng.normal(size=100)]))
    >>> mi_kmeans(X, 2, random_state=0).scores.argmax()
    np.int64(0)
    """
    check_choice("engine", engine, PYTHON)
    check_choice("information", information, INFORMATION)
    X = check_data(X)
    model = one_kmeans(X, n_clusters, random_state, sample_weight)
    nats, counted = information_and_how(X, model.labels_, information)
    names = ", ".join(f"x{j}" for j in np.flatnonzero(counted & (np.ptp(X, axis=0) > 0)))
    return of_kmeans(np.clip(nats, 0.0, CAP), model, warnings=(plug_in_note(names),) if names else ())


def perm_kmeans(
    X: np.ndarray,
    n_clusters: int,
    *,
    n_repeats: int = 5,
    sample_weight: np.ndarray | None = None,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Permutation importance for a single K-means.

    The adjusted Rand index between the labels of the fitted K-means and those it predicts with one
    column permuted, subtracted from the index without permutation (1 if K-means has converged); mean over
    the repeats. The results, including the permutations, equal those of scikit-learn's
    ``permutation_importance``, but distances are not recomputed over all features.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
        Number of clusters, at most n_samples.
    n_repeats : int, default=5
        Number of permutations of each column.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        Weights of the rows in K-means; the index is unweighted.
    random_state : int, Generator or None, default=None
        For the initialization of K-means and the permutations.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): about 0 to 1, larger means more important; ``labels``;
        ``details["centers"]`` of shape (n_clusters, n_features).

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.core.standardization import standardize
    >>> rng = np.random.default_rng(0)
    >>> X = standardize(np.column_stack([rng.normal(np.repeat([0, 8], 50)), rng.normal(size=100)]))
    >>> perm_kmeans(X, 2, random_state=0).scores.argmax()
    np.int64(0)
    """
    check_choice("engine", engine, PYTHON)
    check_integer("n_repeats", n_repeats, 1)
    X = check_data(X)
    seed = as_seed(random_state)
    model = one_kmeans(X, n_clusters, seed, sample_weight)
    lost = _permuted(model, X, n_repeats, seed)
    return of_kmeans(lost, model)


def variance_ratio(
    X: np.ndarray,
    n_clusters: int,
    *,
    sample_weight: np.ndarray | None = None,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Between-cluster over within-cluster variance of each feature, for a single K-means.

    ``F = (between / (K - 1)) / (within / (n - K))`` of the feature's sums of squares, as in an analysis of
    variance: the index of Calinski and Harabasz for each feature. It has no valid p-value, as the
    clusters were found in the same data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
        Number of clusters, at most n_samples.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        Weights of the rows in K-means and in the variances.
    random_state : int, Generator or None, default=None
        For the initialization of K-means.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), at least 0: larger means more important; very large but finite
        for a feature that is constant in each cluster, 0 for a constant; ``labels``; ``details["centers"]``
        of shape (n_clusters, n_features).

    References
    ----------
    Calinski, T., Harabasz, J. (1974). A dendrite method for cluster analysis. Communications in Statistics
    3(1). doi:10.1080/03610927408827101

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.core.standardization import standardize
    >>> rng = np.random.default_rng(0)
    >>> X = standardize(np.column_stack([rng.normal(np.repeat([0, 8], 50)), rng.normal(size=100)]))
    >>> variance_ratio(X, 2, random_state=0).scores.argmax()
    np.int64(0)
    """
    check_choice("engine", engine, PYTHON)
    X = check_data(X)
    model = one_kmeans(X, n_clusters, random_state, sample_weight)
    share = eta_squared(X, model.labels_, None, None, sample_weight=sample_weight)
    # A share of 1 is subject to rounding.
    within = np.maximum(1 - share, len(X) * np.finfo(float).eps)
    scores = share / within * max(len(X) - n_clusters, 1) / max(n_clusters - 1, 1)
    return of_kmeans(scores, model)


def one_kmeans(
    X: np.ndarray,
    n_clusters: int,
    random_state: int | np.random.Generator | None,
    sample_weight: np.ndarray | None = None,
) -> KMeans:
    """K-means with one random initialization, fitted to all features.

    ``X`` of shape (n_samples, n_features).
    """
    check_integer("n_clusters", n_clusters, 1, len(X))
    check_squares(X)
    seed = as_seed(random_state)
    model = KMeans(n_clusters, init="random", n_init=1, max_iter=MAX_ITER, random_state=seed)
    return model.fit(X, sample_weight=sample_weight)


def of_kmeans(scores: np.ndarray, model: KMeans, warnings: tuple[str, ...] = ()) -> Scores:
    """Scores from a fitted K-means, with its labels and centres."""
    details = {"centers": model.cluster_centers_}
    return Scores(scores, WITH_SKLEARN, model.labels_, warnings, details=details)


def _permuted(model: KMeans, X: np.ndarray, n_repeats: int, seed: int) -> np.ndarray:
    """Permutation importance of a fitted K-means, scored against its own labels."""
    centers = model.cluster_centers_
    n_clusters, labels = len(centers), model.labels_.astype(np.intp)
    distances = cdist(X, centers, "sqeuclidean")

    def agreement(predictions: Iterable[np.ndarray]) -> np.ndarray:
        cells = n_clusters**2
        tables = [np.bincount(n_clusters * labels + one, minlength=cells) for one in predictions]
        return _agreement(np.reshape(tables, (-1, n_clusters, n_clusters)).astype(float))

    def permuted(rows: np.ndarray) -> Iterator[np.ndarray]:
        for x, center in zip(X.T[:, :, None], centers.T, strict=True):
            changed = distances + (np.square(x[rows] - center) - np.square(x - center))
            yield changed.argmin(axis=1)

    kept = [agreement(permuted(rows)) for rows in _permutations(len(X), n_repeats, seed)]
    return agreement([model.predict(X)]) - np.mean(kept, axis=0)


def _permutations(n_samples: int, n_repeats: int, seed: int) -> Iterator[np.ndarray]:
    """The permutations scikit-learn's ``permutation_importance`` draws, the same for every feature."""
    random = np.random.RandomState(np.random.RandomState(seed).randint(np.iinfo(np.int32).max + 1))
    permutation, step = np.arange(n_samples), np.arange(n_samples)
    for _ in range(n_repeats):
        random.shuffle(step)
        permutation = permutation[step]
        yield permutation


def _agreement(tables: np.ndarray) -> np.ndarray:
    """Adjusted Rand index of each contingency table, of shape (n_tables, n_clusters, n_clusters)."""
    n_samples = int(tables[0].sum())
    in_both, in_first, in_second = (
        ((counts**2).sum(axis=1) - n_samples) / 2
        for counts in (tables.reshape(len(tables), -1), tables.sum(axis=2), tables.sum(axis=1))
    )
    return adjusted_rand(in_both, in_first, in_second, n_samples)


MI_KMEANS = Method(
    name="mi_kmeans",
    title="MI of K-means",
    run=mi_kmeans,
    reference="baseline: mutual information with the labels of one K-means",
    family="K-means",
    options=option_table(Option("information", "estimator of information", "choice", choices=INFORMATION)),
    engines=PYTHON,
    takes_weights=True,
)

PERM_KMEANS = Method(
    name="perm_kmeans",
    title="Permutation of K-means",
    run=perm_kmeans,
    reference="Breiman (2001), Random forests, doi:10.1023/A:1010933404324; here for one K-means",
    family="K-means",
    options=option_table(Option("n_repeats", "permutations of each feature", least=1)),
    engines=PYTHON,
    takes_weights=True,
)

VARIANCE_RATIO = Method(
    name="variance_ratio",
    title="Variance ratio of K-means",
    run=variance_ratio,
    reference="Calinski, Harabasz (1974), doi:10.1080/03610927408827101; here feature by feature",
    family="K-means",
    default=False,
    engines=PYTHON,
    takes_weights=True,
)
