"""Any clusterer can be bagged: it gets its number of clusters, noise is no cluster, and shapes are kept."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import (
    HDBSCAN,
    AgglomerativeClustering,
    BisectingKMeans,
    KMeans,
    MiniBatchKMeans,
    SpectralClustering,
)
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from xcompare import BaggedClustering

CLUSTERERS = [
    KMeans(n_init=2),
    MiniBatchKMeans(n_init=1),
    BisectingKMeans(),
    GaussianMixture(),
    AgglomerativeClustering(),
    SpectralClustering(affinity="nearest_neighbors"),
    HDBSCAN(min_cluster_size=15, copy=True),
]
TRUTH = np.repeat([0, 1, 2], 40)


def blobs(seed=0):
    """Three clusters, 8 standard deviations apart in each of the first three features; two of noise."""
    X = np.random.default_rng(seed).normal(size=(120, 5))
    X[:, :3] += 8.0 * np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])[TRUTH]
    return X


def rings(seed=0):
    """A ring around another, and a feature of noise."""
    X, truth = make_circles(200, factor=0.4, noise=0.03, random_state=seed)
    return np.column_stack([X, 0.01 * np.random.default_rng(seed).normal(size=200)]), truth


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize("estimator", CLUSTERERS, ids=lambda e: type(e).__name__)
def test_every_clusterer_finds_clear_clusters_and_what_makes_them(estimator):
    X = blobs()
    one, two = (
        BaggedClustering(3, estimator=estimator, n_replicas=6, random_state=0).fit(X) for _ in range(2)
    )
    assert adjusted_rand_score(TRUTH, one.labels_) == 1.0
    assert one.feature_importances_[:3].min() > 0.8
    assert one.feature_importances_[3:].max() < 0.2
    np.testing.assert_array_equal(one.predict(X), one.labels_)
    np.testing.assert_array_equal(one.feature_importances_, two.feature_importances_)


@pytest.mark.parametrize(
    "estimator",
    [
        AgglomerativeClustering(linkage="single"),
        SpectralClustering(affinity="nearest_neighbors"),
        HDBSCAN(min_cluster_size=10, copy=True),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
def test_clusters_that_are_no_balls_stay_what_they_are(estimator):
    """A clusterer that cannot predict lends its shapes to rows it has not seen, by their nearest row."""
    X, truth = rings()
    model = BaggedClustering(
        2,
        estimator=estimator,
        resampling="basic",
        max_features=1.0,
        standardize=None,
        n_replicas=2,
        random_state=0,
    ).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    others, their_truth = rings(seed=1)
    assert adjusted_rand_score(their_truth, model.predict(others)) == 1.0


def test_a_mixture_gets_as_many_components_as_clusters_are_asked_for():
    seen = []

    class Mixture(GaussianMixture):
        def fit(self, X, y=None):
            seen.append(self.n_components)
            return super().fit(X)

    BaggedClustering(4, estimator=Mixture(), n_replicas=3, random_state=0).fit(blobs())
    assert seen == [4, 4, 4]


def test_noise_is_no_cluster():
    """Rows that HDBSCAN leaves out go where their nearest neighbour in a cluster is."""
    rng = np.random.default_rng(1)
    X = np.vstack([blobs(), rng.uniform(-4, 12, size=(12, 5))])
    found = HDBSCAN(min_cluster_size=15, copy=True).fit(X)
    assert (found.labels_ == -1).sum() >= 5
    model = BaggedClustering(
        3,
        estimator=HDBSCAN(min_cluster_size=15, copy=True),
        resampling="basic",
        max_features=1.0,
        standardize=None,
        n_replicas=2,
        random_state=0,
    ).fit(X)
    assert set(model.labels_) == {0, 1, 2}
    assert adjusted_rand_score(TRUTH, model.labels_[:120]) == 1.0
    inside = np.flatnonzero(found.labels_ >= 0)
    for row in np.flatnonzero(found.labels_ == -1):
        nearest = inside[((X[inside] - X[row]) ** 2).sum(axis=1).argmin()]
        assert model.labels_[row] == model.labels_[nearest]


def test_a_clusterer_with_a_number_of_its_own():
    model = BaggedClustering(
        5, estimator=HDBSCAN(min_cluster_size=15, copy=True), n_replicas=3, random_state=0
    ).fit(blobs())
    assert model.n_clusters_ == len(set(model.labels_)) == 3
    assert len(model.cluster_importances_) == len(model.cluster_centers_) == 3
    assert model.predict(blobs()).max() == 2


def test_nothing_but_noise_is_one_cluster():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.warns(UserWarning, match="all weights are 0"):
        model = BaggedClustering(
            2, estimator=HDBSCAN(min_cluster_size=39, copy=True), n_replicas=3, random_state=0
        ).fit(X)
    assert (model.labels_ == 0).all()
    assert model.n_clusters_ == 1
    assert (model.feature_importances_ == 0).all()


class HalvesByName(ClusterMixin, BaseEstimator):
    """Below and above the median of the first feature, with labels of any kind."""

    def __init__(self, names=(0, 1)):
        self.names = names

    def fit(self, X, y=None):
        self.median_ = np.median(X[:, 0])
        return self

    def predict(self, X):
        return np.array(self.names)[(X[:, 0] > self.median_).astype(int)]


@pytest.mark.parametrize("names", [(-5, 5), (3, 10**9), ("low", "high")])
def test_a_clusterer_may_call_its_clusters_anything(names):
    plain, named = (
        BaggedClustering(2, estimator=estimator, n_replicas=5, random_state=0).fit(blobs())
        for estimator in (HalvesByName(), HalvesByName(names))
    )
    np.testing.assert_allclose(named.feature_importances_, plain.feature_importances_, rtol=1e-12)
    assert set(named.labels_) == {0, 1}
    np.testing.assert_array_equal(named.predict(blobs()), named.labels_)
