"""The Dunn index is exact: against all pairs, on random and degenerate data, small and large."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy.spatial.distance import pdist, squareform

from xcompare.bagging.dunn_extremes import Clusters
from xcompare.bagging.kmeans import nearest_center
from xcompare.bagging.quality import PairwiseDunn, dunn_index, dunn_ratio, quality_of


def brute_force(X, labels):
    """Dunn index from all pairs."""
    distance = squareform(pdist(X))
    same = labels[:, None] == labels
    if same.all():
        return 0.0
    separation, diameter = distance[~same].min(), distance[same].max()
    if separation == 0:
        return 0.0
    return separation / diameter if diameter > 0 else np.inf


def check(X, labels):
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    expected = brute_force(X, labels)
    assert dunn_index(X, labels) == pytest.approx(expected, rel=1e-12, abs=0)


@st.composite
def labelled_points(draw):
    n, p = draw(st.integers(2, 80)), draw(st.integers(1, 5))
    # Few distinct values: ties, repeated points, points shared by clusters.
    elements = draw(
        st.sampled_from(
            [st.floats(-10, 10, width=32), st.integers(0, 3).map(float), st.floats(1e6, 1e6 + 1, width=64)]
        )
    )
    X = draw(npst.arrays(np.float64, (n, p), elements=elements))
    labels = draw(npst.arrays(np.int64, n, elements=st.integers(0, 4)))
    return X, labels


@given(labelled_points())
def test_equals_brute_force_for_any_labels(case):
    check(*case)


@pytest.mark.parametrize("n", [50, 700, 3000])
@pytest.mark.parametrize("kind", ["normal", "clusters", "grid", "far from 0", "duplicates"])
def test_equals_brute_force_for_nearest_centre_labels(n, kind):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 6))
    if kind == "clusters":
        X += 6 * rng.integers(3, size=n)[:, None]
    elif kind == "grid":
        X = np.round(X)
    elif kind == "far from 0":
        X += 1e5
    elif kind == "duplicates":
        X = X[rng.integers(20, size=n)]
    centers = X[rng.choice(n, 4, replace=False)]
    labels = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    check(X, labels)


@pytest.mark.parametrize("n", [2000])
def test_equals_brute_force_for_random_labels(n):
    """Clusters on top of each other: no bound helps, the answer is still exact."""
    rng = np.random.default_rng(0)
    check(rng.normal(size=(n, 3)), rng.integers(5, size=n))


def test_centres_change_the_time_and_not_the_result():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(4, 900))
    centers = rng.normal(size=(5, 4))
    labels = nearest_center(points, centers[None])[0][0]
    for any_centers in (centers, centers * 0, centers[::-1] + 3):
        clusters = Clusters.of(points, labels, any_centers)
        found = dunn_ratio(clusters.separation(), clusters.diameter())
        assert found == pytest.approx(brute_force(points.T, labels), rel=1e-14)


@pytest.mark.parametrize(
    ("X", "labels", "expected"),
    [
        ([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1], 3.0),
        ([[0.0], [1.0]], [0, 0], 0.0),  # a single cluster
        ([[0.0], [1.0]], [0, 1], np.inf),  # no cluster has an extent
        ([[1.0], [1.0], [1.0]], [0, 1, 1], 0.0),  # clusters without extent that share a point
        ([[0.0], [2.0], [0.0]], [0, 0, 1], 0.0),  # a point in two clusters
    ],
)
def test_degenerate_partitions_are_defined(X, labels, expected):
    assert dunn_index(X, labels) == expected


def test_pairwise_equals_one_by_one():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 7)).round(1)
    labels = rng.integers(3, size=(20, 60))
    labels[4] = 0
    features = rng.random((20, 7)) < 0.5
    features[:, 0] = True
    found = PairwiseDunn(X)(labels, features)
    expected = [dunn_index(X[:, f], row) for f, row in zip(features, labels, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_silhouette_below_zero_counts_as_zero():
    X, labels = np.array([[0.0], [10.0], [0.1], [10.1]]), np.array([0, 0, 1, 1])
    assert quality_of("silhouette", X, labels) == 0.0
    assert quality_of("silhouette", X, np.array([0, 1, 0, 1])) > 0.9


def test_a_quality_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="finite number"):
        quality_of(lambda X, labels: np.nan, np.zeros((2, 1)), np.array([0, 1]))
