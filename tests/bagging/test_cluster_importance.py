"""What each feature tells about each cluster: the definition, and data where the answer is known."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN

from tests.samples import standardized
from xcompare import BaggedClustering, load_dataset
from xcompare.bagging.information.mutual import mutual_information

TRUTH = np.repeat(np.arange(4), 50)


def one_feature_each(seed=0):
    """Four clusters; feature j sets cluster j apart, for j from 0 to 3, and feature 4 is noise."""
    X = np.random.default_rng(seed).normal(size=(200, 5))
    X[np.arange(200), TRUTH] += 10.0
    return X


@pytest.mark.parametrize("resampling", ["basic", "efron", "bbc"])
def test_a_feature_that_sets_one_cluster_apart_is_that_clusters_own(resampling):
    X = one_feature_each()
    model = BaggedClustering(4, resampling=resampling, n_replicas=40, random_state=0).fit(X)
    found = np.empty((4, 5))
    for k in range(4):  # clusters go by size
        found[np.bincount(TRUTH[model.labels_ == k]).argmax()] = model.cluster_importances_[k]
    assert (np.diag(found) == 1).all()
    assert found[~np.eye(4, 5, dtype=bool)].max() < 0.05
    assert model.feature_importances_[:4].min() > 0.85  # about alike, for all clusters together


def test_it_is_the_definition():
    wine = load_dataset("wine")
    model = BaggedClustering(3, max_features=9, n_replicas=12, redundancy="ignore", random_state=1).fit(
        wine.X
    )
    X, weights = standardized(wine.X), model.replica_weights_
    for k in range(3):
        total, mass = np.zeros(13), np.zeros(13)
        for labels, drawn, weight in zip(
            model.replica_labels_, model.replica_features_, weights, strict=True
        ):
            total[drawn] += weight * np.clip(mutual_information(X[:, drawn], labels == k), 0, 1)
            mass[drawn] += weight
        mean = total / mass
        np.testing.assert_allclose(model.cluster_importances_[k], mean / mean.max(), atol=1e-10)


def test_of_two_clusters_each_is_the_rest_of_the_other():
    """And the answer is about that for all clusters together."""
    breast = load_dataset("breast")
    with pytest.warns(UserWarning, match="no density exists"):
        model = BaggedClustering(2, n_replicas=30, random_state=0).fit(breast.X)
    first, second = model.cluster_importances_
    np.testing.assert_allclose(first, second, atol=1e-10)
    np.testing.assert_allclose(first, model.feature_importances_, atol=0.03)


def test_the_cap_is_that_of_the_bag():
    """Feature 0 separates three groups of rows, feature 1 two: with a low cap both tell all there is."""
    X = np.random.default_rng(0).normal(size=(150, 3))
    X[:, 0] += np.repeat([0, 20, 40], 50)
    X[:, 1] += np.repeat([0, 4, 4], 50)
    low, high = (
        BaggedClustering(3, cap=cap, n_replicas=10, max_features=1.0, random_state=0).fit(X)
        for cap in (0.1, None)
    )
    first = low.labels_[0]
    np.testing.assert_allclose(low.cluster_importances_[first, :2], 1.0, atol=1e-12)
    assert high.cluster_importances_[high.labels_[0], 1] < 0.8


def test_columns_of_flags_are_counted_here_too():
    """A flag set in exactly one cluster tells all about it."""
    X = np.column_stack([one_feature_each(), TRUTH == 2])
    with pytest.warns(UserWarning, match="no density exists for x5"):
        model = BaggedClustering(4, n_replicas=20, random_state=0).fit(X)
    cluster = model.labels_[100]
    assert model.cluster_importances_[cluster, 5] > 0.5
    assert np.delete(model.cluster_importances_[:, 5], cluster).max() < 0.25


@pytest.mark.filterwarnings("ignore:constant features")
def test_constant_features_tell_nothing_and_another_fit_another_answer():
    X = np.column_stack([one_feature_each(), np.ones(200)])
    model = BaggedClustering(4, n_replicas=10, random_state=0).fit(X)
    assert (model.cluster_importances_[:, 5] == 0).all()
    before = model.cluster_importances_
    assert model.cluster_importances_ is before  # worked out once
    assert model.fit(X[:, ::-1]).cluster_importances_[0, 0] == 0
    assert not hasattr(BaggedClustering(), "cluster_importances_")


def test_replicas_may_differ_in_their_number_of_clusters():
    X = one_feature_each()
    model = BaggedClustering(
        4, estimator=HDBSCAN(min_cluster_size=12, copy=True), max_features=3, n_replicas=15, random_state=0
    ).fit(X)
    assert len({len(np.unique(labels)) for labels in model.replica_labels_}) > 1
    assert model.cluster_importances_.shape == (model.consensus_proba_.shape[1], 5)
    assert np.isfinite(model.cluster_importances_).all()
    assert model.cluster_importances_[:, 4].max() < 0.2


def test_large_data_are_worked_on_in_parts(monkeypatch):
    X = one_feature_each()
    whole = BaggedClustering(4, n_replicas=7, random_state=0).fit(X).cluster_importances_
    monkeypatch.setattr("xcompare.bagging.cluster_importance.BLOCK", 400)
    parts = BaggedClustering(4, n_replicas=7, random_state=0).fit(X).cluster_importances_
    np.testing.assert_allclose(parts, whole, atol=1e-12)
