"""The consensus by importance: weights where they help, none where they do not, never behind one K-means."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from tests.bagging.test_redundancy import clusters_and_copies
from xcompare import BaggedClustering, load_dataset
from xcompare.bagging.consensus.weighted import cluster_by_importance
from xcompare.core.standardization import standardize


def some_of_many(n_informative, n_features, seed):
    rng = np.random.default_rng(seed)
    groups = np.arange(150) % 3
    X = rng.normal(size=(150, n_features))
    X[:, :n_informative] += 2 * rng.normal(size=(3, n_informative))[groups]
    return X, groups


def fit(X, n_clusters, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return BaggedClustering(n_clusters, n_replicas=40, random_state=0, **settings).fit(X)


@pytest.mark.slow
@pytest.mark.parametrize(("n_informative", "n_features"), [(4, 60), (5, 50), (4, 12)])
def test_the_consensus_does_not_lose_to_one_kmeans(n_informative, n_features):
    found = []
    for seed in range(4):
        X, groups = some_of_many(n_informative, n_features, seed)
        plain = KMeans(3, init="random", n_init=20, random_state=0).fit(standardize(X)).labels_
        model = fit(X, 3)
        replica = model.replica_labels_[model.consensus_index_]
        found.append([adjusted_rand_score(groups, labels) for labels in (model.labels_, plain, replica)])
    weighted, plain, replica = np.mean(found, axis=0)
    assert weighted >= plain + (0.1 if n_features > 12 else 0)
    assert weighted >= replica


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wine", "breast", "iris"])
def test_where_all_features_have_their_part_it_is_kmeans(name):
    data = load_dataset(name)
    X = standardize(data.X)
    plain = KMeans(data.n_clusters, init="random", n_init=20, random_state=0).fit(X).labels_
    centers, space = cluster_by_importance(
        np.ascontiguousarray(X.T), fit(X, data.n_clusters).feature_importances_, data.n_clusters,
        np.random.default_rng(0),
    )  # fmt: skip
    np.testing.assert_array_equal(space, 1.0)
    labels = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert adjusted_rand_score(plain, labels) > 0.97


@pytest.mark.parametrize("gap", [3, 5, 8])
def test_redundant_features_count_as_one_when_they_are_spread(gap):
    model = fit(clusters_and_copies(gap), 2, redundancy="spread")
    assert adjusted_rand_score(np.arange(200) % 2, model.labels_) > 0.8


@pytest.mark.parametrize("how", ["weighted", "medoid"])
def test_rows_it_was_fitted_to_are_predicted_as_labelled(how):
    X, _ = some_of_many(4, 30, 0)
    model = fit(X, 3, consensus=how)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert (np.diff(np.bincount(model.labels_)) <= 0).all()
    if how == "medoid":
        np.testing.assert_array_equal(model.replica_labels_[model.consensus_index_], model.labels_)


def test_how_the_consensus_is_made_changes_no_importance():
    X, _ = some_of_many(4, 30, 0)
    weighted, replica = fit(X, 3), fit(X, 3, consensus="medoid")
    np.testing.assert_array_equal(weighted.feature_importances_, replica.feature_importances_)
    assert weighted.consensus_index_ == replica.consensus_index_


@pytest.mark.slow
def test_another_clusterer_keeps_its_replicas_partition():
    X = load_dataset("iris").X
    model = fit(X, 3, estimator=GaussianMixture(3))
    np.testing.assert_array_equal(model.replica_labels_[model.consensus_index_], model.labels_)


def test_an_unknown_consensus_is_refused():
    with pytest.raises(ValueError, match="consensus must be one of weighted, medoid; got 'vote'"):
        BaggedClustering(consensus="vote").fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
