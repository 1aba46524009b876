"""Are there clusters? Not in data with one mode of any shape; the same for the same seed."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from xcompare.inference.existence import cluster_tests, feature_p_values, separating
from xcompare.inference.projections import projection_p_values
from xcompare.studies.benchmark.simulated import nothing

KINDS = ["correlated", "uniform", "heavy", "skewed", "counts", "log_counts", "grades", "ball", "mixed"]


def groups(rng, n=150, p=6, k=3, apart=4.0, n_signal=3):
    labels = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, p))
    X[:, :n_signal] += apart * np.column_stack([rng.permutation(k)[labels] for _ in range(n_signal)])
    return X, labels


@pytest.mark.parametrize("kind", KINDS)
def test_none_are_found_in_data_with_one_mode(kind):
    X = nothing(np.random.default_rng(0), n=120, kind=kind).noise
    assert cluster_tests(X, 3, seed=0).p_clusters > 0.05


@pytest.mark.parametrize("k", [2, 3, 5])
def test_clusters_are_found_and_the_features_that_differ(k):
    X, _ = groups(np.random.default_rng(k), k=k, n=60 * k)
    found = cluster_tests(X, k, seed=1)
    assert found.p_clusters < 0.01
    assert found.p_associated[:3].max() < 0.001
    assert found.p_associated[3:].min() > 0.001
    assert abs(found.autocorrelation) < 0.3
    assert not found.binary


def test_the_same_seed_gives_the_same_numbers_whatever_the_units():
    X, _ = groups(np.random.default_rng(0), n=90)
    one, two = (cluster_tests(Y, 3, 5, n_splits=2) for Y in (X, X * 2.0 ** np.arange(6) + 8))
    assert one.p_clusters == pytest.approx(two.p_clusters)
    np.testing.assert_allclose(one.p_associated, two.p_associated)


def test_correlated_noise_beside_clusters_is_not_associated():
    rng = np.random.default_rng(3)
    X, _ = groups(rng, n=200)
    noise = np.sqrt(0.8) * rng.normal(size=(200, 1)) + np.sqrt(0.2) * rng.normal(size=(200, 5))
    found = cluster_tests(np.hstack([X[:, :3], noise]), 3, seed=0)
    assert found.p_associated[:3].max() < 0.001
    assert found.p_associated[3:].min() > 0.001


def test_clusters_of_skewed_features_are_found():
    X, _ = groups(np.random.default_rng(12), n=150, k=3, apart=3.5)
    assert cluster_tests(np.exp(X), 3, seed=0).p_clusters < 0.05


def test_many_zeros_of_skewed_features_are_no_clusters():
    rng = np.random.default_rng(13)
    spent = np.where(rng.random((150, 6)) < 0.5, 0, rng.lognormal(3, 1, size=(150, 6)))
    assert cluster_tests(spent, 3, seed=0).p_clusters > 0.05


def test_clusters_below_and_above_a_detection_limit_are_found():
    rng = np.random.default_rng(14)
    X, _ = groups(rng, n=180, k=2, apart=3.0, n_signal=4)
    measured = np.exp(0.7 * X)
    censored = np.maximum(measured, np.quantile(measured, 0.3, axis=0))
    assert cluster_tests(censored, 2, seed=0).p_clusters < 0.05


def test_a_detection_limit_makes_no_clusters():
    rng = np.random.default_rng(15)
    measured = np.exp(0.6 * (rng.normal(size=(180, 8)) + rng.normal(size=(180, 1))))
    assert (
        cluster_tests(np.maximum(measured, np.quantile(measured, 0.3, axis=0)), 2, seed=0).p_clusters > 0.05
    )


def test_clusters_beside_a_common_factor_are_found_in_halves_of_70_rows():
    rng = np.random.default_rng(16)
    labels = np.arange(140) % 3
    X = rng.normal(size=(140, 40)) + 1.2 * rng.normal(size=(140, 1))
    X[:, :9] += 3.0 * (labels[:, None] == np.arange(9) % 3)
    assert cluster_tests(X, 3, seed=0).p_clusters < 0.01


def test_a_feature_alone_is_told_by_its_own_modes():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(160, 5))
    X[:80, 2] += 6
    found = cluster_tests(X, 2, seed=0)
    assert found.p_clusters < 0.01
    assert found.p_modes.argmin() == 2
    assert found.p_modes[2] < 0.001


def test_rows_that_drift_are_noticed_and_sorted_ones_are_not():
    rng = np.random.default_rng(5)
    drift = np.cumsum(rng.normal(size=(200, 4)), axis=0)
    assert cluster_tests(drift, 3, 0).autocorrelation > 0.5
    X, labels = groups(rng, n=200)
    assert cluster_tests(X[np.argsort(labels)], 3, 0).autocorrelation < 0.3


def test_binary_tables_are_said_to_be_binary_and_latent_classes_are_found():
    rng = np.random.default_rng(6)
    classes = rng.integers(2, size=200)
    shared = (rng.random((200, 10)) < np.where(classes[:, None] == 1, 0.9, 0.1)).astype(float)
    found = cluster_tests(shared, 2, 0)
    assert found.binary
    assert found.p_clusters < 0.01
    alone = (rng.random((200, 10)) < 0.5).astype(float)
    assert cluster_tests(alone, 2, 0).p_clusters > 0.05


@pytest.mark.parametrize("shape", [(5, 2), (6, 30)])
def test_few_rows_prove_nothing(shape):
    X = np.random.default_rng(7).normal(size=shape)
    assert cluster_tests(X, 4, 0).p_clusters > 0.05


def test_more_rows_than_needed_are_sampled():
    X, _ = groups(np.random.default_rng(8), n=3000)
    assert cluster_tests(X, 3, 0).p_clusters < 0.01


def test_the_half_that_finds_clusters_does_not_test_them():
    rng = np.random.default_rng(9)
    train, test = rng.normal(size=(2, 60, 4))
    labels = KMeans(2, random_state=0).fit_predict(train)
    again = projection_p_values(train, test[::-1], labels)
    assert projection_p_values(train, test, labels) == pytest.approx(again)
    assert len(again) == 4


@pytest.mark.filterwarnings("error")
def test_few_different_rows_and_flags_that_a_sample_misses_warn_of_nothing():
    rng = np.random.default_rng(10)
    assert cluster_tests((rng.random((80, 2)) < 0.5).astype(float), 6, 0).p_clusters > 0.05
    X, _ = groups(rng, n=3000)
    X[:, 5] = np.arange(3000) == 7
    assert np.isfinite(cluster_tests(X, 3, 0).p_associated).all()


def test_a_feature_of_several_dimensions_is_tested_without_all_of_them(monkeypatch):
    """Three levels at random, with a dimension each: clusters of any two of them would tell the third."""
    rng = np.random.default_rng(11)
    codes, numbers = rng.integers(3, size=150), 0.2 * rng.normal(size=(150, 2))
    importances = np.array([1.0, 1.0, 1.0, 0.5, 0.5])
    monkeypatch.setattr("xcompare.inference.existence.find_features", lambda *_: (importances, None))
    p_values, used, labels = feature_p_values(
        np.hstack([np.eye(3)[codes], numbers]),
        3,
        rng,
        values=np.column_stack([codes, numbers]),
        block=np.array([0, 0, 0, 1, 2]),
        nominal=[True, False, False],
    )
    assert used.tolist() == [0, 1, 2, 3, 4]
    assert len(set(zip(labels, codes, strict=True))) == 3  # the levels are the clusters
    assert p_values[0] > 0.05


def test_features_that_separate_clusters_have_three_tenths_of_the_largest_importance_and_are_15_at_most():
    assert separating(np.array([0.3, 0.29, 0.5, 1.0])).tolist() == [0, 2, 3]
    assert separating(np.linspace(0.5, 1, 20)).tolist() == list(range(5, 20))
