"""What one K-means says: the baselines compute what they say, from one and the same partition."""

import numpy as np
import pytest
from sklearn.feature_selection import f_classif
from sklearn.inspection import permutation_importance
from sklearn.metrics import adjusted_rand_score

from tests.samples import standardized
from xcompare.bagging.information.mutual import mutual_information
from xcompare.methods import METHODS, mi_kmeans, perm_kmeans, variance_ratio
from xcompare.methods.kmeans_baselines import one_kmeans


@pytest.fixture(scope="module")
def X():
    return standardized("iris")


def test_information_with_the_labels_clipped(X):
    labels = one_kmeans(X, 3, 5).labels_
    expected = np.clip(mutual_information(X, labels), 0, 1)
    np.testing.assert_array_equal(mi_kmeans(X, 3, random_state=5).scores, expected)
    found = METHODS["mi_kmeans"].run(X, 3, random_state=5, engine="python")
    np.testing.assert_array_equal(found.scores, expected)
    np.testing.assert_array_equal(found.labels, labels)


def test_permutation_is_the_mean_of_five_unless_told_otherwise(X):
    scores = {n: perm_kmeans(X, 3, n_repeats=n, random_state=5).scores for n in (1, 5)}
    np.testing.assert_array_equal(perm_kmeans(X, 3, random_state=5).scores, scores[5])
    assert (scores[1] != scores[5]).any()


def test_permutation_is_agreement_lost(X):
    model = one_kmeans(X, 3, 5)
    found = perm_kmeans(X, 3, n_repeats=40, random_state=5).scores
    rng = np.random.default_rng(0)
    for j in range(4):
        lost = []
        for _ in range(40):
            permuted = X.copy()
            permuted[:, j] = rng.permutation(X[:, j])
            lost.append(1 - adjusted_rand_score(model.labels_, model.predict(permuted)))
        assert found[j] == pytest.approx(np.mean(lost), abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("n_clusters", [1, 2, 3, 7])
@pytest.mark.parametrize("kind", ["continuous", "ties", "duplicates", "far from 0"])
def test_permutation_is_scikit_learns(X, n_clusters, kind):
    data = {
        "continuous": X,
        "ties": X.round(),  # rows as near to one centre as to another
        "duplicates": np.repeat(X[::10], 10, axis=0),
        "far from 0": X + 1e4,
    }[kind]
    model = one_kmeans(data, n_clusters, 3)
    expected = permutation_importance(
        model,
        data,
        model.labels_,
        scoring=lambda model, X, labels: adjusted_rand_score(labels, model.predict(X)),
        n_repeats=4,
        random_state=3,
    )
    found = perm_kmeans(data, n_clusters, n_repeats=4, random_state=3).scores
    np.testing.assert_allclose(found, expected.importances_mean, atol=1e-12)


def test_a_feature_the_partition_ignores_scores_0(X):
    flat = np.column_stack([X, np.zeros(len(X))])
    assert perm_kmeans(flat, 3, random_state=0).scores[4] == 0
    assert mi_kmeans(flat, 3, random_state=0).scores[4] == 0


def test_options_reach_the_method(X):
    run = METHODS["perm_kmeans"].run
    few = run(X, 3, random_state=5, engine="python", n_repeats=2).scores
    np.testing.assert_array_equal(few, perm_kmeans(X, 3, n_repeats=2, random_state=5).scores)
    assert (few != run(X, 3, random_state=5, engine="python").scores).any()


def test_variance_ratio_is_the_f_of_an_analysis_of_variance(X):
    found = variance_ratio(X, 3, random_state=5)
    np.testing.assert_allclose(found.scores, f_classif(X, one_kmeans(X, 3, 5).labels_)[0], rtol=1e-10)


def test_variance_ratio_where_it_has_no_value():
    groups = np.repeat([0.0, 5.0], 10)
    X = np.column_stack([groups, np.zeros(20), groups + np.random.default_rng(0).normal(size=20)])
    pure, constant, noisy = variance_ratio(X, 2, random_state=0).scores
    assert constant == 0
    assert noisy < pure < np.inf
    np.testing.assert_allclose(variance_ratio(X, 1, random_state=0).scores, 0, atol=1e-20)
    assert np.isfinite(variance_ratio(X[:3], 3, random_state=0).scores).all()


def test_more_clusters_than_rows():
    with pytest.raises(ValueError, match="n_clusters must be a whole number from 1 to 3; got 4"):
        mi_kmeans(np.eye(3), 4)


def test_five_permutations_unless_told_otherwise(X):
    default, five, one = (
        perm_kmeans(X, 3, random_state=5, **o).scores for o in ({}, {"n_repeats": 5}, {"n_repeats": 1})
    )
    np.testing.assert_array_equal(default, five)
    assert (default != one).any()
