"""Rows to weighted centres: labels and means of the plain sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from xcompare.methods.weighted_kmeans import assignment
from xcompare.methods.weighted_kmeans.assignment import assign


def plain_update(X, centers, weights):
    """What an update finds, as it would be written in C or R."""
    n_clusters, n_features = centers.shape
    weights = np.broadcast_to(weights, centers.shape)
    labels, sizes, sums = [], np.zeros(n_clusters, int), np.zeros_like(centers)
    for row in X:
        nearest, label = np.inf, -1
        for k in range(n_clusters):
            distance = 0.0
            for j in range(n_features):
                distance += weights[k, j] * (row[j] - centers[k, j]) ** 2
            if distance <= nearest:
                nearest, label = distance, k
        labels.append(label)
        sizes[label] += 1
        sums[label] += row
    means = np.array([sums[k] / sizes[k] if sizes[k] else centers[k] for k in range(n_clusters)])
    dispersion = np.zeros_like(centers)
    for row, label in zip(X, labels, strict=True):
        dispersion[label] += (row - means[label]) ** 2
    return np.array(labels), sizes, means, dispersion


def assert_same_clusters(clusters, expected):
    names = "labels", "sizes", "centers", "dispersion"
    for name, found, value in zip(names, clusters, expected, strict=True):
        np.testing.assert_array_equal(found, value, err_msg=name)


@st.composite
def rows_and_centers(draw):
    """Few values, so that ties abound, far from 0 or not, in units of every size."""
    n_samples, n_features, n_clusters = (draw(st.integers(1, top)) for top in (12, 6, 4))
    offset = draw(st.sampled_from([0.0, 0.1, 1e8, -1e12]))
    unit = np.array(draw(st.lists(st.sampled_from([1.0, 1e-140, 1e125]), min_size=1, max_size=n_features)))
    numbers = st.integers(-3, 3).map(float)
    X, centers = (
        (draw(arrays(float, (n, n_features), elements=numbers)) + offset) * np.resize(unit, n_features)
        for n in (n_samples, n_clusters)
    )
    n_rows = draw(st.sampled_from([1, n_clusters]))
    weights = draw(arrays(float, (n_rows, n_features), elements=st.sampled_from([1e-7, 0.1, 0.3, 1.0])))
    return X, centers, weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.slow
@pytest.mark.parametrize("block_rows", [5, 4096])
@given(problem=rows_and_centers())
def test_an_update_is_that_of_plain_sums(problem, block_rows):
    X, centers, weights = problem
    X.flags.writeable = centers.flags.writeable = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "BLOCK_ROWS", block_rows)
        assert_same_clusters(assign(X, centers, weights), plain_update(X, centers, weights))


def test_a_cluster_without_rows_keeps_its_centre():
    X, centers = np.array([[0.0], [1.0]]), np.array([[0.0], [9.0], [1.0], [1.0]])
    clusters = assign(X, centers, np.ones((1, 1)))
    assert_same_clusters(clusters, ([0, 3], [1, 0, 0, 1], [[0], [9], [1], [1]], np.zeros((4, 1))))
