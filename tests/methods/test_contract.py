"""What every method promises, with every engine it has."""

import warnings
from functools import cache

import numpy as np
import pytest

from tests.samples import standardized
from xcompare.methods import CONTROL, ENGINES, METHODS
from xcompare.results.table import normalize_scores

QUICK = {"n_replicas": 20, "n_trees": 100, "n_permutations": 2, "n_patches": 60}

CASES = [
    pytest.param(
        method,
        engine,
        id=f"{method.name}-{engine}",
        marks=[pytest.mark.r(*method.r_required)] if engine == "r" else [],
    )
    for method in METHODS.values()
    for engine in method.engines
]
every_method = pytest.mark.parametrize(("method", "engine"), CASES)

NAMES = list(METHODS)
PLANTED = np.array([True, True, True, False, False, False])


@pytest.fixture(scope="module")
def X():
    """Three clusters far apart in each of the first three of six features, standardised."""
    rng = np.random.default_rng(7)
    centers = np.array([[0.0, 20.0, 0.0], [10.0, 10.0, 20.0], [20.0, 0.0, 10.0]])
    X = np.hstack([np.repeat(centers, 30, axis=0) + rng.normal(size=(90, 3)), rng.uniform(size=(90, 3))])
    X = standardized(X)
    X.flags.writeable = False
    return X


def run(method, engine, X, *, seed=3, n_clusters=3):
    options = {name: value for name, value in QUICK.items() if name in method.options}
    return method.run(X, n_clusters, random_state=seed, engine=engine, **options)


@pytest.fixture(scope="module")
def usual(X):
    """What a run on X gives, worked out once for each method and seed; again is what a test does itself."""
    return cache(lambda method, engine, seed=3: run(method, engine, X, seed=seed))


@every_method
def test_one_run(method, engine, X, usual):
    before = X.copy()
    found = usual(method, engine)
    np.testing.assert_array_equal(X, before)
    assert found.scores.shape == (6,)
    assert found.scores.dtype == np.float64
    assert np.isfinite(found.scores).all()
    assert found.software.strip()
    assert all(isinstance(text, str) for text in found.warnings)
    for values in found.variants.values():
        assert values.shape == (6,)
        assert np.isfinite(values).all()
    if found.labels is not None:
        assert found.labels.shape == (90,)
        assert np.issubdtype(found.labels.dtype, np.integer)
        assert 0 <= found.labels.min() <= found.labels.max() < 3


@pytest.mark.slow
@every_method
def test_seed_fixes_the_result(method, engine, X, usual):
    first, again = usual(method, engine), run(method, engine, X)
    np.testing.assert_array_equal(first.scores, again.scores)
    for name, values in first.variants.items():
        np.testing.assert_array_equal(values, again.variants[name])
    if first.labels is not None:
        np.testing.assert_array_equal(first.labels, again.labels)
    if not method.stochastic:
        np.testing.assert_array_equal(first.scores, usual(method, engine, 4).scores)


@pytest.fixture(scope="module")
def shapeless():
    """Data without clusters: nothing but chance decides what is found."""
    X = standardized(np.random.default_rng(1).normal(size=(60, 5)))
    X.flags.writeable = False
    return X


@pytest.mark.slow
@every_method
@pytest.mark.parametrize("seeds", [(0, 1, 2, 3), (None,) * 4], ids=["seeds", "no seed"])
def test_runs_differ_where_the_row_says_so(method, engine, shapeless, seeds):
    runs = (run(method, engine, shapeless, seed=seed).scores for seed in seeds)
    first = next(runs)
    assert any((scores != first).any() for scores in runs) == method.stochastic


@pytest.mark.slow
@every_method
def test_the_row_runs_without_options_and_with_a_generator(method, engine, X):
    assert np.isfinite(method.run(X, 3, engine=engine).scores).all()
    first, again = (run(method, engine, X, seed=np.random.default_rng(1)).scores for _ in range(2))
    np.testing.assert_array_equal(first, again)


@pytest.mark.slow
@every_method
def test_result_does_not_depend_on_memory_order_or_writability(method, engine, X, usual):
    in_columns = np.asfortranarray(X)
    np.testing.assert_allclose(
        run(method, engine, in_columns).scores, usual(method, engine).scores, rtol=1e-9
    )


@pytest.mark.slow
@every_method
def test_planted_features_outrank_noise(method, engine, usual):
    if method.family == CONTROL:
        pytest.skip(f"{method.name} knows nothing of the data")
    seeds = (3, 4, 5) if method.stochastic else [3]
    scores = np.array([usual(method, engine, seed).scores for seed in seeds])
    normalized = normalize_scores(scores if method.larger_is_better else -scores, "minmax").mean(axis=0)
    assert PLANTED[normalized.argmax()]
    assert normalized[PLANTED].mean() > normalized[~PLANTED].mean()


@every_method
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(method, engine, X, value):
    broken = X.copy()
    broken[4, 2] = value
    with pytest.raises(ValueError, match=r"NaN|finite|infinity"):
        run(method, engine, broken)


@every_method
@pytest.mark.parametrize("unit", [1e160, 1e-170, 1e307])
def test_numbers_at_the_edge_give_the_same_scores_or_one_clear_error(method, engine, X, usual, unit):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            scores = run(method, engine, X * unit).scores
        except ValueError as error:
            refused = "so that squares fit in a float; got values up to" in str(error)
        else:
            refused = False
    if not refused:
        np.testing.assert_allclose(scores, usual(method, engine).scores, rtol=1e-9)


@every_method
def test_more_clusters_than_rows_are_not_passed_over(method, engine, X, usual):
    """Methods that look for clusters refuse, or say that there are fewer."""
    if usual(method, engine).labels is None:
        pytest.skip(f"{method.name} looks for no clusters")
    try:
        said = " ".join(run(method, engine, X[:6], n_clusters=7).warnings)
    except ValueError as error:
        said = str(error)
    assert "n_clusters" in said
    assert "7" in said


@every_method
def test_a_constant_column_breaks_nothing(method, engine, X):
    constant = X.copy()
    constant[:, 3] = 0.0
    assert np.isfinite(run(method, engine, constant).scores).all()


@pytest.mark.parametrize("method", METHODS.values(), ids=NAMES)
def test_row_of_the_registry(method):
    assert METHODS[method.name] is method
    assert method.title
    assert method.reference
    assert method.family in (
        "bagging",
        "refined",
        "forest",
        "tree",
        "weighted K-means",
        "graph",
        "K-means",
        "dip",
        "hinov",
        "mixture",
        "minipatch",
        CONTROL,
    )
    assert method.engines
    assert set(method.engines) <= set(ENGINES)
    if "python" in method.engines:
        assert method.why_unavailable("python") is None
    for engine in set(ENGINES) - set(method.engines):
        assert method.why_unavailable(engine) == f"{method.name} has no {engine} engine"
