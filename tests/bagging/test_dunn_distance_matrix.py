"""Kept distances give the exact index, by passes over all pairs and by a loop that rules out most of them."""

import pickle
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tests.samples import dunn_by_all_pairs
from xcompare import compiled
from xcompare.bagging import dunn_distance_matrix
from xcompare.bagging.dunn import choose_strategy
from xcompare.bagging.dunn_distance_matrix import BLOCK, DistanceMatrix
from xcompare.compiled import can_compile

KINDS = {
    "touching": lambda rng, p, n: rng.normal(size=(p, n)),
    "apart": lambda rng, p, n: rng.normal(size=(p, n)) + 8 * rng.integers(4, size=n),
    "tied": lambda rng, p, n: rng.integers(3, size=(p, n)).astype(float),
    "duplicated": lambda rng, p, n: rng.normal(size=(p, n))[:, rng.integers(n // 3, size=n)],
    "an outlier": lambda rng, p, n: rng.normal(size=(p, n)) + 1e4 * (np.arange(n) == 0),
    # In single precision distances in a group are hardly told apart.
    "far groups": lambda rng, p, n: rng.normal(size=(p, n)) + 1e3 * rng.integers(2, size=n),
    "farther groups": lambda rng, p, n: rng.normal(size=(p, n)) + 3e3 * rng.integers(2, size=n),
}
ALIKE = {
    "the same": lambda rng, labels: labels,
    "split": lambda rng, labels: labels + 7 * (rng.random(len(labels)) < 0.5),
    "merged": lambda rng, labels: labels // 2,
    "strays": lambda rng, labels: np.where(rng.random(len(labels)) < 0.1, 0, labels),
    "other": lambda rng, labels: rng.integers(5, size=len(labels)),
    "one point each": lambda rng, labels: rng.permutation(len(labels)),
}


def kept(by_loop, points, alike=None, block=BLOCK):
    """All distances, to be looked through in the one way or the other."""
    if by_loop and not can_compile():
        pytest.skip("needs numba")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dunn_distance_matrix, "pays", lambda seconds: by_loop)
        patch.setattr(dunn_distance_matrix, "BLOCK", block)
        return DistanceMatrix(points, alike=alike)


def clustered(rng, points):
    """Labels of the nearest of some points."""
    centers = points[:, rng.choice(points.shape[1], 8, replace=False)]
    return np.square(points[:, :, None] - centers[:, None]).sum(axis=0).argmin(axis=1)


def masks(rng, n_features, n_left_out):
    """Features of one partition."""
    chosen = np.ones((1, n_features), dtype=bool)
    chosen[0, rng.choice(n_features, n_left_out, replace=False)] = False
    return chosen


@st.composite
def cases(draw):
    """Points, labels of another partition and of this one, its features, points in a block."""
    n, p = draw(st.integers(2, 70)), draw(st.integers(5, 7))
    elements = st.sampled_from([st.floats(-10, 10, width=32), st.integers(0, 2).map(float)])
    points = draw(npst.arrays(np.float64, (p, n), elements=draw(elements)))
    labels = draw(npst.arrays(np.int8, n, elements=st.integers(0, 4)))  # some unused
    points += draw(st.sampled_from([0, 5, 100])) * labels
    points[:, 0] += draw(st.sampled_from([0, 0, 1e3, 1e5]))  # rounds all else off in single precision
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    alike = ALIKE[draw(st.sampled_from(list(ALIKE)))](rng, labels)
    if draw(st.booleans()):
        alike, labels = labels, np.unique(alike, return_inverse=True)[1]
    return points, alike, labels, masks(rng, p, draw(st.integers(0, 4))), draw(st.integers(1, n + 1))


@pytest.mark.slow
@given(cases())
def test_both_ways_equal_brute_force_for_any_partition(case):
    points, alike, labels, features, block = case
    by_passes = kept(False, points, alike, block)(labels[None], features, [None])
    np.testing.assert_allclose(by_passes, dunn_by_all_pairs(points[features[0]].T, labels), rtol=1e-12)
    if can_compile():
        by_loop = kept(True, points, alike, block)(labels[None], features, [None])
        np.testing.assert_array_equal(by_loop, by_passes)


@pytest.mark.parametrize("by_loop", [False, True])
@pytest.mark.parametrize("n", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1])
@pytest.mark.parametrize("kind", KINDS)
def test_on_both_sides_of_a_block(by_loop, kind, n):
    rng = np.random.default_rng(n)
    points = KINDS[kind](rng, 6, n)
    labels = clustered(rng, points)
    features = masks(rng, 6, 1)
    found = kept(by_loop, points, labels)(labels[None], features, [None])
    np.testing.assert_allclose(found, dunn_by_all_pairs(points[features[0]].T, labels), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_left_out", [0, 1, 4])
@pytest.mark.parametrize("alike", ALIKE)
def test_neither_the_way_nor_the_order_changes_a_bit(kind, n_left_out, alike):
    rng = np.random.default_rng(n_left_out)
    points = KINDS[kind](rng, 6, 400)
    labels = np.stack([clustered(rng, points) for _ in range(3)])
    features = np.repeat(masks(rng, 6, n_left_out), 3, axis=0)
    found = [
        kept(by_loop, points, order, 32)(labels, features, [None] * 3)
        for by_loop in {False, can_compile()}
        for order in (None, ALIKE[alike](rng, labels[0]))
    ]
    for some in found[1:]:
        np.testing.assert_array_equal(some, found[0])
    expected = [dunn_by_all_pairs(points[features[0]].T, row) for row in labels]
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_distances_that_single_precision_cannot_tell_apart(seed):
    """Groups so far off that within them single precision has the wrong pairs as the farthest."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(2, size=400)
    points, features = rng.normal(size=(6, 400)) + 1e4 * groups, masks(rng, 6, 1)
    expected = dunn_by_all_pairs(points[features[0]].T, groups)
    for by_loop in {False, can_compile()}:
        found = kept(by_loop, points, groups, 32)(groups[None], features, [None])
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("by_loop", [False, True])
@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_units_do_not_matter(by_loop, unit):
    rng = np.random.default_rng(5)
    points = rng.normal(size=(6, 300))
    labels = clustered(rng, points)
    features = masks(rng, 6, 2)
    found = kept(by_loop, points * unit, labels)(labels[None], features, [None])
    np.testing.assert_allclose(found, dunn_by_all_pairs(points[features[0]].T, labels), rtol=1e-12)


@pytest.mark.parametrize("alike", ["the same", "split", "merged"])
def test_bounds_rule_out_most_rows(alike, monkeypatch):
    rng = np.random.default_rng(0)
    labels = rng.integers(6, size=3000)
    points = rng.normal(size=(80, 3000)) + 2 * rng.normal(size=(80, 6))[:, labels]
    all_kept = kept(True, points, ALIKE[alike](rng, labels), 32)
    looked_through = []
    extremes = dunn_distance_matrix._extremes

    def spied(*args):
        found = extremes(*args)
        looked_through.append(len(found[0]))
        return found

    monkeypatch.setattr(dunn_distance_matrix, "_extremes", spied)
    all_kept(labels[None], masks(rng, 80, 1), [None])
    assert 0 < looked_through[0] < 0.1 * all_kept.bounds.shape[1]


@pytest.mark.parametrize("by_loop", [False, True])
def test_a_worker_reads_and_does_not_write(by_loop):
    """joblib gives it a copy, with large arrays on disk."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(6, 300))
    labels, features = clustered(rng, points)[None], masks(rng, 6, 1)
    here = kept(by_loop, points, labels[0])
    there = pickle.loads(pickle.dumps(here))
    for array in (there.squares, there.bounds, there.points, there.scaled):
        array.flags.writeable = False
    np.testing.assert_array_equal(there(labels, features, [None]), here(labels, features, [None]))


def test_without_compiled_loops_bounds_are_not_needed(monkeypatch):
    rng = np.random.default_rng(3)
    points = rng.normal(size=(6, 300))
    labels, features = clustered(rng, points)[None], masks(rng, 6, 1)
    with_loops = kept(True, points, labels[0])
    expected = with_loops(labels, features, [None])
    monkeypatch.setenv("XCOMPARE_COMPILED", "0")
    monkeypatch.setattr(dunn_distance_matrix, "_extremes", None)
    np.testing.assert_array_equal(with_loops(labels, features, [None]), expected)
    assert not DistanceMatrix(points, n_replicas=10**6).by_loop


def test_points_are_in_the_order_of_the_first_replica():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(60, 600))
    labels = clustered(rng, points)
    chosen = choose_strategy(points, 10, labels, masks(rng, 60, 1)[0])
    assert type(chosen) is DistanceMatrix
    assert (np.diff(labels[chosen.order]) >= 0).all()


def test_loops_are_counted_on_where_they_save_more_than_loading_takes(monkeypatch):
    if not can_compile():
        pytest.skip("needs numba")
    monkeypatch.setattr(compiled, "_could_have_saved", 0.0)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    with_loops = [DistanceMatrix.seconds(10_000, 200, n_replicas) for n_replicas in (1, 100)]
    monkeypatch.setenv("XCOMPARE_COMPILED", "0")
    without = [DistanceMatrix.seconds(10_000, 200, n_replicas) for n_replicas in (1, 100)]
    assert with_loops[0] == without[0]
    assert with_loops[1] < without[1] / 5
