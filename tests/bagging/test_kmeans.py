"""K-means: scikit-learn's answers from the same starts, weights as repeated points, no empty clusters."""

from functools import reduce

import numpy as np
import pytest
from sklearn.cluster import KMeans

from xcompare.bagging.kmeans import centers, hamerly, lloyd
from xcompare.bagging.kmeans.centers import nearest_center
from xcompare.bagging.kmeans.lloyd import (
    LARGE,
    LARGE_SEVERAL_INIT,
    SMALL_PROBLEM,
    STACK_VALUES,
    is_large,
    kmeans,
    random_initializations,
)


def problem(n, p, n_clusters, seed):
    """Overlapping clusters and starting centres."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(p, n)) + 2.5 * rng.integers(n_clusters, size=n)
    return points, points.T[rng.choice(n, n_clusters, replace=False)], rng


def sum_of_squares(points, centers):
    """Squared distances to the nearest centre."""
    return ((points.T[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum()


@pytest.mark.parametrize("n", [60, 500, LARGE, 3 * LARGE])
@pytest.mark.parametrize("tol", [1e-4, 0.0])
def test_equals_scikit_learn_from_the_same_start(n, tol):
    for seed in range(5):
        points, start, _ = problem(n, 4, 3, seed)
        peer = KMeans(3, init=start, n_init=1, max_iter=50, tol=tol, algorithm="lloyd").fit(points.T)
        centers = kmeans(points[None], np.ones((1, n)), start[None, None], tol=tol)
        np.testing.assert_allclose(centers[0], peer.cluster_centers_, atol=1e-9)


@pytest.mark.parametrize("n", [80, LARGE + 100])
def test_weights_are_repeated_points(n):
    points, start, rng = problem(n, 3, 4, 0)
    counts = np.bincount(rng.integers(n, size=n), minlength=n)
    repeated = np.repeat(points, counts, axis=1)
    weighted = kmeans(points[None], counts[None], start[None, None])
    plain = kmeans(repeated[None], np.ones((1, n)), start[None, None])
    np.testing.assert_allclose(weighted, plain, atol=1e-10)


@pytest.mark.parametrize("stacked", [SMALL_PROBLEM, 3 * SMALL_PROBLEM, STACK_VALUES])
@pytest.mark.parametrize(
    ("n", "n_init"), [(120, 1), (120, 4), (SMALL_PROBLEM // 4, 4), (SMALL_PROBLEM // 4 + 1, 4)]
)
def test_a_stack_gives_what_single_problems_give(n, n_init, stacked, monkeypatch):
    monkeypatch.setattr(lloyd, "STACK_VALUES", stacked)
    cases = [problem(n, 4, 3, seed) for seed in range(9)]
    data, counts = np.stack([points for points, _, _ in cases]), np.random.default_rng(0).poisson(1, (9, n))
    starts = np.stack(
        [random_initializations(points, np.ones(n), 3, n_init, rng) for points, _, rng in cases]
    )
    together = kmeans(data, counts, starts)
    np.testing.assert_array_equal(together[:2], kmeans(data[:2], counts[:2], starts[:2]))
    for i in range(9):
        alone = kmeans(data[i : i + 1], counts[i : i + 1], starts[i : i + 1])
        # Of one problem, all starts share a product, which may round otherwise than one for each.
        np.testing.assert_allclose(together[i], alone[0], rtol=1e-12 if n_init > 1 else 0)


@pytest.mark.parametrize("n", [150, LARGE_SEVERAL_INIT // 4])
def test_the_best_of_several_starts_is_taken(n):
    points, _, rng = problem(n, 2, 4, 3)
    ones = np.ones(n, dtype=int)
    starts = random_initializations(points, ones, 4, 12, rng)
    best = sum_of_squares(points, kmeans(points[None], ones[None], starts[None])[0])
    singles = [sum_of_squares(points, kmeans(points[None], ones[None], s[None, None])[0]) for s in starts]
    assert best == pytest.approx(min(singles))
    assert best < max(singles)


@pytest.mark.parametrize("n", [40, LARGE])
def test_an_empty_cluster_is_filled(n):
    points, _, _ = problem(n, 2, 3, 1)
    far_away = np.array([[0.0, 0.0], [1e3, 1e3], [-1e3, -1e3]])
    centers = kmeans(points[None], np.ones((1, n)), far_away[None, None])
    labels, _ = nearest_center(points, centers[0][None])
    assert np.bincount(labels[0], minlength=3).min() > 0


def test_fewer_points_than_clusters_are_kept_as_they_are():
    points = np.tile([[1.0], [2.0]], 30)
    centers = kmeans(points[None], np.ones((1, 30)), np.ones((1, 1, 3, 2)))
    assert np.isfinite(centers).all()
    assert sum_of_squares(points, centers[0]) == pytest.approx(0, abs=1e-9)


def test_starts_are_distinct_points_that_count():
    rng = np.random.default_rng(0)
    points = rng.integers(3, size=(2, 200)).astype(float)
    weights = (points[0] != 1).astype(int)
    starts = random_initializations(points, weights, 4, 50, rng)
    assert (starts[:, :, 0] != 1).all()
    for start in starts:
        assert len({tuple(c) for c in start}) == 4


def test_many_clusters_have_labels_of_their_own():
    points = np.arange(200.0)[None]
    labels, _ = nearest_center(points, points.T[None])
    np.testing.assert_array_equal(labels[0], np.arange(200))


def test_clusters_that_come_out_empty_are_filled_alike():
    n_empty = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        points = rng.integers(12, size=(1, 14)).astype(float)
        weights = rng.integers(8, 40, size=14) / 8
        starts = rng.choice(12, size=(1, 5, 1), replace=False).astype(float)
        n_empty += np.unique(nearest_center(points, starts)[0]).size < 5
        plain = kmeans(points[None], weights[None], starts[None])[0]
        np.testing.assert_allclose(
            hamerly.hamerly_kmeans(points, None, weights, starts).centers, plain, atol=1e-9
        )
    assert n_empty > 50


@pytest.mark.parametrize("n_init", [1, 2, 7])
@pytest.mark.parametrize("n_clusters", [2, 5])
def test_how_points_are_looked_at_changes_nothing(n_init, n_clusters):
    limits = {LARGE, -(-LARGE_SEVERAL_INIT // n_clusters)}
    for n in {limit + more for limit in limits for more in (-1, 0)}:
        points, _, rng = problem(n, 3, n_clusters, n)
        counts = rng.integers(3, size=n)
        starts = random_initializations(points, counts, n_clusters, n_init, rng)
        found = kmeans(points[None], counts[None], starts[None])[0]
        by_few = hamerly.hamerly_kmeans(points, None, counts, starts).centers
        assert is_large(n, n_init, n_clusters) == (n >= (LARGE if n_init == 1 else max(limits)))
        # Starts that find the same clusters differ by rounding: which is the best is chance.
        np.testing.assert_allclose(np.sort(found, axis=0), np.sort(by_few, axis=0), atol=1e-9)


def test_sums_of_squares_of_runs_compare():
    points, _, rng = problem(500, 3, 4, 0)
    counts = rng.integers(1, 4, size=500)
    starts = random_initializations(points, counts, 4, 6, rng)
    runs = [hamerly.hamerly_kmeans(points, None, counts, start[None]) for start in starts]
    shared = (counts * (points**2).sum(axis=0)).sum()
    for run in runs:
        squares = ((points.T[:, None] - run.centers) ** 2).sum(axis=2).min(axis=1)
        assert run.inertia + shared == pytest.approx(counts @ squares, rel=1e-12)
    best = reduce(hamerly._better, runs)
    np.testing.assert_array_equal(hamerly.hamerly_kmeans(points, None, counts, starts).centers, best.centers)


@pytest.mark.parametrize("n", [LARGE_SEVERAL_INIT // 4, centers.BLOCK_POINTS, centers.BLOCK_POINTS + 1])
@pytest.mark.parametrize("n_init", [1, 3])
def test_many_points_in_some_features_are_clustered_as_a_copy_of_them(n, n_init):
    rng = np.random.default_rng(n)
    points, features = rng.normal(size=(6, n)), np.array([0, 2, 3, 5])
    weights = rng.integers(3, size=n)
    starts = random_initializations(points, weights, 4, n_init, np.random.default_rng(0), features)
    copied = np.ascontiguousarray(points[features])
    np.testing.assert_array_equal(
        starts, random_initializations(copied, weights, 4, n_init, np.random.default_rng(0)), strict=True
    )
    found = hamerly.hamerly_kmeans(points, features, weights, starts).centers
    np.testing.assert_array_equal(found, kmeans(copied[None], weights[None], starts[None])[0], strict=True)
    labels = centers.nearest_of_many(points, features, found)
    np.testing.assert_array_equal(labels, nearest_center(copied, found[None])[0][0], strict=True)
    squares = ((copied[:, None] - found.T[..., None]) ** 2).sum(axis=0)
    np.testing.assert_array_equal(labels, squares.argmin(axis=0))
