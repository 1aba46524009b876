"""BaggedClustering and its parts against similar software, if installed.

Only the plain R script and scipy's distances compute the same result: consensus clustering (pyckmeans, clue)
has no importances, and forest-guided clustering explains a forest.
"""

import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_blobs
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from benchmarks import Row
from benchmarks.literature_methods import in_r
from xcompare import BaggedClustering, load_dataset, rbridge
from xcompare.bagging import dunn_index

TITLE = "BaggedClustering beside other software"


def clocked(call: Callable[[], object]) -> float:
    """Processor seconds of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def bagged(X, n_clusters, n_replicas=100, **options) -> float:
    """Processor seconds of our fit."""
    model = BaggedClustering(
        n_clusters, n_replicas=n_replicas, n_init=1, consensus="medoid", random_state=0, **options
    )
    return clocked(lambda: model.fit(X))


def beside_pyckmeans(n: int) -> Row:
    """Consensus K-means: 100 replicates of 80% of the rows and of the features."""
    X = make_blobs(n, 20, centers=5, cluster_std=4, random_state=0)[0]
    ours = bagged(X, 5, max_features=0.8)
    case, peer = f"{n:,} x 20, K=5, B=100, 80% of the features", "pyckmeans CKmeans"
    if find_spec("pyckmeans") is None:
        return Row(case, peer, ours, None, times_faster=True, note="pyckmeans is not installed")
    from pyckmeans import CKmeans

    theirs = clocked(lambda: CKmeans(k=5, n_rep=100, p_samp=0.8, p_feat=0.8).fit(X))
    return Row(case, peer, ours, theirs, times_faster=True, note="no importances")


def beside_fgclustering() -> Row:
    """Forest-guided clustering of a forest trained on the classes of wine."""
    wine = load_dataset("wine")
    ours = bagged(wine.X, 3)
    case, peer = "wine", "fgclustering"
    if find_spec("fgclustering") is None:
        return Row(case, peer, ours, None, times_faster=True, note="fgclustering is not installed")
    import fgclustering as fgc
    import pandas as pd

    X, y = pd.DataFrame(wine.X, columns=list(wine.feature_names)), wine.labels
    forest = RandomForestClassifier(100, random_state=0).fit(X, y)
    try:
        theirs = clocked(
            lambda: fgc.forest_guided_clustering(
                estimator=forest,
                X=X,
                y=y,
                clustering_distance_metric=fgc.DistanceRandomForestProximity(),
                clustering_strategy=fgc.ClusteringKMedoids(method="fasterpam"),
                k=3,
            )
        )
    except (AttributeError, TypeError) as problem:  # another version of its interface
        return Row(case, peer, ours, None, times_faster=True, note=f"not measured: {problem}")
    return Row(case, peer, ours, theirs, times_faster=True, note="needs labels")


def beside_r() -> list[Row]:
    """The plain R script, and clue's bagged consensus, both timed inside R."""
    wine = load_dataset("wine")
    X = (wine.X - wine.X.mean(axis=0)) / wine.X.std(axis=0, ddof=1)
    ours, rows = bagged(X, 3), []
    peers: dict[str, tuple[str, dict, tuple[str, ...]]] = {
        "r_scripts/bagging.R": ("xc_bagging", {}, ()),
        "clue cl_bag": ("clue_bag", {"n_replicas": 100}, ("clue",)),
    }
    for peer, (function, options, packages) in peers.items():
        reason = rbridge.why_unavailable(packages)
        theirs = in_r(function, {"x": X, "n_clusters": 3, **options}) if reason is None else None
        rows.append(Row("wine, B=100", peer, ours, theirs, times_faster=True, note=reason or ""))
    rbridge.shutdown()
    return rows


def beside_all_distances(n: int) -> Row:
    """One Dunn index from all pairs of distances."""
    X, labels = make_blobs(n, 20, centers=5, cluster_std=4, random_state=0)

    def brute_force() -> float:
        distance, same = squareform(pdist(X)), labels[:, None] == labels
        return float(distance[~same].min() / distance[same].max())

    ours, theirs = clocked(lambda: dunn_index(X, labels)), clocked(brute_force)
    assert np.isclose(dunn_index(X, labels), brute_force(), rtol=1e-12)
    return Row(f"one Dunn index, {n:,} x 20", "scipy pdist", ours, theirs, times_faster=True)


def run(quick: bool) -> list[Row]:
    """Every peer, on smaller data if quick."""
    with threadpool_limits(1):
        n = 1_000 if quick else 5_000
        return [beside_pyckmeans(n), beside_fgclustering(), *beside_r(), beside_all_distances(n)]
