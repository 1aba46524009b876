"""Plain clusterings that the methods' partitions are held against: labels, and no scores."""

from importlib.metadata import version

import numpy as np
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import pdist

from xcompare.core.checks import check_choice, check_integer
from xcompare.methods import Engine, Method, Scores
from xcompare.methods.kmeans_baselines import WITH_SKLEARN, one_kmeans

NO_SCORES = np.empty(0)
MOST_SAMPLES = 5_000  # for the distances of all pairs: 0.2 GB and 3 s, four times that for twice the rows
TIES = 10  # decimals to which distances between standardised rows are told apart


def _kmeans(
    X: np.ndarray, n_clusters: int, *, random_state: int | None = None, engine: Engine = "python"
) -> Scores:
    """K-means from one random start."""
    check_choice("engine", engine, ("python",))
    return Scores(NO_SCORES, WITH_SKLEARN, one_kmeans(X, n_clusters, random_state).labels_)


def _complete_linkage(
    X: np.ndarray, n_clusters: int, *, random_state: int | None = None, engine: Engine = "python"
) -> Scores:
    """Hierarchical clustering of Euclidean distances, complete linkage, cut at K."""
    check_integer("n_clusters", n_clusters, 1, len(X))
    check_choice("engine", engine, ("python",))
    # Rounded: distances that are equal in truth are ties, whatever standardising did to their last digits.
    distances = pdist(X).round(TIES)
    labels = cut_tree(linkage(distances, method="complete"), n_clusters=n_clusters)[:, 0]
    return Scores(NO_SCORES, f"scipy {version('scipy')}", labels)


CLUSTERINGS: dict[str, Method] = {
    row.name: row
    for row in (
        Method(
            name="kmeans",
            title="K-means",
            run=_kmeans,
            larger_is_better=True,
            normalization="max",
            reference="Lloyd (1982), doi:10.1109/TIT.1982.1056489",
            family="K-means",
            engines=("python",),
            kind="clustering",
        ),
        Method(
            name="complete_linkage",
            title="Hierarchical",
            run=_complete_linkage,
            larger_is_better=True,
            normalization="max",
            reference="Defays (1977), doi:10.1093/comjnl/20.4.364",
            family="linkage",
            stochastic=False,
            most_samples=MOST_SAMPLES,
            engines=("python",),
            kind="clustering",
        ),
    )
}
