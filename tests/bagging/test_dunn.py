"""The Dunn index is exact: against all pairs, on random and degenerate data, small and large."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tests.samples import dunn_by_all_pairs
from xcompare.bagging.dunn.bounds import Bounds, CentredClusters
from xcompare.bagging.dunn.index import choose_strategy, dunn_index
from xcompare.bagging.dunn.matrix import DistanceMatrix
from xcompare.bagging.kmeans.centers import nearest_center

STRATEGIES = [DistanceMatrix, Bounds]


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
        found = CentredClusters.of(points, labels, any_centers).dunn_index()
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
@pytest.mark.parametrize("strategy", STRATEGIES)
@given(case=partitions())
def test_every_strategy_equals_brute_force_for_any_labels_and_features(strategy, case):
    points, labels, masks = case
    found = strategy(points)(labels, masks, [None] * len(labels))
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
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nearest", [True, False])
@pytest.mark.parametrize(
    ("n", "p", "left_out", "strategy"),
    [
        (330, 40, 4, DistanceMatrix),  # features left out, each a pass
        (330, 40, 5, Bounds),
        (600, 40, 0, DistanceMatrix),
    ],
)
def test_on_both_sides_of_every_switch(kind, nearest, n, p, left_out, strategy):
    rng = np.random.default_rng(n + p)
    points = KINDS[kind](rng, p, n)
    labels, masks, centers = replicas(points, 2, left_out, rng, nearest)
    chosen = choose_strategy(points, 10, labels[0], masks[0], centers[0])
    assert type(chosen) is strategy
    expected = [dunn_by_all_pairs(points[mask].T, row) for row, mask in zip(labels, masks, strict=True)]
    np.testing.assert_allclose(chosen(labels, masks, centers), expected, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "p", "left_out", "kind", "strategy"),
    [
        (3001, 4, 1, "apart", Bounds),  # bounds rule out nearly all pairs ...
        (3001, 60, 1, "touching", DistanceMatrix),  # ... or nearly none
        (3001, 60, 4, "touching", DistanceMatrix),
        (400, 20, 1, "touching", DistanceMatrix),
        (1001, 200, 1, "touching", DistanceMatrix),
    ],
)
def test_the_first_replicate_decides(n, p, left_out, kind, strategy):
    rng = np.random.default_rng(n + p)
    points = KINDS[kind](rng, p, n)
    first = replicas(points, 1, left_out, rng)
    (labels,), (mask,), (centers,) = first
    chosen = choose_strategy(points, 100, labels, mask, centers)
    assert type(chosen) is strategy
    np.testing.assert_allclose(chosen(*first), [dunn_by_all_pairs(points[mask].T, labels)], rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nearest", [True, False])
def test_matrix_and_bounds_give_identical_results(kind, nearest):
    rng = np.random.default_rng(7)
    points = KINDS[kind](rng, 6, 400)
    many = replicas(points, 20, 1, rng, nearest)
    np.testing.assert_array_equal(Bounds(points)(*many), DistanceMatrix(points)(*many))


def test_many_rows_keep_no_distances():
    assert DistanceMatrix.suits(11_584, 20, 19)
    assert not DistanceMatrix.suits(11_585, 20, 19)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_units_do_not_matter(strategy, unit):
    rng = np.random.default_rng(5)
    points = rng.normal(size=(4, 90))
    labels, masks, centers = replicas(points, 3, 1, rng)
    expected = strategy(points)(labels, masks, centers)
    found = strategy(points * unit)(labels, masks, [c * unit for c in centers])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
