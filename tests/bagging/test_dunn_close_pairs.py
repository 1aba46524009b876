"""Listed pairs give the exact separation of every replica, or say that they cannot."""

import numpy as np
import pytest

from xcompare import BaggedClustering
from xcompare.bagging.dunn_bounds import Clusters
from xcompare.bagging.dunn_close_pairs import ClosePairs
from xcompare.bagging.dunn_distance_matrix import DistanceMatrix
from xcompare.bagging.kmeans import nearest_center


def replica(points, m, rng):
    """A nearest-centre partition in some features, those features and its centres."""
    features = np.zeros(len(points), dtype=bool)
    features[rng.permutation(len(points))[:m]] = True
    centers = points[features].T[rng.choice(points.shape[1], 4, replace=False)]
    labels = nearest_center(points[features], centers[None])[0][0]
    return labels, features, centers


def list_pairs(points, m, n_replicas, rng):
    """The list, or None, as the first replica decides."""
    labels, features, centers = replica(points, m, rng)
    clusters = Clusters.of(points[features], labels, centers)
    smallest = clusters.separation()
    return ClosePairs.worth_listing(points, m, n_replicas, smallest, clusters.pairs_within(smallest))


@pytest.mark.parametrize(("p", "m"), [(6, 6), (6, 5), (9, 7), (12, 9)])
def test_separation_is_exact(p, m):
    rng = np.random.default_rng(p * m)
    points = rng.normal(size=(p, 700))
    listed = list_pairs(points, m, 10_000, rng)
    assert listed is not None
    answered = 0
    for _ in range(20):
        labels, features, centers = replica(points, m, rng)
        found = listed.separation(labels, features)
        expected = Clusters.of(points[features], labels, centers).separation()
        if found is None:
            assert expected > listed.limit
        else:
            answered += 1
            assert found == pytest.approx(expected, rel=1e-14)
    assert answered > 10


def test_not_listed_where_it_does_not_pay():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(6, 500))
    assert list_pairs(points, 5, 1, rng) is None
    assert list_pairs(points, 2, 10_000, rng) is None  # too many groups


@pytest.mark.slow
@pytest.mark.parametrize("quality_space", ["subspace", "full"])
def test_listing_does_not_change_a_fit(quality_space, monkeypatch):
    monkeypatch.setattr(DistanceMatrix, "suits", lambda *a: False)
    X = np.random.default_rng(1).normal(size=(1500, 16))
    model = BaggedClustering(4, n_replicas=60, quality_space=quality_space, random_state=0)
    used = []
    separation = ClosePairs.separation
    monkeypatch.setattr(
        ClosePairs, "separation", lambda self, *a: used.append(1) or separation(self, *a), raising=True
    )
    listed = model.fit(X).replica_weights_
    assert len(used) == 60
    monkeypatch.setattr(ClosePairs, "worth_listing", lambda *a: None)
    np.testing.assert_allclose(model.fit(X).replica_weights_, listed, rtol=1e-14)
