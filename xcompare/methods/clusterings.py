"""Baseline clusterings, compared with the partitions of the methods: labels without scores."""

from importlib.metadata import version

import numpy as np
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import pdist

from xcompare.core.checks import check_choice, check_integer
from xcompare.methods import Engine, Method, Scores
from xcompare.methods.base import PYTHON, WITH_SKLEARN
from xcompare.methods.kmeans_baselines import one_kmeans

NO_SCORES = np.empty(0)
MOST_SAMPLES = 5_000  # all pairwise distances take 0.2 GB and 3 s, and four times that for twice the rows
DISTANCE_DECIMALS = 10  # to which distances between standardised rows are rounded


def _kmeans(
    X: np.ndarray,
    n_clusters: int,
    *,
    sample_weight: np.ndarray | None = None,
    random_state: int | None = None,
    engine: Engine = "python",
) -> Scores:
    """K-means with one random initialization."""
    check_choice("engine", engine, PYTHON)
    return Scores(NO_SCORES, WITH_SKLEARN, one_kmeans(X, n_clusters, random_state, sample_weight).labels_)


def _complete_linkage(
    X: np.ndarray, n_clusters: int, *, random_state: int | None = None, engine: Engine = "python"
) -> Scores:
    """Hierarchical clustering of Euclidean distances, complete linkage, cut at K."""
    check_integer("n_clusters", n_clusters, 1, len(X))
    check_choice("engine", engine, PYTHON)
    # Rounded, so that rounding errors of the standardisation do not break ties.
    distances = pdist(X).round(DISTANCE_DECIMALS)
    labels = cut_tree(linkage(distances, method="complete"), n_clusters=n_clusters)[:, 0]
    return Scores(NO_SCORES, f"scipy {version('scipy')}", labels)


CLUSTERINGS: dict[str, Method] = {
    row.name: row
    for row in (
        Method(
            name="kmeans",
            title="K-means",
            run=_kmeans,
            reference="Lloyd (1982), doi:10.1109/TIT.1982.1056489",
            family="K-means",
            takes_weights=True,
            engines=PYTHON,
            kind="clustering",
        ),
        Method(
            name="complete_linkage",
            title="Hierarchical",
            run=_complete_linkage,
            reference="Defays (1977), doi:10.1093/comjnl/20.4.364",
            family="linkage",
            stochastic=False,
            most_samples=MOST_SAMPLES,
            engines=PYTHON,
            kind="clustering",
        ),
    )
}
