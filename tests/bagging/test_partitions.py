"""The bag the tests look at."""

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from xcompare.bagging import dunn_index
from xcompare.bagging.partitions import Partitions, bag_partitions, binned, information, known, some_rows


def data(n=60, p=6, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


@pytest.mark.parametrize("resampling", ["basic", "efron"])
def test_half_of_the_features_and_their_quality(resampling):
    X = data()
    found = bag_partitions(X, 3, np.random.default_rng(1), n_replicas=12, resampling=resampling)
    assert found.labels.shape == (12, 60)
    assert (found.features.sum(axis=1) == 3).all()
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    expected = [dunn_index(Z[:, f], codes) for f, codes in zip(found.features, found.labels, strict=True)]
    np.testing.assert_allclose(found.weights, expected)


def test_many_rows_are_weighed_alike():
    X = data(300, 4)  # more pairs than are kept
    found = bag_partitions(X, 2, np.random.default_rng(1), n_replicas=4)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    expected = [dunn_index(Z[:, f], codes) for f, codes in zip(found.features, found.labels, strict=True)]
    np.testing.assert_allclose(found.weights, expected)


@pytest.mark.parametrize(("n_features", "drawn"), [(2, 1), (3, 1), (5, 2), (8, 4)])
def test_never_all_features(n_features, drawn):
    found = bag_partitions(data(20, n_features), 2, np.random.default_rng(0), n_replicas=3)
    assert (found.features.sum(axis=1) == drawn).all()


def test_partitions_know_nothing_of_features_they_did_not_draw():
    """What makes the test of shared structure exact."""
    X = data()
    shuffled = X.copy()
    shuffled[:, 2] = np.random.default_rng(5).permutation(X[:, 2])
    a, b = (bag_partitions(x, 3, np.random.default_rng(1), n_replicas=10) for x in (X, shuffled))
    without = ~a.features[:, 2]
    assert without.any()
    np.testing.assert_array_equal(a.labels[without], b.labels[without])
    np.testing.assert_array_equal(a.weights[without], b.weights[without])


def test_groups_hold_equally_many_rows_and_keep_equal_values_together():
    X = np.column_stack([np.arange(144.0), np.repeat([0.0, 5.0], [140, 4])])
    cells = binned(X)
    assert np.bincount(cells[:, 0]).tolist() == [11, *[12] * 10, 13]
    assert [len(set(cells[X[:, 1] == value, 1])) for value in (0, 5)] == [1, 1]


def test_information_is_that_of_the_contingency_tables():
    X = data(80, 3)
    found = bag_partitions(X, 4, np.random.default_rng(3), n_replicas=5)
    cells = binned(X)
    expected = [[mutual_info_score(cells[:, j], codes) for j in range(3)] for codes in found.labels]
    np.testing.assert_allclose(information(X, found), expected, atol=1e-12)


def test_information_does_not_depend_on_units():
    X = data(50, 3)
    parts = Partitions(np.arange(50)[None, :] % 3, np.ones((1, 3), dtype=bool), np.ones(1))
    np.testing.assert_allclose(information(np.exp(X), parts), information(X, parts))


def test_known_averages_the_replicas_that_drew_the_feature():
    X = np.random.default_rng(0).normal(size=(30, 3))
    labels = np.stack([np.arange(30) % 2, np.arange(30) % 3])
    parts = Partitions(labels, np.array([[True, True, False], [True, False, False]]), np.array([1.0, 3.0]))
    each = information(X, parts)
    expected = [(each[0, 0] + 3 * each[1, 0]) / 4, each[0, 1], 0.0]
    np.testing.assert_allclose(known(X, parts), expected)


def test_of_many_rows_some_are_taken_and_rare_values_stay():
    X = np.random.default_rng(0).normal(size=(5000, 3))
    X[:, 2] = np.arange(5000) == 17
    some = some_rows(X, 1000, np.random.default_rng(0))
    assert 1000 <= len(some) <= 1002
    assert np.ptp(some, axis=0).all()
    few = X[:100]
    assert some_rows(few, 1000, np.random.default_rng(0)) is few


def test_more_starts_find_no_worse_partitions():
    X = data(100, 6)
    one, ten = (
        bag_partitions(X, 6, np.random.default_rng(1), n_replicas=8, n_starts=n, resampling="basic")
        for n in (1, 10)
    )

    def within(parts):
        groups = [
            X[codes == k][:, drawn]
            for codes, drawn in zip(parts.labels, parts.features, strict=True)
            for k in range(6)
        ]
        return sum(np.square(group - group.mean(axis=0)).sum() for group in groups)

    assert within(ten) < within(one)


def test_a_feature_on_a_small_scale_does_not_count_in_distances():
    X = data()
    scale = np.array([1.0, 1.0, 1e-6, 1e-6, 1e-6, 1e-6])
    found = bag_partitions(X, 2, np.random.default_rng(1), n_replicas=12, scale=scale)
    both = found.features[:, :2].all(axis=1)
    first = found.labels[found.features[:, 0] & ~found.features[:, 1]]
    assert both.any()
    assert len(first)
    assert information(X, found)[found.features[:, 0] & ~found.features[:, 1], 0].min() > 0.3
