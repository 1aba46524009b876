"""Methods on tables with several kinds of features and missing values."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from xcompare.core.features import Feature
from xcompare.core.imputation import complete_points
from xcompare.harness.preparation import prepare
from xcompare.methods import METHODS
from xcompare.methods.tables import one_column_each, placed_levels, principal_components, run_on_table
from xcompare.studies.benchmark.scenarios import SCENARIOS

N = 60
LABELS = np.repeat([0, 1, 2], N // 3)
FEATURES = (
    Feature("age"),
    Feature("plan", "nominal", ("a", "b", "c")),
    Feature("size", "ordinal", ("S", "M", "L")),
    Feature("region", "nominal", tuple("abcdef")),
    Feature("noise"),
)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            2 * LABELS + 0.5 * rng.normal(size=N) - 2,
            (LABELS + 1) % 3,
            np.clip(LABELS + rng.integers(2, size=N) - 1, 0, 2),
            rng.integers(6, size=N),
            rng.normal(size=N),
        ]
    ).astype(float)
    return np.where(rng.random(X.shape) < 0.1, np.nan, X)


def scores_of(name, X, features=FEATURES, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run_on_table(
            METHODS[name], X, 3, features, random_state=0, engine="python", options=options
        ).scores


SHORT = {"n_replicas": 5}, {"n_trees": 50}, {"n_permutations": 2}


@pytest.mark.parametrize("name", [name for name, row in METHODS.items() if row.default])
def test_every_method_gives_one_score_per_feature(table, name):
    options = {key: value for one in SHORT for key, value in one.items() if key in METHODS[name].options}
    scores = scores_of(name, table, **options)
    assert scores.shape == (5,)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", ["efron", "sparse_kmeans", "variance_ratio", "mi_kmeans"])
def test_signal_of_every_kind_is_above_noise_of_every_kind(table, name):
    scores = scores_of(name, table)
    assert scores[:3].min() > scores[3:].max()


def test_complete_numbers_reach_the_method_as_they_are(table):
    X = np.nan_to_num(table)
    direct = METHODS["ls"].run(X, 3, random_state=0, engine="python").scores
    np.testing.assert_array_equal(scores_of("ls", X, ()), direct)


def test_other_runs_impute_other_values(table):
    first, second = (
        run_on_table(METHODS["ls"], table, 3, FEATURES, random_state=seed, engine="python", options={}).scores
        for seed in (0, 1)
    )
    assert (first != second).any()


def test_levels_are_placed_as_they_go_along_with_other_features(table):
    points, block = complete_points(np.nan_to_num(table), FEATURES, None, np.random.default_rng(0))
    columns, nominal, placed = one_column_each(points, block, FEATURES, 3)
    assert columns.shape == (N, 5)
    assert (nominal, placed) == ([1], ["region"])
    np.testing.assert_array_equal(columns[:, 1], codes := np.nan_to_num(table)[:, 1])
    columns, nominal, placed = one_column_each(points, block, FEATURES, 0)
    assert (nominal, placed) == ([], ["plan", "region"])
    assert len(set(zip(columns[:, 1], codes, strict=True))) == 3
    assert columns[:, 1].std(ddof=1) == pytest.approx(1)
    means = [columns[k == LABELS, 1].mean() for k in range(3)]
    assert means == sorted(means) or means == sorted(means, reverse=True)


def test_levels_are_placed_along_the_component_on_which_they_differ_and_the_first_is_lowest():
    """The second component: the first is a common factor of the other columns."""
    rng = np.random.default_rng(0)
    factor, codes = rng.normal(size=(200, 1)), rng.integers(3, size=200)
    cluster = np.array([1.0, -1.0, 0.0])[codes]  # of levels 0, 1, 2
    components = principal_components(np.column_stack([np.repeat(3 * factor, 4, axis=1), 2 * cluster]))
    assert components.shape == (200, 2)  # the third has no variance
    places = placed_levels(codes, components)
    by_level = [places[codes == level][0] for level in range(3)]
    assert by_level[0] < by_level[2]
    assert np.corrcoef(places, -cluster)[0, 1] > 0.99
    np.testing.assert_allclose(placed_levels(codes, -components), places)


def test_principal_components_are_the_same_by_rows_and_by_columns():
    X = np.random.default_rng(0).normal(size=(12, 30)) * np.arange(1, 31)
    wide, tall = principal_components(X), principal_components(np.vstack([X, X, X]))
    np.testing.assert_allclose(np.abs(tall[:12]), np.abs(wide), rtol=1e-10)


def test_relevant_categories_rank_first_by_every_kind_of_method():
    """As a number there would: in 'mixed_levels', beside random categories of 2 to 30 levels."""
    data = SCENARIOS["mixed_levels"].draw(60_000)
    kinds = {f"x{j}": kind for j, kind in enumerate(data.kinds) if kind != "numeric"}
    with pytest.warns(UserWarning, match="not numeric"):
        given = prepare(data.X, 3, columns=kinds)
    for name in ("ls", "variance_ratio", "mi_kmeans", "dip"):
        found = scores_of(name, given.X, given.info.features)
        assert roc_auc_score(data.relevant, found if METHODS[name].larger_is_better else -found) > 0.85


@pytest.mark.r("randomForest")
def test_random_forest_in_r_gets_factors(table):
    X, features = np.delete(np.nan_to_num(table), 2, axis=1), (*FEATURES[:2], *FEATURES[3:])
    options, seed = {"n_trees": 100}, {"random_state": 0, "engine": "r"}
    found = run_on_table(METHODS["urf_gini"], X, 3, features, options=options, **seed).scores
    factors, numbers = (
        METHODS["urf_gini"].run(X, 3, nominal=nominal, **options, **seed).scores for nominal in ([1, 2], [])
    )
    np.testing.assert_array_equal(found, factors)
    assert (found != numbers).any()


def test_forests_rank_the_levels_of_a_column_that_has_too_many(table):
    X = np.nan_to_num(table)
    X[:, 3] = np.arange(N) % 54
    features = (*FEATURES[:3], Feature("town", "nominal", tuple(map(str, range(60)))), FEATURES[4])
    options = {"n_trees": 20}
    found = run_on_table(
        METHODS["urf_gini"], X, 3, features, random_state=0, engine="python", options=options
    )
    assert found.warnings == ("more than 53 levels, placed along a principal component: town",)
    direct = METHODS["urf_gini"].run(
        np.nan_to_num(table), 3, nominal=[1, 3], random_state=0, engine="python", **options
    )
    np.testing.assert_array_equal(scores_of("urf_gini", np.nan_to_num(table), **options), direct.scores)


def test_warnings_name_features_not_the_columns_of_a_group():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 2)), rng.integers(2, size=60)])
    features = (Feature("age", group="who"), Feature("size", group="who"), Feature("f", "binary", ("n", "y")))
    found = run_on_table(METHODS["mi_kmeans"], X, 2, features, random_state=0, engine="python", options={})
    assert len(found.warnings) == 1
    assert "no density exists for x1 (" in found.warnings[0]
