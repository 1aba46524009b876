"""Tests of features for clusters found again: the device fits the data, the parts are independent."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans

from xcompare.core.errors import DataError, UnknownNameError
from xcompare.inference.reclustering import Reclustering
from xcompare.inference.validated import _fissioned, _thinned, carried_labels, validated_features

N = 160


def kmeans(k):
    return KMeans(k, n_init=3, random_state=0)


def validated(X, k=2, clusterer=None, seed=0):
    labels = kmeans(k).fit_predict(X)
    return validated_features(X, labels, Reclustering.of(clusterer or kmeans(k)), seed)


def shifted(X, by):
    """The first half of the rows moved in the first two columns."""
    X[: len(X) // 2, :2] += by
    return X


DATA = {
    "thinning": lambda rng: rng.poisson(4.0, size=(N, 4)).astype(float),
    "fission": lambda rng: rng.normal(size=(N, 4)) + rng.normal(size=(N, 1)),
    "rows": lambda rng: np.exp(rng.normal(size=(N, 4))),
}


@pytest.mark.parametrize("device", DATA)
def test_the_device_suits_the_data_and_finds_the_features_that_differ(device):
    rng = np.random.default_rng(0)
    noise = validated(DATA[device](rng))
    assert noise.device == device
    assert (noise.p_values > 0.001).all()
    found = validated(shifted(DATA[device](rng), 12))
    assert found.device == device
    assert (found.p_values <= 0.01).tolist() == [True, True, False, False]
    assert found.agreement == 1.0
    assert found.hypothesis in found.sentence


def test_the_two_parts_of_the_values_are_uncorrelated():
    rng = np.random.default_rng(1)
    gaussian = rng.normal(size=(20_000, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    counts = rng.poisson([0.5, 6.0], size=(20_000, 2)).astype(float)
    for split, X in ((_fissioned, gaussian), (_thinned, counts)):
        one, other = next(split(X, rng))
        between = np.corrcoef(one, other, rowvar=False)[:2, 2:]
        assert np.abs(between).max() < 0.03
        assert np.ptp(other) > 0


def test_carried_labels_do_not_depend_on_the_feature_they_test():
    rng = np.random.default_rng(2)
    train, test = rng.normal(size=(2, 60, 3))
    labels = (train[:, 0] > 0).astype(int)
    carried = carried_labels(train, labels, test)
    assert (carried[:, 1] == (test[:, 0] > 0)).mean() > 0.8
    changed = test.copy()
    changed[:, 0] = rng.normal(size=60)
    assert (carried_labels(train, labels, changed)[:, 0] == carried[:, 0]).all()
    assert (carried_labels(train, labels, changed)[:, 1] != carried[:, 1]).any()


def test_overdispersed_counts_are_not_thinned():
    X = np.random.default_rng(3).negative_binomial(2, 0.3, size=(N, 4)).astype(float)
    found = validated(X)
    assert found.device == "rows"
    assert "times as much as Poisson counts" in found.reason


@pytest.mark.parametrize(
    ("n_rows", "clusterer", "said"),
    [
        (30, None, "30 rows are too few; needed are 40"),
        (N, DBSCAN(eps=1e-6), "it found 0 clusters"),
        (N, lambda X: np.zeros(3), "labels of shape (3,) for 160 rows"),
    ],
)
def test_without_a_valid_test_there_is_a_reason_and_no_number(n_rows, clusterer, said):
    found = validated(np.random.default_rng(4).normal(size=(n_rows, 3)), clusterer=clusterer)
    assert found.device == "none"
    assert np.isnan(found.p_values).all()
    assert said in found.sentence


def test_another_clusterer_is_told_from_the_one_that_made_the_labels():
    X = shifted(np.random.default_rng(5).normal(size=(N, 3)), 8)
    found = validated(X, clusterer=lambda rows: (rows[:, 2] > 0).astype(int))
    assert found.agreement < 0.1
    assert "does not reproduce the labels" in found.sentence


def test_columns_are_standardized_if_that_reproduces_the_labels():
    X = shifted(np.random.default_rng(6).normal(size=(N, 3)), 8) * [1, 1, 1000]
    labels = np.repeat([0, 1], N // 2)
    found = validated_features(X, labels, Reclustering.of("KMeans(n_clusters=2)"), 0)
    assert found.agreement == 1.0
    assert "columns standardised" in found.reason


def test_ways_to_cluster():
    assert Reclustering.of(kmeans(3)).name.startswith("KMeans(n_clusters=3")
    with pytest.raises(DataError, match="validate must be a scikit-learn clusterer"):
        Reclustering.of(3)
    with pytest.raises(DataError, match="validate must be"):
        Reclustering.of(KMeans)
    with pytest.raises(UnknownNameError, match="no clusterer named 'KMean'; did you mean 'KMeans'"):
        Reclustering.of("KMean")


def test_a_clusterer_without_a_seed_gets_one():
    X = np.random.default_rng(7).normal(size=(N, 3))
    label = Reclustering.of("KMeans(n_clusters=5, n_init=1)", seed=3).best(X, np.arange(N) % 5)[0]
    assert (label(X) == label(X)).all()


def test_leiden_where_igraph_is_installed():
    pytest.importorskip("igraph", reason="Leiden needs igraph")
    X = shifted(np.random.default_rng(7).normal(size=(N, 3)), 12)
    label = Reclustering.of("leiden").best(X, np.repeat([0, 1], N // 2))[0]
    found = label(X)
    assert not set(found[: N // 2]) & set(found[N // 2 :])
