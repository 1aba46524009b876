"""Rows to weighted centres: labels of the plain sum, and the same bits in numpy and in machine code."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.samples import standardized
from xcompare.core.compilation import can_compile
from xcompare.methods import fgkm, twkm
from xcompare.methods.weighted_kmeans import assignment
from xcompare.methods.weighted_kmeans.assignment import MANY_CLUSTERS, ByLoops, ByProducts, choose_assignment

needs_numba = pytest.mark.skipif(
    not can_compile(), reason="numba is not installed, or XCOMPARE_COMPILED is 0"
)
LOOPS = [False, pytest.param(True, marks=needs_numba)]


def new_assignment(X, n_clusters, by_loops):
    return ByLoops(X) if by_loops else ByProducts(X, n_clusters)


def plain_update(X, centers, weights):
    """What an update finds, as it would be written in C or R."""
    n_clusters, n_features = centers.shape
    weights = np.broadcast_to(weights, centers.shape)
    labels, sizes, sums = [], np.zeros(n_clusters, int), np.zeros_like(centers)
    for row in X:
        nearest, label = np.inf, -1
        for k in range(n_clusters):
            distance = 0.0
            for j in range(n_features):
                distance += weights[k, j] * (row[j] - centers[k, j]) ** 2
            if distance <= nearest:
                nearest, label = distance, k
        labels.append(label)
        sizes[label] += 1
        sums[label] += row
    means = np.array([sums[k] / sizes[k] if sizes[k] else centers[k] for k in range(n_clusters)])
    dispersion = np.zeros_like(centers)
    for row, label in zip(X, labels, strict=True):
        dispersion[label] += (row - means[label]) ** 2
    return np.array(labels), sizes, means, dispersion


def assert_same_clusters(clusters, expected):
    for name, found, value in zip(clusters._fields, clusters, expected, strict=True):
        np.testing.assert_array_equal(found, value, err_msg=name)


def assert_same_bits(result, expected):
    """Of two runs."""
    assert result.warnings == expected.warnings
    assert result.labels.tobytes() == expected.labels.tobytes()
    assert result.scores.tobytes() == expected.scores.tobytes()
    assert result.details.keys() == expected.details.keys()
    for name, value in expected.details.items():
        assert np.asarray(result.details[name]).tobytes() == np.asarray(value).tobytes(), name


def in_both_ways(method, X, n_clusters, **options):
    """The same run in numpy and in machine code."""
    found = []
    for by_loops in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(assignment, "WORTH_COMPILING", 0 if by_loops else np.inf)
            found.append(method(X, n_clusters, **options))
    return found


@st.composite
def rows_and_centers(draw):
    """Few values, so that ties abound, far from 0 or not, in units of every size."""
    n_samples, n_features, n_clusters = (draw(st.integers(1, top)) for top in (12, 6, 4))
    offset = draw(st.sampled_from([0.0, 0.1, 1e8, -1e12]))
    unit = np.array(draw(st.lists(st.sampled_from([1.0, 1e-140, 1e125]), min_size=1, max_size=n_features)))
    numbers = st.integers(-3, 3).map(float)
    X, centers = (
        (draw(arrays(float, (n, n_features), elements=numbers)) + offset) * np.resize(unit, n_features)
        for n in (n_samples, n_clusters)
    )
    n_rows = draw(st.sampled_from([1, n_clusters]))
    weights = draw(arrays(float, (n_rows, n_features), elements=st.sampled_from([1e-7, 0.1, 0.3, 1.0])))
    return X, centers, weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.slow
@pytest.mark.parametrize("by_loops", LOOPS)
@given(problem=rows_and_centers())
def test_an_update_is_that_of_plain_sums(problem, by_loops):
    X, centers, weights = problem
    X.flags.writeable = centers.flags.writeable = False
    clusters = new_assignment(X, len(centers), by_loops).update(centers, weights)
    assert_same_clusters(clusters, plain_update(X, centers, weights))


# Around the limits of what is labelled at a time.
@needs_numba
@pytest.mark.parametrize("n_samples", [255, 256, 257, 512, 700])
def test_more_rows_than_are_labelled_at_a_time(n_samples):
    random = np.random.default_rng(n_samples)
    for few_values in (False, True):
        X = random.normal(size=(n_samples, 7))
        X = X.round() if few_values else X
        centers, weights = X[:5] + few_values, random.random((5, 7))
        weights /= weights.sum(axis=1, keepdims=True)
        ways = ByProducts(X, 5), ByLoops(X)
        for _ in range(3):
            expected, found = (way.update(centers, weights) for way in ways)
            assert_same_clusters(found, expected)
            centers = found.centers


@pytest.mark.parametrize("by_loops", LOOPS)
def test_a_cluster_without_rows_keeps_its_centre(by_loops):
    X, centers = np.array([[0.0], [1.0]]), np.array([[0.0], [9.0], [1.0], [1.0]])
    clusters = new_assignment(X, 4, by_loops).update(centers, np.ones((1, 1)))
    assert_same_clusters(clusters, ([0, 3], [1, 0, 0, 1], [[0], [9], [1], [1]], np.zeros((4, 1))))


@needs_numba
@pytest.mark.slow
@example(seed=0, shape=(30, 3), n_clusters=3, values=2, units=(1.0,), n_groups=1, spread=0.0)
@given(
    seed=st.integers(0, 2**31),
    shape=st.tuples(st.sampled_from([1, 2, 5, 30, 260, 600]), st.integers(1, 9)),
    n_clusters=st.integers(1, 6),
    values=st.sampled_from([1, 2, 3, 10**6]),
    units=st.lists(st.sampled_from([0.0, 1.0, 1e-130, 1e130]), min_size=1, max_size=3),
    n_groups=st.integers(1, 4),
    spread=st.sampled_from([0.0, 0.01, 1.0]),
)
def test_runs_are_the_same_in_machine_code(seed, shape, n_clusters, values, units, n_groups, spread):
    """Constant features, copies of rows, units of every size, clusters that empty and runs that restart."""
    random = np.random.default_rng(seed)
    X = random.integers(values, size=shape) / values * np.resize(units, shape[1])
    options = {
        "groups": random.integers(n_groups, size=shape[1]),
        "lam": 1 + spread * np.square(X).sum(),
        "eta": 1 + spread * np.square(X).sum(),
        "random_state": seed,
        "max_restarts": 3,
    }
    n_clusters = min(n_clusters, len(X))
    for method, more in ((fgkm, {}), (fgkm, {"running_max": True}), (twkm, {})):
        expected, found = in_both_ways(method, X, n_clusters, **options, **more)
        assert_same_bits(found, expected)


@needs_numba
def test_clusters_that_empty_are_the_same_in_machine_code():
    two_rows = np.repeat([[0.0, 1.0], [1.0, 0.0]], 5, axis=0)
    for method in (fgkm, twkm):
        expected, found = in_both_ways(method, two_rows, 3, random_state=1)
        assert "1 of 3 clusters stayed empty after 10 restarts" in found.warnings[0]
        assert_same_bits(found, expected)
        expected, found = in_both_ways(
            method, standardized("wine"), 3, init=np.zeros((3, 13)), random_state=4
        )
        assert found.details["n_restarts"] > 0
        assert_same_bits(found, expected)


@needs_numba
def test_loops_are_for_large_data(monkeypatch):
    small, large = np.zeros((200, 10)), np.zeros((20_000, 20))
    assert isinstance(choose_assignment(small, 3), ByProducts)
    assert isinstance(choose_assignment(large, MANY_CLUSTERS), ByProducts)
    assert isinstance(choose_assignment(large, 3), ByLoops)
    monkeypatch.setenv("XCOMPARE_COMPILED", "0")
    assert isinstance(choose_assignment(large, 3), ByProducts)
