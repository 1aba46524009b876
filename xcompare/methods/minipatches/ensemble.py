"""An ensemble of clusterings of minipatches, and classifiers that transfer their labels to all other rows."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import ClusterMixin
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.tree import DecisionTreeClassifier

from xcompare.core.threads import one_thread
from xcompare.methods.option import Option

NEIGHBOURS = 10  # of the graph of spectral clustering
FASTER = "fewer minipatches (n_patches=50) or a sample of the rows is faster"
SIZE = (  # of a minipatch
    Option("row_share", "share of the rows in a minipatch", "number", 0.001, 1),
    Option("feature_share", "share of the features in a minipatch", "number", 0.001, 1),
)

CLUSTERERS: dict[str, Callable[[int, int, int], ClusterMixin]] = {  # of n_clusters, seed and n_samples
    "kmeans": lambda k, seed, n: KMeans(k, random_state=seed),
    "ward": lambda k, seed, n: AgglomerativeClustering(k),
    "spectral": lambda k, seed, n: SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=min(NEIGHBOURS, n), random_state=seed
    ),
}


@dataclass(frozen=True, eq=False)
class Minipatches:
    """Clusterings of minipatches, transferred."""

    reference: np.ndarray  # (n_samples,): labels of a clustering of all rows and features
    drawn: np.ndarray  # (n_patches, n_features): features of each minipatch
    out: np.ndarray  # (n_patches, n_samples): rows outside each minipatch
    # (n_patches, n_samples): for rows outside the minipatch, the probability that its classifier gives to the
    # reference label; 0 for those inside
    right: np.ndarray


def fit_minipatches(
    X: np.ndarray,
    n_clusters: int,
    seed: int,
    *,
    n_patches: int,
    row_share: float,
    feature_share: float,
    clusterer: str,
) -> Minipatches:
    """Cluster minipatches, match their labels to the reference, and train a decision tree on each.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    row_share, feature_share : float
        Shares of the rows and features in a minipatch, rounded up; at least ``n_clusters`` rows.
    clusterer : {"kmeans", "ward", "spectral"}
    """
    n_samples, n_features = X.shape
    rows = min(max(ceil(row_share * n_samples), n_clusters), n_samples)
    features = ceil(feature_share * n_features)
    random = np.random.RandomState(seed)  # as in the authors' package, so that results can be compared
    reference = cluster(X, n_clusters, seed, clusterer)
    drawn = np.zeros((n_patches, n_features), dtype=bool)
    out = np.ones((n_patches, n_samples), dtype=bool)
    right = np.zeros((n_patches, n_samples))
    with one_thread():  # small computations
        for b in range(n_patches):
            inside = random.choice(n_samples, size=rows, replace=False)
            chosen = random.choice(n_features, size=features, replace=False)
            drawn[b, chosen], out[b, inside] = True, False
            labels = matched(
                reference[inside], cluster(X[np.ix_(inside, chosen)], n_clusters, seed, clusterer), n_clusters
            )
            tree = DecisionTreeClassifier(random_state=seed).fit(X[np.ix_(inside, chosen)], labels)
            others = np.flatnonzero(out[b])
            if len(others):
                shares = np.zeros((len(others), n_clusters))
                shares[:, tree.classes_] = tree.predict_proba(X[np.ix_(others, chosen)])
                right[b, others] = shares[np.arange(len(others)), reference[others]]
    return Minipatches(reference, drawn, out, right)


def leave_out(patches: Minipatches) -> np.ndarray:
    """Drop in the probability of the reference labels when patches with the feature are left out.

    Every row is predicted by the patches that do not contain it: by all of them, and by those without the
    feature. The difference is averaged over the rows that both predict.

    Returns shape (n_features,): 0 for features whose omission leaves no patch.
    """
    out = patches.out.astype(float)
    total, count = patches.right.sum(axis=0), out.sum(axis=0)
    having = patches.drawn.T.astype(float)
    total_without, count_without = total - having @ patches.right, count - having @ out
    both = (count > 0) & (count_without > 0.5)
    drop = total / np.maximum(count, 1) - total_without / np.maximum(count_without, 1)
    return (drop * both).sum(axis=1) / np.maximum(both.sum(axis=1), 1)


def cluster(X: np.ndarray, n_clusters: int, seed: int, clusterer: str) -> np.ndarray:
    """Labels from 0 of a clusterer by name."""
    return CLUSTERERS[clusterer](n_clusters, seed, len(X)).fit_predict(X)


def matched(reference: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels renamed so that they agree with the reference on as many rows as possible."""
    table = np.zeros((n_clusters, n_clusters))
    np.add.at(table, (labels, reference), 1)
    one, other = linear_sum_assignment(-table)
    names = np.empty(n_clusters, dtype=np.intp)
    names[one] = other
    return names[labels]
