"""MCFS and SPEC: the outputs of other software, their definitions, known answers, and awkward data."""

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array
from sklearn.datasets import make_circles
from sklearn.metrics import roc_auc_score

from tests.samples import standardized
from xcompare.core.errors import DataError
from xcompare.methods import METHODS, laplacian_score, mcfs, spec
from xcompare.methods.graph import spectrum
from xcompare.methods.graph.spectrum import neighbour_weights, smoothest
from xcompare.studies.benchmark import simulated

SKFEATURE = json.loads((Path(__file__).parents[1] / "data" / "skfeature.json").read_text())["cases"]
each = pytest.mark.parametrize("score", [mcfs, spec])
golden = pytest.mark.parametrize("case", SKFEATURE, ids=lambda case: f"{case['data']}-{case['n_clusters']}")


def shared(case):
    """Data and options of a case of the golden file; no t there means edges that all weigh the same."""
    graph = {"n_neighbors": case["n_neighbors"], "t": case["t"] or np.inf}
    return standardized(case["data"]), case["n_clusters"], graph


@golden
def test_mcfs_is_that_of_skfeature(case):
    X, n_clusters, graph = shared(case)
    for name, n_nonzero in (("mcfs", X.shape[1]), ("mcfs_3", 3)):
        found = mcfs(X, n_clusters, n_nonzero=n_nonzero, **graph).scores
        np.testing.assert_allclose(found, case[name], rtol=0, atol=1e-11)


@golden
def test_spec_is_that_of_skfeature(case):
    X, n_clusters, graph = shared(case)
    np.testing.assert_allclose(spec(X, n_clusters, **graph).scores, case["spec"], rtol=0, atol=1e-11)


def test_patterns_solve_the_generalised_eigenproblem():
    weights = neighbour_weights(standardized("wine"), 8, 15.0)
    values, vectors, degree = smoothest(weights, 5)
    D = np.diag(weights.toarray().sum(axis=1))
    L = D - weights.toarray()
    np.testing.assert_allclose(degree, np.diag(D))
    np.testing.assert_allclose(values, eigh(L, D, eigvals_only=True)[1:6], atol=1e-12)
    Y = vectors / np.sqrt(degree)[:, None]
    np.testing.assert_allclose(L @ Y, D @ Y * values, atol=1e-12)
    np.testing.assert_allclose(Y.T @ D @ Y, np.eye(5), atol=1e-12)


def test_spec_over_all_patterns_is_two_minus_the_laplacian_score():
    """A feature of D-weighted mean 0 lies in all patterns together, and has nothing of the trivial one."""
    X = standardized("iris")[::5]
    degree = neighbour_weights(X, 6, 3.0).sum(axis=1)
    X = X - degree @ X / degree.sum()
    found = spec(X, len(X), n_neighbors=6, t=3.0).scores
    np.testing.assert_allclose(2 - found, laplacian_score(X, graph=("knn", 6), t=3.0).scores, atol=1e-10)


def test_a_path_has_the_cosines_of_its_length():
    """Eigenvalues of the normalised Laplacian of a path of n points: 1 - cos(pi j / (n - 1))."""
    n = 1500
    i = np.arange(n - 1)
    path = csr_array((np.ones(n - 1), (i, i + 1)), shape=(n, n))
    values, _, _ = smoothest(path + path.T, 4)
    np.testing.assert_allclose(values, 1 - np.cos(np.pi * np.arange(1, 5) / (n - 1)), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("n_features", [2, 8])
def test_the_sparse_solver_finds_what_the_dense_one_finds(monkeypatch, n_features):
    X = np.random.default_rng(0).normal(size=(700, n_features))
    weights = neighbour_weights(X, 5, np.inf)
    values, vectors, _ = smoothest(weights, 4)
    monkeypatch.setattr(spectrum, "DENSE_POINTS", 0)
    found, patterns, _ = smoothest(weights, 4)
    np.testing.assert_allclose(found, values, atol=1e-9)
    np.testing.assert_allclose(np.abs((patterns * vectors).sum(axis=0)), 1, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1500, 5000])
def test_the_sparse_solver_converges_where_the_last_wanted_pattern_stands_apart(n):
    """Clusters that touch: the rough solution is then nearly exact, and a bound right there tells nothing."""
    parts = simulated.shared(np.random.default_rng(1), n)
    weights = neighbour_weights(standardized(np.hstack([parts.signal, parts.noise])), 5, np.inf)
    values, vectors, degree = smoothest(weights, 2)
    assert (values > 0).all()
    scale = diags_array(1 / np.sqrt(degree))
    np.testing.assert_allclose(vectors - scale @ weights @ scale @ vectors, vectors * values, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(2), atol=1e-12)
    if n == 1500:  # few enough for a dense solver
        dense = eigh((scale @ weights @ scale).toarray(), eigvals_only=True, subset_by_index=[n - 3, n - 2])
        np.testing.assert_allclose(values, 1 - dense[::-1], atol=1e-12)


def islands(sizes):
    """A graph of separate cliques."""
    part = np.repeat(np.arange(len(sizes)), sizes)
    return csr_array((part[:, None] == part) & ~np.eye(len(part), dtype=bool), dtype=float), part


def test_parts_of_a_graph_are_told_apart_largest_first():
    weights, part = islands([4, 6, 5])
    values, vectors, degree = smoothest(weights, 2)
    np.testing.assert_array_equal(values, 0)
    np.testing.assert_allclose(
        vectors.T @ np.column_stack([vectors, np.sqrt(degree)]), np.eye(2, 3), atol=1e-12
    )
    patterns = vectors / np.sqrt(degree)[:, None]
    # Degrees are one less than the sizes: the parts weigh 12, 30 and 20.
    first, second = (patterns[[0, 4, 10], j] for j in (0, 1))
    np.testing.assert_allclose(first / first[1], [-30 / 32, 1, -30 / 32])
    np.testing.assert_allclose(second / second[2], [-20 / 12, 0, 1], atol=1e-12)
    np.testing.assert_allclose(patterns, patterns[[0, 4, 10]][part])


def test_patterns_within_parts_follow_those_between():
    weights, _ = islands([4, 6, 5])
    values, vectors, _ = smoothest(weights, 14)
    # A clique of m points has the eigenvalue m / (m - 1), m - 1 times.
    np.testing.assert_allclose(values, [0] * 2 + [6 / 5] * 5 + [5 / 4] * 4 + [4 / 3] * 3, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(14), atol=1e-12)


@each
def test_the_order_of_rows_does_not_matter_where_the_graph_falls_apart(score):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 5))
    X[:, 0] += 40 * np.repeat([0, 1, 2], [20, 40, 30])
    order = rng.permutation(90)
    np.testing.assert_allclose(score(X[order], 3).scores, score(X, 3).scores, rtol=1e-9)


@each
def test_features_of_clusters_are_told_from_noise(score):
    rng = np.random.default_rng(0)
    areas = []
    for _ in range(5):
        X = rng.normal(size=(150, 15))
        X[:, :3] += 3 * np.eye(3)[rng.integers(3, size=150)]
        areas.append(roc_auc_score(np.arange(15) < 3, score(standardized(X), 3).scores))
    assert np.mean(areas) > 0.95


@each
def test_a_feature_that_is_the_cluster_explains_the_pattern_alone(score):
    """Two far clusters of equal volume: the pattern is their indicator, and so is the feature."""
    half = np.random.default_rng(0).normal(size=(30, 3))
    X = np.column_stack([np.repeat([-1.0, 1.0], 30), np.vstack([half, half]) / 100])
    found = score(X, 2).scores
    degree = neighbour_weights(X, 5, np.inf).sum()
    # SPEC: a cosine of 1 with eigenvalue 0. MCFS: y'Dy = 1 for y = +-c gives c, the root of 1 / volume.
    best = {spec: 2.0, mcfs: degree**-0.5}[score]
    np.testing.assert_allclose(found, [best, 0, 0, 0], atol=1e-12)


def test_of_two_equal_features_mcfs_may_keep_one():
    """Said in its documentation: it chooses features, it does not describe each."""
    X = standardized(np.random.default_rng(0).normal(np.repeat([[0.0], [6.0]], 60, axis=0), size=(120, 3)))
    twice = np.column_stack([X[:, 0], X])
    coefficients = mcfs(twice, 2, n_nonzero=3).details["coefficients"]
    assert (coefficients[:2] == 0).any()
    copies = spec(twice, 2).scores[:2]
    assert copies[0] == copies[1] > 0


def test_mcfs_uses_a_feature_for_ten_rows_or_as_many_as_it_is_told():
    X = np.random.default_rng(0).normal(size=(60, 40))
    for options, n_nonzero in (({}, 6), ({"n_nonzero": 11}, 11)):
        used = np.count_nonzero(mcfs(X, 4, **options).details["coefficients"], axis=0)
        np.testing.assert_array_equal(used, [n_nonzero] * 3)


@each
def test_constants_score_nothing(score):
    X = np.column_stack([np.full(150, 1e3), standardized("iris"), np.zeros(150)])
    found = score(X, 3).scores
    assert (found[[0, 5]] == 0).all()
    assert (found[1:5] > 0).any()
    np.testing.assert_array_equal(score(np.ones((5, 2)), 2).scores, 0)


@each
def test_points_without_an_edge_play_no_part(score):
    """A far point's weights are 0 in floating point where the kernel is narrow."""
    X = standardized("iris")
    far = np.vstack([X, X.max(axis=0) + 100])
    if score is spec:
        np.testing.assert_allclose(score(far, 3, t=1.0).scores, score(X, 3, t=1.0).scores, rtol=1e-8)
    np.testing.assert_array_equal(score(np.diag([1e3, 2e3, 3e3]), 2, t=1.0).scores, 0)


@each
def test_rings_that_no_centre_tells_apart(score):
    rings, _ = make_circles(300, factor=0.3, noise=0.03, random_state=0)
    X = np.column_stack([np.hypot(*rings.T), rings])
    assert score(standardized(X), 2).scores.argmax() == 0


@each
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 1}, "n_clusters must be a whole number from 2 to 150; got 1"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1; got 0"),
        ({"t": 0.0}, "t must be a positive number, or inf for equal weights; got 0.0"),
    ],
)
def test_bad_options(score, options, message):
    with pytest.raises(DataError, match=re.escape(message)):
        score(standardized("iris"), **{"n_clusters": 3, **options})


def test_mcfs_refuses_more_features_than_there_are():
    with pytest.raises(DataError, match="n_nonzero must be a whole number from 1 to 4; got 5"):
        mcfs(standardized("iris"), 3, n_nonzero=5)


@each
def test_rows_that_repeat_too_often_for_a_graph_are_refused(score):
    X = np.repeat([[0.0], [1.0]], 20_000, axis=0)
    with pytest.raises(DataError, match=r"got 800,000,000, one row 20,000 times: take a sample of the rows"):
        score(X, 2)


def test_long_runs_are_said_before_they_start():
    mcfs_said, spec_said = (
        partial(METHODS[name].why_slow, "python", options={}) for name in ("mcfs", "spec")
    )
    assert mcfs_said((40_000, 8), 3) == spec_said((100, 3_000), 8) == ""
    assert "about 27 s per run" in mcfs_said((60_000, 8), 8)
    assert "about 200 s per run" in spec_said((100_000, 200), 3)
