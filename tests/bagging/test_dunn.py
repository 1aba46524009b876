"""The Dunn index is exact: against all pairs, on random and degenerate data, small and large."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tests.samples import dunn_by_all_pairs
from xcompare.bagging.dunn.bounds import CentredClusters
from xcompare.bagging.dunn.index import dunn_index, dunn_indices
from xcompare.bagging.kmeans.centers import nearest_center


def check(X, labels):
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    expected = dunn_by_all_pairs(X, labels)
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


@pytest.mark.slow
@given(labelled_points())
def test_equals_brute_force_for_any_labels(case):
    check(*case)


@pytest.mark.slow
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
        found = CentredClusters.of(points.T, labels, any_centers).dunn_index()
        assert found == pytest.approx(dunn_by_all_pairs(points.T, labels), rel=1e-14)


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


@st.composite
def partitions(draw):
    """Points, features first, with labels and feature masks of several partitions."""
    X, labels = draw(labelled_points())
    X = np.column_stack([X, draw(npst.arrays(np.float64, (len(X), 2), elements=st.integers(-1, 1)))])
    n_partitions = draw(st.integers(1, 3))
    masks = draw(npst.arrays(np.bool_, (n_partitions, X.shape[1])))
    masks[:, draw(st.integers(0, X.shape[1] - 1))] = True
    moved = np.stack([np.roll(labels, k) for k in range(n_partitions)])
    return np.ascontiguousarray(X.T), moved, masks


@pytest.mark.slow
@given(case=partitions())
def test_those_of_an_ensemble_equal_brute_force_for_any_labels_and_features(case):
    points, labels, masks = case
    found = dunn_indices(points, labels, masks, [None] * len(labels))
    expected = [dunn_by_all_pairs(points[mask].T, row) for row, mask in zip(labels, masks, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def replicas(points, n_replicas, left_out, rng, nearest=True):
    """Labels, feature masks and centres as a bag makes them, or labels that no centres explain."""
    labels, masks, centers = [], [], []
    for _ in range(n_replicas):
        mask = np.ones(len(points), dtype=bool)
        mask[rng.choice(len(points), left_out, replace=False)] = False
        centers.append(points[mask].T[rng.choice(points.shape[1], 4, replace=False)])
        by_centre = nearest_center(points[mask], centers[-1][None])[0][0]
        labels.append(by_centre if nearest else rng.integers(4, size=points.shape[1]).astype(np.int8))
        masks.append(mask)
    return np.stack(labels), np.stack(masks), centers


KINDS = {
    "touching": lambda rng, p, n: rng.normal(size=(p, n)),
    "apart": lambda rng, p, n: rng.normal(size=(p, n)) + 8 * rng.integers(4, size=n),
    "tied": lambda rng, p, n: rng.integers(3, size=(p, n)).astype(float),
    "duplicated": lambda rng, p, n: rng.normal(size=(p, n))[:, rng.integers(n // 3, size=n)],
    "an outlier": lambda rng, p, n: rng.normal(size=(p, n)) + 1e6 * (np.arange(n) == 0),
    # In single precision distances in a group are hardly told apart.
    "far groups": lambda rng, p, n: rng.normal(size=(p, n)) + 1e4 * rng.integers(2, size=n),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nearest", [True, False])
@pytest.mark.parametrize(("n", "p", "left_out"), [(330, 40, 4), (1000, 6, 1), (2400, 5, 0)])
def test_those_of_an_ensemble_are_exact(kind, nearest, n, p, left_out):
    """With few points of a cluster, all are compared at once; with more, some give a first bound."""
    rng = np.random.default_rng(n + p)
    points = KINDS[kind](rng, p, n)
    labels, masks, centers = replicas(points, 2, left_out, rng, nearest)
    expected = [dunn_by_all_pairs(points[mask].T, row) for row, mask in zip(labels, masks, strict=True)]
    np.testing.assert_allclose(dunn_indices(points, labels, masks, centers), expected, rtol=1e-12)


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_units_do_not_matter(unit):
    rng = np.random.default_rng(5)
    points = rng.normal(size=(4, 90))
    labels, masks, centers = replicas(points, 3, 1, rng)
    expected = dunn_indices(points, labels, masks, centers)
    found = dunn_indices(points * unit, labels, masks, [c * unit for c in centers])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
