"""However points are compared, the extreme distances of a partition are those of all its pairs."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from xcompare.bagging.dunn.bounds import CentredClusters
from xcompare.bagging.kmeans.centers import nearest_center

POINTS = {
    "touching": lambda rng, n: rng.normal(size=(5, n)),
    "tied": lambda rng, n: rng.integers(3, size=(5, n)).astype(float),
    "duplicated": lambda rng, n: rng.normal(size=(5, n))[:, rng.integers(n // 4, size=n)],
}


def check(kind, n, n_clusters):
    rng = np.random.default_rng(n + n_clusters)
    points = POINTS[kind](rng, n)
    centers = points.T[rng.choice(n, n_clusters, replace=False)]
    labels = nearest_center(points, centers[None])[0][0]
    clusters = CentredClusters.of(points.T, labels, centers)
    apart, same = squareform(pdist(points.T)), labels[:, None] == labels
    assert clusters.separation() == pytest.approx(apart[~same].min(), rel=1e-12, abs=0)
    assert clusters.diameter() == pytest.approx(apart[same].max(), rel=1e-12, abs=0)


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize(("n", "n_clusters"), [(40, 3), (600, 4), (700, 12), (3000, 2)])
def test_extremes_are_those_of_all_pairs(kind, n, n_clusters):
    check(kind, n, n_clusters)
