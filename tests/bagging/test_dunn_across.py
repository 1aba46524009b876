"""The compiled search across a plane finds what a look at all pairs finds, to the last bit."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from xcompare.bagging import dunn_across
from xcompare.bagging.centers import nearest_center
from xcompare.bagging.dunn_across import Rows, closest_across
from xcompare.bagging.dunn_bounds import Bounds
from xcompare.bagging.dunn_distances import Pair, distances
from xcompare.bagging.dunn_extremes import Clusters
from xcompare.compiled import can_compile

pytest.importorskip("numba")

POINTS = {
    "touching": lambda rng, p, n: rng.normal(size=(p, n)),
    "tied": lambda rng, p, n: rng.integers(4, size=(p, n)).astype(float),
    "duplicated": lambda rng, p, n: rng.normal(size=(p, n))[:, rng.integers(-(-n // 3), size=n)],
    "equal": lambda rng, p, n: np.ones((p, n)),
    "an outlier": lambda rng, p, n: rng.normal(size=(p, n)) + 1e6 * (np.arange(n) == 0),
    "far from 0": lambda rng, p, n: rng.normal(size=(p, n)) + 1e5,
    "one feature very far from 0": lambda rng, p, n: (
        rng.normal(size=(p, n)) + 1e12 * (np.arange(p) == 0)[:, None]
    ),
    "correlated": lambda rng, p, n: rng.normal(size=n) + 1e-3 * rng.normal(size=(p, n)),
    "huge": lambda rng, p, n: 1e150 * rng.normal(size=(p, n)),
    "tiny": lambda rng, p, n: 1e-150 * rng.normal(size=(p, n)),
}


def all_pairs(points, left, right):
    """Smallest distance between two sets of points; scipy's is right but for rounding."""
    apart = cdist(points[:, left].T, points[:, right].T)
    i, j = np.nonzero(apart <= apart.min() * (1 + 1e-9))
    return distances(points[:, left[i]], points[:, right[j]]).min()


@pytest.mark.slow
@pytest.mark.parametrize("kind", POINTS)
@given(
    seed=st.integers(0, 10_000),
    p=st.sampled_from([1, 4, 5, 7, 8, 9, 20]),  # around what is in a box, and in a tile
    sizes=st.tuples(*[st.sampled_from([1, 31, 32, 33, 100, 129, 1024, 1025])] * 2),
    known=st.sampled_from(["nothing", "a pair", "one hardly farther", "the closest"]),
    across=st.sampled_from(["by means", "any", "none"]),
    left_out=st.sampled_from([0, 1, 3]),
)
@example(seed=0, p=9, sizes=(100, 129), known="a pair", across="by means", left_out=0)
def test_a_closest_pair_of_any_two_sets(kind, seed, p, sizes, known, across, left_out):
    rng = np.random.default_rng(seed)
    everything = POINTS[kind](rng, p + left_out, sum(sizes) + 5)
    features = np.sort(rng.permutation(p + left_out)[:p])
    points, rows = everything[features], Rows.of(everything)._replace(features=features)
    chosen = rng.permutation(points.shape[1])
    if across == "by means":  # a plane between them
        chosen = chosen[np.argsort(points[0, chosen], kind="stable")]
    left, right = chosen[: sizes[0]], chosen[-sizes[1] :]
    expected = all_pairs(points, left, right)
    best = {
        "nothing": Pair(np.inf, -1, -1),
        "a pair": Pair(float(distances(points[:, left[:1]], points[:, right[:1]])[0]), left[0], right[0]),
        "one hardly farther": Pair(float(np.nextafter(expected, np.inf)), -1, -1),
        "the closest": Pair(float(expected), -1, -1),
    }[known]
    direction = {
        "by means": points[:, right].mean(axis=1) - points[:, left].mean(axis=1),
        "any": rng.normal(size=p),
        "none": np.zeros(p),
    }[across]
    found = closest_across(rows, left, right, direction, best)
    assert found.distance == expected
    if found is not best:
        assert found.first in left
        assert found.second in right
        assert distances(points[:, [found.first]], points[:, [found.second]])[0] == expected


@pytest.mark.parametrize("kind", ["touching", "tied", "duplicated", "correlated"])
@pytest.mark.parametrize("p", [2, 8, 15])
def test_a_separation_is_the_same_with_it_and_without(monkeypatch, kind, p):
    rng = np.random.default_rng(p)
    points = POINTS[kind](rng, p, 3000)
    centers = points.T[rng.choice(3000, 4, replace=False)] + 1e-9
    labels = nearest_center(points, centers[None])[0][0]
    found = {}
    for at_least in (0, np.inf):
        monkeypatch.setattr(dunn_across, "PAIRS_A_POINT", at_least)
        monkeypatch.setattr(dunn_across, "pays", lambda seconds: True)
        found[at_least] = Clusters.of(points, labels, centers).separation()
    assert found[0] == found[np.inf]


def test_it_is_for_many_pairs_in_not_too_many_features(monkeypatch):
    monkeypatch.setattr(dunn_across, "pays", lambda seconds: True)
    n_points = 1000
    few = dunn_across.PAIRS_A_POINT * n_points
    assert dunn_across.suits(n_points, few + 1, dunn_across.MAX_FEATURES)
    assert not dunn_across.suits(n_points, few, dunn_across.MAX_FEATURES)
    assert not dunn_across.suits(n_points, few + 1, dunn_across.MAX_FEATURES + 1)
    monkeypatch.setattr(dunn_across, "pays", lambda seconds: False)
    assert not dunn_across.suits(n_points, few + 1, 5)


@pytest.mark.skipif(not can_compile(), reason="XCOMPARE_COMPILED is 0")
def test_many_pairs_are_thought_to_take_less_with_it(monkeypatch):
    with_it = Bounds.seconds(10**6, 19, 5, 10**11)
    monkeypatch.setenv("XCOMPARE_COMPILED", "0")
    assert with_it < Bounds.seconds(10**6, 19, 5, 10**11) / 3
