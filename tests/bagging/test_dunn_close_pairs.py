"""Listed pairs give the exact separation of every replica, or say that they cannot."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import Parallel

from xcompare import BaggedClustering
from xcompare.bagging import dunn_close_pairs
from xcompare.bagging.centers import nearest_center
from xcompare.bagging.dunn import Plan, choose_strategy
from xcompare.bagging.dunn_bounds import Bounds
from xcompare.bagging.dunn_close_pairs import ClosePairs
from xcompare.bagging.dunn_distance_matrix import DistanceMatrix
from xcompare.bagging.dunn_extremes import Clusters
from xcompare.bagging.dunn_nearly_close import seconds_by_tiles

BY_TILES = dunn_close_pairs._by_tiles
POINTS = {
    "touching": lambda rng, p, n: rng.normal(size=(p, n)),
    "tied": lambda rng, p, n: rng.integers(4, size=(p, n)).astype(float),
    "duplicated": lambda rng, p, n: rng.normal(size=(p, n))[:, rng.integers(n // 3, size=n)],
    "an outlier": lambda rng, p, n: rng.normal(size=(p, n)) + 1e6 * (np.arange(n) == 0),
    "huge": lambda rng, p, n: 1e150 * rng.normal(size=(p, n)),
}


@pytest.fixture(autouse=True, scope="module", params=["products", "tiles"])
def few_points_are_listed_too(request):
    """In both ways: by products of matrices, and by compiled loops, which many points are for."""
    if request.param == "tiles":
        pytest.importorskip("numba")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dunn_close_pairs, "MAX_DIFFERENCES", np.inf)
        patch.setattr(dunn_close_pairs, "_by_tiles", lambda n_samples: request.param == "tiles")
        yield


def replica(points, m, rng):
    """A nearest-centre partition in some features, those features and its centres."""
    features = np.zeros(len(points), dtype=bool)
    features[rng.permutation(len(points))[:m]] = True
    centers = points[features].T[rng.choice(points.shape[1], 4, replace=False)]
    labels = nearest_center(points[features], centers[None])[0][0]
    return labels, features, centers


def separation(points, labels, features, centers):
    """Smallest distance between clusters."""
    return Clusters.of(points[features], labels, centers).separation()


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize(("p", "m"), [(6, 6), (6, 5), (9, 7), (12, 9)])
def test_separation_is_that_of_all_pairs_to_the_last_bit(kind, p, m):
    rng = np.random.default_rng(p * m)
    points = POINTS[kind](rng, p, 700)
    limit = 1.2 * separation(points, *replica(points, m, rng))
    listed = ClosePairs.listed(Bounds(points), m, limit)
    assert listed is not None
    answered = 0
    for _ in range(20):
        labels, features, centers = replica(points, m, rng)
        found = listed.separation(labels, features)
        expected = separation(points, labels, features, centers)
        if found is None:
            assert expected > limit
        else:
            answered += 1
            assert found == expected
    assert answered


@given(seed=st.integers(0, 10_000), p=st.integers(4, 7), left_out=st.integers(0, 3))
def test_every_pair_within_the_limit_is_listed(seed, p, left_out):
    """Whatever is left out: the list has every pair that is within the limit then."""
    rng = np.random.default_rng(seed)
    points = rng.integers(3, size=(p, 60)) + rng.choice([0.0, 0.01], size=(p, 60))
    listed = ClosePairs.listed(Bounds(points), p - left_out, 1.0)
    pairs = set(zip(listed.first.tolist(), listed.second.tolist(), strict=True))
    squares = np.sort(np.square(points[:, :, None] - points[:, None]), axis=0)[: p - left_out].sum(axis=0)
    first, second = np.nonzero(np.triu(squares <= 1.0, 1))
    assert pairs >= set(zip(first.tolist(), second.tolist(), strict=True))
    assert (np.diff(listed.lowest) >= 0).all()


@pytest.mark.parametrize("n", [2, 32, 33, 1024, 1025])
@pytest.mark.parametrize("p", [4, 26])
def test_every_pair_is_named_where_all_are_close(n, p):
    """Sizes at and beside those of a tile and of 32 of them; more pairs than are handed out at a time."""
    points = np.random.default_rng(n).normal(size=(p, n))
    listed = ClosePairs.listed(Bounds(points), p - 1, 100.0)
    first, second = np.triu_indices(n, 1)
    np.testing.assert_array_equal(np.sort(listed.first * n + listed.second), first * n + second)


@pytest.mark.parametrize("n_shares", [2, 3, 40])
def test_workers_find_a_share_each(n_shares):
    """Some none at all: there are fewer tiles, or blocks of rows, than workers."""
    points = np.random.default_rng(0).normal(size=(6, 1100))
    everything = ClosePairs.listed(Bounds(points), 5, 0.9)
    with Parallel(n_jobs=n_shares, backend="threading") as parallel:
        shared = ClosePairs.listed(Bounds(points), 5, 0.9, parallel)
    assert everything.first.size > 1000
    for whole, together in zip(everything[1:], shared[1:], strict=True):
        np.testing.assert_array_equal(whole, together)


def test_pairs_of_many_points_keep_their_numbers():
    """There are more pairs of 50,000 points than whole numbers of 32 bits."""
    n = 50_000
    points = np.random.default_rng(0).normal(size=(4, n))
    points[:, -2] = points[:, -1] + 1e-9
    listed = ClosePairs.listed(Bounds(points), 4, 1e-6)
    assert (listed.first.tolist(), listed.second.tolist()) == ([n - 2], [n - 1])


def test_not_listed_where_pairs_are_too_many(monkeypatch):
    points = np.random.default_rng(0).normal(size=(6, 500))
    assert ClosePairs.listed(Bounds(points), 5, 1.0) is not None
    with monkeypatch.context() as patch:
        patch.setattr(dunn_close_pairs, "MAX_PAIRS", 100)
        assert ClosePairs.listed(Bounds(points), 5, 1.0) is None
    monkeypatch.setattr(dunn_close_pairs, "MAX_DIFFERENCES", 0.01)
    assert ClosePairs.listed(Bounds(points), 5, 1.0) is None


def test_where_pairs_are_too_many_the_other_way_is_taken(monkeypatch):
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(6, 300)), rng.integers(2, size=300)
    to_choose = (points, 10, labels, np.array([True] * 5 + [False]), None, Plan(Bounds, 1.0))
    assert type(choose_strategy(*to_choose)) is ClosePairs
    monkeypatch.setattr(dunn_close_pairs, "MAX_PAIRS", 0)
    assert type(choose_strategy(*to_choose)) is Bounds


def test_compiled_loops_are_for_many_points(monkeypatch):
    """Of many, whatever it takes to load them; of fewer, where they save that."""
    for compiled, pay, expected in (
        (True, True, [False, True, True, True]),
        (True, False, [False, False, False, True]),
        (False, False, [False, False, False, False]),
    ):
        monkeypatch.setattr(dunn_close_pairs, "can_compile", lambda compiled=compiled: compiled)
        monkeypatch.setattr(dunn_close_pairs, "would_pay", lambda seconds, pay=pay: pay)
        assert [BY_TILES(n) for n in (5_000, 5_001, 20_000, 20_001)] == expected


def test_time_by_tiles_is_told_from_the_pairs_that_are_close():
    points = np.random.default_rng(0).normal(size=(20, 1000))
    seconds = [seconds_by_tiles(points, 19, limit) for limit in (0.0, 2.0, 3.0)]
    assert seconds[0] < seconds[1] < seconds[2]


@pytest.mark.parametrize("n", [20_000, 20_001])
def test_the_limit_is_beyond_what_the_first_replica_needs(n):
    points = np.random.default_rng(n).normal(size=(3, n)) + 9 * np.eye(3)[:, np.arange(n) % 3]
    clusters = Bounds(points).clusters(np.arange(n) % 3, np.ones(len(points), dtype=bool), None)
    assert ClosePairs.limit_from(clusters) >= clusters.separation()


def test_replicas_that_leave_out_many_features_are_not_for_a_list():
    assert ClosePairs.suits(20, 17)
    assert not ClosePairs.suits(20, 16)
    assert not ClosePairs.suits(3, 3)  # fewer features than groups


@pytest.mark.slow
@pytest.mark.parametrize("quality_space", ["subspace", "full"])
def test_listing_does_not_change_a_fit(quality_space, monkeypatch):
    X = np.random.default_rng(1).normal(size=(1500, 16))
    model = BaggedClustering(
        4, n_replicas=60, n_init=1, consensus="replica", quality_space=quality_space, random_state=0
    )
    used = []
    by_list = ClosePairs.separation
    monkeypatch.setattr(ClosePairs, "separation", lambda self, *a: used.append(1) or by_list(self, *a))
    listed = model.fit(X).replica_weights_
    assert len(used) == 60
    monkeypatch.setattr("xcompare.bagging.replicas.choose_strategy", lambda points, *a: Bounds(points))
    np.testing.assert_array_equal(model.fit(X).replica_weights_, listed)
    monkeypatch.setattr(
        "xcompare.bagging.replicas.choose_strategy", lambda points, *a: DistanceMatrix(points)
    )
    np.testing.assert_array_equal(model.fit(X).replica_weights_, listed)
