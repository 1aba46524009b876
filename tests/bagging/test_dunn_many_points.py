"""Dunn indices of many points are those that trees and hulls find, which share no code with ours."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull, KDTree
from scipy.spatial.distance import pdist

from xcompare.bagging.dunn.index import dunn_indices
from xcompare.bagging.kmeans.centers import nearest_center

N_CLUSTERS = 3


def dunn_by_trees_and_hulls(points, labels):
    """The closest pair of two clusters by a tree of one; the farthest pair of one is on its hull."""
    clusters = [points[:, labels == k].T for k in range(N_CLUSTERS)]
    trees = [KDTree(cluster) for cluster in clusters]
    closest = min(
        trees[i].query(clusters[j])[0].min() for i in range(N_CLUSTERS) for j in range(i + 1, N_CLUSTERS)
    )
    widest = max(pdist(cluster[ConvexHull(cluster).vertices]).max() for cluster in clusters)
    return closest / widest


def replicas(points, count, rng):
    """Partitions by the nearest of three centres, each in all features but one."""
    n_features, n = points.shape
    labels, features, centers = [], np.ones((count, n_features), dtype=bool), []
    for left_out, chosen in zip(rng.integers(n_features, size=count), features, strict=True):
        chosen[left_out] = False
        centers.append(points[chosen][:, rng.choice(n, N_CLUSTERS, replace=False)].T)
        labels.append(nearest_center(points[chosen], centers[-1][None])[0][0])
    return np.stack(labels), features, centers


@pytest.mark.slow
@pytest.mark.parametrize("n", [40_000])
def test_many_points_are_exact(n):
    rng = np.random.default_rng(n)
    group = rng.integers(N_CLUSTERS, size=n)
    points = rng.normal(size=(5, n)) + 2 * rng.normal(size=(5, N_CLUSTERS))[:, group]
    points = points[:, np.argsort(-np.square(points).sum(axis=0))]
    labels, features, centers = replicas(points, 4, rng)
    expected = [
        dunn_by_trees_and_hulls(points[chosen], row) for row, chosen in zip(labels, features, strict=True)
    ]
    np.testing.assert_allclose(dunn_indices(points, labels, features, centers), expected, rtol=1e-12)
