"""Replicates that find the same partition are measured once."""

import numpy as np

from xcompare import BaggedClustering
from xcompare.bagging import mutual_information
from xcompare.bagging.replicas import distinct_partitions
from xcompare.core.standardization import standardize


def test_numbers_of_clusters_do_not_matter():
    labels = np.array([[0, 0, 1, 2], [2, 2, 0, 1], [1, 1, 2, 2], [0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1]])
    first, same = distinct_partitions(labels)
    assert first.tolist() == [0, 2, 3]
    assert same.tolist() == [0, 0, 1, 2, 2, 1]


def test_more_clusters_than_small_integers_hold():
    labels = np.stack([np.arange(300), np.arange(300)[::-1], np.arange(300) % 299]).astype(np.int32)
    assert distinct_partitions(labels)[1].tolist() == [0, 0, 1]


def test_shared_information_is_that_of_each_replicate():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 6))
    X += 20 * (np.arange(90) % 3)[:, None]  # most replicates find these clusters
    model = BaggedClustering(
        3, max_features=4, n_replicas=20, n_init=10, standardize="sd", information="kde", random_state=0
    ).fit(X)
    assert len(distinct_partitions(model.replica_labels_)[0]) < 10
    for labels, features, found in zip(
        model.replica_labels_, model.replica_features_, model.replica_importances_, strict=True
    ):
        expected = np.clip(mutual_information(standardize(X)[:, features], labels, "kde"), 0, 1)
        np.testing.assert_allclose(found[features], expected / expected.max(), atol=1e-12)
        assert np.isnan(found[~features]).all()
