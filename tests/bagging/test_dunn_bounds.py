"""However points are compared, the extreme distances of a partition are those of all its pairs."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from xcompare.bagging import dunn_bounds
from xcompare.bagging.centers import nearest_center
from xcompare.bagging.dunn_bounds import Clusters

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
    clusters = Clusters.of(points, labels, centers)
    apart, same = squareform(pdist(points.T)), labels[:, None] == labels
    assert clusters.separation() == pytest.approx(apart[~same].min(), rel=1e-12, abs=0)
    assert clusters.diameter() == pytest.approx(apart[same].max(), rel=1e-12, abs=0)


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize("more", [-1, 0])
def test_where_factors_are_made_once_for_all_clusters(monkeypatch, kind, more):
    monkeypatch.setattr(dunn_bounds, "FEW_PAIRS", 0)
    check(kind, 700, dunn_bounds.MANY_CLUSTERS + more)


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize("few", [0, 1000, 10**9])
def test_whether_few_pairs_are_measured_at_once_or_not(monkeypatch, kind, few):
    monkeypatch.setattr(dunn_bounds, "FEW_PAIRS", few)
    check(kind, 600, 4)


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize("near", [0.0, 0.125, 1.0])
def test_whatever_counts_as_near_the_planes(monkeypatch, kind, near):
    monkeypatch.setattr(dunn_bounds, "NEAR", near)
    monkeypatch.setattr(dunn_bounds, "NEAR_POINTS", 2)
    check(kind, 800, 4)
