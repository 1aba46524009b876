"""Methods that explain the centers of one good K-means: PBFI (prototypes), LRP (relevance propagation)."""

import numpy as np
from scipy.special import softmax
from sklearn.cluster import KMeans

from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.core.seeds import as_seed
from xcompare.methods.base import PYTHON, Engine, Method, Scores
from xcompare.methods.kmeans_baselines import of_kmeans

INITIALIZATIONS = 10  # by k-means++, so that the explanation is not one of a poor local optimum


def pbfi(
    X: np.ndarray,
    n_clusters: int,
    *,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Share of each feature in the distances between the prototypes of the clusters.

    The prototypes are the centers of K-means, from the best of ten k-means++ initializations. The score of a
    feature is the sum of the absolute differences between all pairs of centers, over the sum of all features:
    by how much the (Manhattan) distances between prototypes shrink without it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
        Number of clusters, at most n_samples.
    random_state : int, Generator or None, default=None
        For the initializations of K-means.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), which sum to 1, or are 0 with one cluster; ``labels``;
        ``details["centers"]`` of shape (n_clusters, n_features).

    References
    ----------
    Nápoles, Griffioen, Khoshrou, Güven (2023). Feature importance for clustering. CIARP, LNCS 14469, 31-45.
    doi:10.1007/978-3-031-49018-7_3

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0], [0, 1], [3, 0], [3, 1]])
    >>> pbfi(X, 2, random_state=0).scores
    array([1., 0.])
    """
    check_choice("engine", engine, PYTHON)
    X, model = _checked_kmeans(X, n_clusters, random_state)
    ordered = np.sort(model.cluster_centers_, axis=0)
    # The r-th smallest center is larger than r others and smaller than K - 1 - r.
    signs = 2.0 * np.arange(n_clusters) - (n_clusters - 1)
    distances = np.maximum(signs @ ordered, 0.0)
    return of_kmeans(distances / (distances.sum() or 1.0), model)


def lrp(
    X: np.ndarray,
    n_clusters: int,
    *,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Mean relevance of each feature for the assignment of the rows to their clusters of K-means.

    K-means is rewritten as a network: a row is assigned to cluster c with evidence
    ``f = min over k of h_k``, where ``h_k = |x - center_k|^2 - |x - center_c|^2`` is linear in x. The
    evidence is propagated back: first to the competing clusters k, by a soft minimum with stiffness
    ``1 / mean(f)``, then to the features, in proportion to their terms of ``h_k`` (relative to the midpoint
    of the two centers). The relevances of a row sum to its evidence.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
        Number of clusters, at most n_samples.
    random_state : int, Generator or None, default=None
        For the ten k-means++ initializations of K-means.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): means over the rows, which may be negative; 0 with one cluster;
        ``labels``; ``details["centers"]`` of shape (n_clusters, n_features).

    References
    ----------
    Kauffmann, Esders, Ruff, Montavon, Samek, Müller (2024). From clustering to cluster explanations via
    neural networks. IEEE Transactions on Neural Networks and Learning Systems 35(2), 1926-1940.
    doi:10.1109/TNNLS.2022.3185901

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0], [0, 1], [3, 0], [3, 1]])
    >>> lrp(X, 2, random_state=0).scores
    array([9., 0.])
    """
    check_choice("engine", engine, PYTHON)
    X, model = _checked_kmeans(X, n_clusters, random_state)
    return of_kmeans(_relevance(X, model), model)


def _relevance(X: np.ndarray, model: KMeans) -> np.ndarray:
    """Relevance of each feature, mean over the rows."""
    shift = X.mean(axis=0)
    points, centers = X - shift, model.cluster_centers_ - shift
    if len(centers) == 1:
        return np.zeros(X.shape[1])
    # Squared distances to all centers up to a term common to all, less that to the own center.
    distances = np.square(centers).sum(axis=1) - 2 * points @ centers.T
    margins = distances - distances[np.arange(len(X)), model.labels_][:, None]
    margins[np.arange(len(X)), model.labels_] = np.inf
    evidence = np.maximum(margins.min(axis=1), 0.0)
    stiffness = 1.0 / (evidence.mean() or 1.0)
    to_cluster = evidence[:, None] * softmax(-stiffness * margins, axis=1)
    per_unit = np.divide(to_cluster, margins, out=np.zeros_like(to_cluster), where=margins > 0)
    total = np.zeros(X.shape[1])
    for c, center in enumerate(centers):
        own = model.labels_ == c
        weights = per_unit[own]
        # Summed over the rows of the cluster: weight * (x - midpoint) * 2 (center_c - center_k).
        from_middle = weights.T @ points[own] - weights.sum(axis=0)[:, None] * (center + centers) / 2
        total += 2 * (from_middle * (center - centers)).sum(axis=0)
    return total / len(X)


def _checked_kmeans(
    X: np.ndarray, n_clusters: int, random_state: int | np.random.Generator | None
) -> tuple[np.ndarray, KMeans]:
    """The data, validated, and K-means fitted to all features."""
    X = check_data(X, squares=True)
    check_integer("n_clusters", n_clusters, 1, len(X))
    model = KMeans(n_clusters, n_init=INITIALIZATIONS, random_state=as_seed(random_state))
    return X, model.fit(X)


PBFI = Method(
    name="pbfi",
    title="Prototypes of K-means",
    run=pbfi,
    reference=(
        "Nápoles, Griffioen, Khoshrou, Güven (2023), Feature importance for clustering,"
        " doi:10.1007/978-3-031-49018-7_3"
    ),
    family="K-means",
    default=False,
    engines=PYTHON,
)

LRP = Method(
    name="lrp",
    title="Relevance in K-means",
    run=lrp,
    reference=(
        "Kauffmann, Esders, Ruff, Montavon, Samek, Müller (2024), From clustering to cluster explanations via"
        " neural networks, doi:10.1109/TNNLS.2022.3185901"
    ),
    family="K-means",
    default=False,
    engines=PYTHON,
)
