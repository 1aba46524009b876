"""Stored distances give the exact index."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tests.samples import dunn_by_all_pairs
from xcompare.bagging.dunn import matrix
from xcompare.bagging.dunn.matrix import BLOCK, ROWS, DistanceMatrix

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
    """Points, the labels of a partition, its features, columns in a block."""
    n, p = draw(st.integers(2, 70)), draw(st.integers(5, 7))
    elements = st.sampled_from([st.floats(-10, 10, width=32), st.integers(0, 2).map(float)])
    points = draw(npst.arrays(np.float64, (p, n), elements=draw(elements)))
    labels = draw(npst.arrays(np.int8, n, elements=st.integers(0, 4)))  # some unused
    points += draw(st.sampled_from([0, 5, 100])) * labels
    points[:, 0] += draw(st.sampled_from([0, 0, 1e3, 1e5]))  # rounds the rest off in single precision
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return points, labels, masks(rng, p, draw(st.integers(0, 4))), draw(st.integers(1, n + 1))


@pytest.mark.slow
@given(cases())
def test_equals_brute_force_for_any_partition(case):
    points, labels, features, block = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix, "BLOCK", block)
        found = DistanceMatrix(points)(labels[None], features, [None])
    np.testing.assert_allclose(found, dunn_by_all_pairs(points[features[0]].T, labels), rtol=1e-12)


@pytest.mark.parametrize("n_left_out", [0, 1, 4])
@pytest.mark.parametrize("n", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1, ROWS + 1])
@pytest.mark.parametrize("kind", KINDS)
def test_on_both_sides_of_a_block(n_left_out, kind, n):
    rng = np.random.default_rng(n)
    points = KINDS[kind](rng, 6, n)
    labels = clustered(rng, points)
    features = masks(rng, 6, n_left_out)
    found = DistanceMatrix(points)(labels[None], features, [None])
    np.testing.assert_allclose(found, dunn_by_all_pairs(points[features[0]].T, labels), rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_distances_that_single_precision_cannot_tell_apart(seed):
    """Groups so far apart that in single precision the wrong pairs within them are farthest."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(2, size=400)
    points, features = rng.normal(size=(6, 400)) + 1e4 * groups, masks(rng, 6, 1)
    expected = dunn_by_all_pairs(points[features[0]].T, groups)
    found = DistanceMatrix(points)(groups[None], features, [None])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_worker_reads_and_does_not_write():
    """joblib gives it a copy, with large arrays on disk."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(6, 300))
    labels, features = clustered(rng, points)[None], masks(rng, 6, 1)
    here = DistanceMatrix(points)
    there = pickle.loads(pickle.dumps(here))
    for array in (there.points, there.factors.right, there.first_equal):
        array.flags.writeable = False
    np.testing.assert_array_equal(there(labels, features, [None]), here(labels, features, [None]))
