"""Prototype-based feature importance: distances between the centers of K-means, feature by feature."""

import numpy as np

from xcompare.core.checks import check_choice
from xcompare.methods.base import Engine, Method, Scores
from xcompare.methods.kmeans_explained.fit import ENGINES, WITH_SKLEARN, checked_kmeans


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
    check_choice("engine", engine, ENGINES)
    X, model = checked_kmeans(X, n_clusters, random_state)
    ordered = np.sort(model.cluster_centers_, axis=0)
    # The r-th smallest center is larger than r others and smaller than K - 1 - r.
    signs = 2.0 * np.arange(n_clusters) - (n_clusters - 1)
    distances = np.maximum(signs @ ordered, 0.0)
    return Scores(
        distances / (distances.sum() or 1.0),
        WITH_SKLEARN,
        model.labels_,
        details={"centers": model.cluster_centers_},
    )


PBFI = Method(
    name="pbfi",
    title="Prototypes of K-means",
    run=pbfi,
    larger_is_better=True,
    normalization="max",
    reference=(
        "Nápoles, Griffioen, Khoshrou, Güven (2023), Feature importance for clustering,"
        " doi:10.1007/978-3-031-49018-7_3"
    ),
    family="K-means",
    default=False,
    engines=ENGINES,
)
