"""Laplacian Score: against Rdimtools' outputs, its definition, the R engine, the paper, and awkward data."""

import json
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.samples import standardized
from xcompare.io.datasets import paper_tables
from xcompare.methods.graph import neighbours
from xcompare.methods.graph.laplacian_score import LS, WORST_SCORE, laplacian_score

DATA = Path(__file__).parents[1] / "data"
# The golden file's iris has 15 digits, which breaks ties between distances another way than the data the
# package saw. So iris comes with all its digits, as R's scale() gives it.
IRIS = np.array(json.loads((DATA / "iris_scaled_17_digits.json").read_text()))
GOLDEN = [
    (IRIS if group["name"] == "iris_scaled" else np.array(group["data"]), case)
    for group in json.loads((DATA / "rdimtools_lscore.json").read_text())["sets"]
    for case in group["cases"]
]
GRAPHS = [("knn", 3), ("knn", 40), ("radius", 1.5), ("proportion", 0.25), ("proportion", 1.0)]


def definition(X, graph, t):
    """Score as He, Cai and Niyogi write it, with every matrix in full; nan where it is 0 / 0."""
    kind, amount = graph
    n = len(X)
    distance = np.sqrt(sum((column[:, None] - column) ** 2 for column in X.T))
    if kind == "radius":
        joined = distance < amount
    else:
        k = amount if kind == "knn" else min(int(np.ceil(amount * n)), n - 1)
        joined = distance <= np.sort(distance, axis=1)[:, [k]]
    joined = joined | joined.T
    np.fill_diagonal(joined, False)
    S = np.exp(-(distance**2) / t) * joined
    D = np.diag(S.sum(axis=1))
    L = D - S
    scores = []
    for f in X.T:
        with np.errstate(invalid="ignore"):
            f = f - (f @ D).sum() / D.sum()
            scores.append((f @ L @ f) / (f @ D @ f))
    return np.array(scores)


@pytest.mark.parametrize("engine", ["python", pytest.param("r", marks=pytest.mark.r)])
@pytest.mark.parametrize(("X", "case"), GOLDEN)
def test_rdimtools_outputs(X, case, engine):
    kind, amount = case["type"]
    scores = laplacian_score(X, graph=(kind, float(amount)), t=case["t"], engine=engine).scores
    np.testing.assert_allclose(scores, case["score"], rtol=0, atol=1e-12)


def test_number_of_golden_cases():
    assert len(GOLDEN) == 6


@pytest.mark.parametrize("name", ["wine", "breast"])
def test_published_row(name):
    scores = laplacian_score(standardized(name)).scores
    cells = paper_tables().query("dataset == @name and method == 'LS' and table == 'importance'")
    assert np.abs(scores / scores.max() - cells["mean"].to_numpy()).max() < 0.005


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("name", ["wine", "breast", "iris"])
def test_definition(name, graph):
    X = standardized(name)
    np.testing.assert_allclose(
        laplacian_score(X, graph=graph, t=2.0).scores, definition(X, graph, 2.0), atol=1e-12
    )


@pytest.mark.r
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("name", ["wine", "breast", "iris"])
def test_engines_agree(name, graph):
    X = standardized(name)
    scores = [laplacian_score(X, graph=graph, t=3.0, engine=engine).scores for engine in ("python", "r")]
    np.testing.assert_allclose(*scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize("graph", GRAPHS)
def test_blocks_change_nothing(graph, monkeypatch):
    X = standardized("breast")
    whole = laplacian_score(X, graph=graph).scores
    monkeypatch.setattr(neighbours, "BLOCK_ROWS", 7)
    monkeypatch.setattr(neighbours, "BLOCK_COLUMNS", 100)
    np.testing.assert_allclose(laplacian_score(X, graph=graph).scores, whole, atol=1e-13)


@pytest.mark.parametrize(("n", "graph"), [(20_000, ("knn", 5)), (6_000, ("proportion", 1.0))])
def test_no_n_by_n_matrix(n, graph):
    X = np.random.default_rng(0).normal(size=(n, 4))
    tracemalloc.start()
    try:
        scores = laplacian_score(X, graph=graph).scores
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.isfinite(scores).all()
    assert peak < n * n  # bytes: one eighth of the matrix, at most


def test_narrow_kernels_keep_their_digits():
    # exp(-d^2 / t) by a matrix product would lose them here.
    X = standardized("iris") * 1e-3 + [1, 2, 3, 4]
    np.testing.assert_allclose(
        laplacian_score(X, t=1e-5).scores, laplacian_score(standardized("iris"), t=10.0).scores, rtol=1e-9
    )
    np.testing.assert_allclose(
        laplacian_score(X, t=1e-9).scores, definition(X, ("proportion", 1.0), 1e-9), rtol=1e-9, atol=1e-15
    )


@pytest.mark.parametrize("offset", [1.0, 1e2, 1e4, 1e6])
@pytest.mark.parametrize("graph", [("radius", 3.0), ("knn", 1), ("knn", 30)])
def test_joined_points_far_from_the_mean_keep_their_digits(graph, offset):
    # One point, joined with none or by edges of weight 0, moves the mean away from all others.
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 3)), [[60 * offset, 0, -60 * offset]]])
    scores = laplacian_score(X, graph=graph, t=2.0).scores
    np.testing.assert_allclose(scores, definition(X.astype(np.longdouble), graph, 2.0), atol=1e-11)


@pytest.mark.parametrize("engine", ["python", pytest.param("r", marks=pytest.mark.r)])
@pytest.mark.parametrize("graph", GRAPHS)
def test_constant_features_get_the_worst_score(graph, engine):
    X = standardized("wine")
    with_constant = np.column_stack([np.full(len(X), 0.1), X])
    scores = laplacian_score(with_constant, graph=graph, engine=engine).scores
    assert scores[0] == WORST_SCORE
    np.testing.assert_allclose(scores[1:], laplacian_score(X, graph=graph).scores, atol=1e-12)


@pytest.mark.parametrize("engine", ["python", pytest.param("r", marks=pytest.mark.r)])
def test_isolated_points(engine):
    X = np.array([[0.0, 0.0], [0.1, 0.0], [0.2, 0.0], [50.0, 3.0]])  # the second varies at the far point only
    scores = laplacian_score(X, graph=("radius", 0.15), engine=engine).scores
    assert scores[1] == WORST_SCORE
    assert 0 < scores[0] < WORST_SCORE
    np.testing.assert_array_equal(
        laplacian_score(X, graph=("radius", 0.05), engine=engine).scores, [WORST_SCORE, WORST_SCORE]
    )


@pytest.mark.r
def test_radius_leaves_out_its_own_distance():
    X = np.arange(5.0)[:, None]
    for engine in ("python", "r"):
        assert laplacian_score(X, graph=("radius", 1.0), engine=engine).scores == WORST_SCORE
        assert laplacian_score(X, graph=("radius", np.nextafter(1.0, 2)), engine=engine).scores < WORST_SCORE


def test_two_rows():
    np.testing.assert_allclose(laplacian_score([[0.0, 1.0], [1.0, 1.0]]).scores, [2.0, WORST_SCORE])


matrices = arrays(
    float,
    st.tuples(st.integers(3, 25), st.integers(1, 5)),
    elements=st.integers(-20, 20).map(lambda x: x / 4),
)
graphs = st.sampled_from([("knn", 2), ("radius", 2.0), ("proportion", 0.4), ("proportion", 1.0)])


@pytest.mark.slow
@given(matrices, graphs, st.randoms(use_true_random=False))
def test_properties(X, graph, random):
    scores = laplacian_score(X, graph=graph, t=5.0).scores
    assert scores.shape == (X.shape[1],)
    assert ((scores >= 0) & (scores <= WORST_SCORE)).all()
    expected = definition(X, graph, 5.0)
    varies = scores < WORST_SCORE
    np.testing.assert_allclose(scores[varies], expected[varies], atol=1e-9)
    rows = random.sample(range(len(X)), len(X))
    np.testing.assert_allclose(laplacian_score(X[rows], graph=graph, t=5.0).scores, scores, atol=1e-9)
    # Quarters are summed without rounding, so here a tie is a tie in any order of the features.
    columns = random.sample(range(X.shape[1]), X.shape[1])
    np.testing.assert_allclose(
        laplacian_score(X[:, columns], graph=graph, t=5.0).scores, scores[columns], atol=1e-9
    )
    # Scaling data and kernel together, or moving the data, changes nothing.
    again = (graph[0], graph[1] * 4) if graph[0] == "radius" else graph
    np.testing.assert_allclose(laplacian_score(X * 4 + 8, graph=again, t=80.0).scores, scores, atol=1e-9)


def test_how_long_a_run_takes_is_said_for_what_is_done():
    def seconds(**options):
        said = LS.why_slow("python", (100_000, 21), 3, options)
        return int(re.search(r"about (\d+) s", said)[1]) if said else 0

    assert seconds() == seconds(graph=("radius", 2.0)) == 60  # 12 ns a pair
    assert seconds(graph=("proportion", 0.1)) == 165  # the distance to the k-th neighbour is computed first
    assert seconds(graph=("knn", 10)) == 0


def test_input_is_left_alone():
    X = standardized("iris")
    before = X.copy()
    laplacian_score(X, graph=("knn", 5))
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"graph": ("knn", 0)}, "from 1 to n - 1 = 149; got 0"),
        ({"graph": ("knn", 150)}, "from 1 to n - 1 = 149; got 150"),
        ({"graph": ("knn", 2.5)}, "whole k from 1 to n - 1 = 149; got 2.5"),
        ({"graph": ("radius", 0)}, "positive number r; got 0"),
        ({"graph": ("radius", np.nan)}, "positive number r; got nan"),
        ({"graph": ("proportion", 1.5)}, "at most 1; got 1.5"),
        (
            {"graph": ("enn", 1)},
            "graph must be ('knn', k), ('radius', r) or ('proportion', f); got ('enn', 1)",
        ),
        ({"graph": "knn"}, "graph must be ('knn', k), ('radius', r) or ('proportion', f); got 'knn'"),
        ({"t": 0}, "t must be a positive number; got 0"),
        ({"t": np.inf}, "t must be a positive number; got inf"),
        ({"engine": "julia"}, "engine must be one of python, r; got 'julia'"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        laplacian_score(IRIS, **arguments)


def test_bad_data():
    with pytest.raises(ValueError, match="must have at least 2 rows; got 1"):
        laplacian_score([[1.0, 2.0]])
    with pytest.raises(ValueError, match="NaN"):
        laplacian_score([[1.0, np.nan], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"must be a non-empty matrix, rows by features; got shape \(2,\)"):
        laplacian_score([1.0, 2.0])


@pytest.mark.parametrize("engine", ["python", pytest.param("r", marks=pytest.mark.r)])
def test_registry_row(engine):
    result = LS.run(IRIS, 3, random_state=0, engine=engine, graph=("knn", 5))
    np.testing.assert_allclose(result.scores, laplacian_score(IRIS, graph=("knn", 5)).scores, atol=1e-12)
    assert result.labels is None
    assert result.software.startswith("xcompare" if engine == "python" else ("reference", "Rdimtools"))
    assert (LS.name, LS.larger_is_better, LS.normalization, LS.stochastic) == ("ls", False, "max", False)
