"""Weights of rows: what K-means makes of them, drawn in proportion, refused where nothing can use them."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score

from tests.samples import standardized
from xcompare import BaggedClustering, load_dataset
from xcompare.bagging.kmeans.lloyd import LARGE

IRIS = load_dataset("iris").X
WEIGHTS = np.where(np.arange(150) % 3 == 0, 25.5, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [None, KMeans(n_init=20)], ids=["built in", "scikit-learn"])
def test_without_resampling_the_weights_are_those_of_k_means(estimator):
    expected = KMeans(3, n_init=50, random_state=0).fit(standardized(IRIS), sample_weight=WEIGHTS).labels_
    model = BaggedClustering(
        3,
        resampling="basic",
        max_features=1.0,
        n_replicas=5,
        n_init=20,
        consensus="medoid",
        estimator=estimator,
        random_state=0,
    )
    assert adjusted_rand_score(expected, model.fit(IRIS, sample_weight=WEIGHTS).labels_) == 1.0
    assert adjusted_rand_score(expected, model.fit(IRIS).labels_) < 1.0


@pytest.mark.slow
def test_large_data_are_weighted_alike():
    """Weights that no float holds exactly, on the way that adds to and takes from sums."""
    rng = np.random.default_rng(0)
    X = standardized(rng.normal(size=(2500, 2)) * [3.0, 1.0])
    weights = np.where(X[:, 0] > 1, 13.3, 0.1) * rng.choice([0.1, 0.7], size=2500)
    peer = KMeans(2, n_init=10, random_state=0).fit(X, sample_weight=weights)
    model = BaggedClustering(2, resampling="basic", max_features=1.0, n_replicas=2, random_state=0)
    found, plain = (model.fit(X, sample_weight=w).labels_ for w in (weights, None))
    assert weighted_squares(X, weights, found) == pytest.approx(peer.inertia_, rel=1e-3)
    assert weighted_squares(X, weights, plain) > 1.005 * peer.inertia_


def weighted_squares(X, weights, labels):
    """Weighted sum of squares within clusters."""
    total = 0.0
    for k in np.unique(labels):
        rows, w = X[labels == k], weights[labels == k]
        total += w @ ((rows - np.average(rows, axis=0, weights=w)) ** 2).sum(axis=1)
    return total


@pytest.mark.parametrize("resampling", ["efron", "bbc"])
@pytest.mark.parametrize("estimator", [None, AgglomerativeClustering()], ids=["K-means", "Agglomerative"])
def test_rows_without_weight_are_never_drawn(resampling, estimator):
    """Two clusters count; a third, far off in another direction, has no weight and makes no cluster."""
    rng = np.random.default_rng(0)
    place = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 60.0]], 40, axis=0)
    X = place + rng.normal(size=(120, 2))
    weights = np.repeat([1.0, 2.0, 0.0], 40)
    model = BaggedClustering(
        2,
        resampling=resampling,
        prior_weight=0.0,
        max_features=1.0,
        standardize=None,
        n_replicas=5,
        estimator=estimator,
        random_state=0,
    )
    truth = np.repeat([0, 1], 40)
    assert adjusted_rand_score(truth, model.fit(X, sample_weight=weights).labels_[:80]) == 1.0
    assert adjusted_rand_score(truth, model.fit(X).labels_[:80]) == 0.0


def test_rows_without_weight_are_never_drawn_from_large_data():
    """As above, with the algorithm for many rows."""
    n = LARGE // 2
    X = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 60.0]], n, axis=0)
    X += np.random.default_rng(0).normal(size=X.shape)
    settings = {"max_features": 1.0, "standardize": None, "n_init": 1, "n_replicas": 3, "random_state": 0}
    model = BaggedClustering(2, **settings).fit(X, sample_weight=np.repeat([1.0, 2.0, 0.0], n))
    for labels in model.replica_labels_:
        assert adjusted_rand_score(np.repeat([0, 1], n), labels[: 2 * n]) == 1.0


def test_equal_weights_are_no_weights():
    plain, weighted = (
        BaggedClustering(3, n_replicas=10, random_state=0).fit(IRIS, sample_weight=weights)
        for weights in (None, np.full(150, 0.3))
    )
    np.testing.assert_array_equal(plain.feature_importances_, weighted.feature_importances_)


def test_the_number_of_clusters_is_chosen_with_weights_too(monkeypatch):
    monkeypatch.setattr("xcompare.inference.number_of_clusters.MOST_CLUSTERS", 4)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4)) + 8 * np.repeat(np.eye(3, 4), 30, axis=0)
    model = BaggedClustering("auto", n_replicas=5, random_state=0)
    assert model.fit(X, sample_weight=rng.random(90)).n_clusters_ == 3
    assert np.bincount(model.labels_).tolist() == [30, 30, 30]
    for weights, least in ((np.eye(90)[0], 3), (np.zeros(90), 1)):
        with pytest.raises(ValueError, match=f"above zero in at least n_clusters={least} rows"):
            model.fit(X, sample_weight=weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(149), r"one number per row \(150\); got shape \(149,\)"),
        (np.where(WEIGHTS > 1, np.nan, 1.0), "finite numbers of at least 0"),
        (-WEIGHTS, "finite numbers of at least 0"),
        (np.eye(150)[0], "above zero in at least n_clusters=3 rows; got 1"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        BaggedClustering(3).fit(IRIS, sample_weight=weights)


def test_a_clusterer_that_cannot_weigh_rows_is_told_what_to_do():
    model = BaggedClustering(3, resampling="basic", estimator=AgglomerativeClustering())
    with pytest.raises(ValueError, match=r"clusterer that accepts it; got Agglomerative.*resampling='efron'"):
        model.fit(IRIS, sample_weight=WEIGHTS)
