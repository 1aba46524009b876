"""Measures of given labels: each against the textbook, or against the same computed the long way."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.neighbors import NearestCentroid

from tests.samples import standardized
from xcompare.bagging.information.discrete import discrete_information
from xcompare.core.features import Feature
from xcompare.methods import MEASURES, mi_kmeans
from xcompare.methods.measures import centroid_permutation, scoring_after_permutation
from xcompare.methods.single_feature_measures import eta_squared, information, kruskal
from xcompare.methods.tables import run_on_table

LABELS = np.repeat([0, 1, 2], [40, 30, 20])


@pytest.fixture(scope="module")
def X():
    """The first feature tells all three clusters apart, the second the middle one only, the others none."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 5))
    X[:, 0] += 5 * LABELS
    X[:, 1] += 6 * (LABELS == 1)
    return X


@pytest.fixture(scope="module", params=MEASURES.values(), ids=MEASURES)
def measure(request):
    return request.param


def test_planted_features_come_first(measure, X):
    scores = measure.run(X, LABELS, random_state=0, engine="python").scores
    assert scores.shape == (5,)
    assert set(np.argsort(-scores)[:2]) == {0, 1}


def test_the_cluster_in_question_decides(measure, X):
    scores = measure.run(X, LABELS, cluster=1, random_state=0, engine="python").scores
    assert scores.argmax() == 1


@pytest.mark.slow
def test_the_same_seed_gives_the_same(measure, X):
    first, again, other = (
        measure.run(X, LABELS, random_state=seed, engine="python").scores for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again)
    assert np.array_equal(first, other) != measure.stochastic


def test_a_bootstrap_draws_as_many_rows_of_each_cluster(measure, X):
    seen = []

    def remember(X, labels, cluster, seed):
        seen.append((X, labels))
        return np.ones(X.shape[1])

    run = measure.run.func
    run(X, LABELS, measure=remember, software="none", bootstrap=True, random_state=3)
    [(rows, labels)] = seen
    assert np.array_equal(np.bincount(labels), [40, 30, 20])
    assert {tuple(row) for row in rows} < {tuple(row) for row in X}


def test_clusters_of_one_row_are_no_obstacle(measure, X):
    labels = LABELS.copy()
    labels[0] = 3
    assert np.isfinite(measure.run(X, labels, random_state=0, engine="python").scores).all()


def test_eta_squared_by_analysis_of_variance(X):
    groups = [X[k == LABELS] for k in range(3)]
    f = stats.f_oneway(*groups).statistic
    assert eta_squared(X, LABELS, None, None) == pytest.approx(f * 2 / (f * 2 + 87), rel=1e-12)


def test_kruskal_by_scipy(X):
    tied = X.round()
    h = np.array([stats.kruskal(*(tied[k == LABELS, j] for k in range(3))).statistic for j in range(5)])
    assert kruskal(tied, LABELS, None, None) == pytest.approx(h / 89, rel=1e-12)


def test_information_is_that_of_k_means_on_its_own_labels():
    X = standardized("wine")
    found = mi_kmeans(X, 3, random_state=0)
    assert np.array_equal(np.clip(information(X, found.labels, None, None), 0, 1), found.scores)


@pytest.mark.slow
@pytest.mark.parametrize("cluster", [None, 1])
def test_centroids_permuted_the_long_way(X, cluster):
    model = NearestCentroid().fit(X, LABELS)

    def score(rows):
        predicted = model.predict(rows)
        if cluster is None:
            return balanced_accuracy_score(LABELS, predicted)
        return balanced_accuracy_score(cluster == LABELS, predicted == cluster)

    orders = np.random.default_rng(7).permuted(np.tile(np.arange(90), (10, 1)), axis=1)
    lost = np.zeros(5)
    for j in range(5):
        for order in orders:
            permuted = X.copy()
            permuted[:, j] = X[order, j]
            lost[j] += (score(X) - score(permuted)) / 10
    assert centroid_permutation(X, LABELS, cluster, 7) == pytest.approx(lost, abs=1e-12)


@pytest.mark.parametrize("cluster", [None, 1])
def test_fact_scores_assignments_after_permutation_against_those_before(X, cluster):
    model = NearestCentroid().fit(X, LABELS)
    before = model.predict(X)
    orders = np.random.default_rng(7).permuted(np.tile(np.arange(90), (10, 1)), axis=1)
    lost = np.zeros(5)
    for j in range(5):
        for order in orders:
            permuted = X.copy()
            permuted[:, j] = X[order, j]
            score = f1_score(before, model.predict(permuted), average=None)
            lost[j] += (1 - (score.mean() if cluster is None else score[cluster])) / 10
    assert scoring_after_permutation(X, LABELS, cluster, 7) == pytest.approx(lost, abs=1e-12)


KINDS = Feature("x"), Feature("plan", "nominal", ("a", "b", "c")), Feature("size", "ordinal", ("S", "M", "L"))


def of_kinds():
    rng = np.random.default_rng(1)
    plan = (LABELS + (rng.random(90) < 0.2)) % 3
    X = np.column_stack([rng.normal(size=90), plan, rng.integers(3, size=90)])
    return np.where(rng.random(X.shape) < 0.1, np.nan, X)


def test_each_feature_is_scored_where_it_was_observed():
    X = of_kinds()
    rows = [~np.isnan(x) for x in X.T]
    eta = eta_squared(X, LABELS, None, None, KINDS)
    assert eta[0] == pytest.approx(eta_squared(X[rows[0], :1], LABELS[rows[0]], None, None)[0])
    table = pd.crosstab(X[rows[1], 1], LABELS[rows[1]]).to_numpy() / rows[1].sum()
    levels, sizes = table.sum(axis=1), table.sum(axis=0)
    within = (table**2 / sizes).sum()
    assert eta[1] == pytest.approx((within - (levels**2).sum()) / (1 - (levels**2).sum()))  # tau
    h = stats.kruskal(*(X[rows[2] & (k == LABELS), 2] for k in range(3))).statistic
    assert kruskal(X, LABELS, None, None, KINDS)[2] == pytest.approx(h / (rows[2].sum() - 1))
    assert eta[2] == pytest.approx(h / (rows[2].sum() - 1))
    found = information(X, LABELS, None, None, KINDS)
    counted = discrete_information([X[rows[1], 1].astype(int)], LABELS[None, rows[1]], 3, [True])
    assert found[1] == pytest.approx(counted[0, 0])


def test_numbers_given_as_features_score_the_same(X):
    features = [Feature(str(j)) for j in range(5)]
    for one in (information, eta_squared, kruskal, centroid_permutation, scoring_after_permutation):
        np.testing.assert_allclose(one(X, LABELS, None, 0, features), one(X, LABELS, None, 0), atol=1e-12)


def test_measures_take_tables(measure):
    scores = run_on_table(
        measure, of_kinds(), LABELS, KINDS, random_state=0, engine="python", options={"bootstrap": True}
    ).scores
    assert scores.argmax() == 1
