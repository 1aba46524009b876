"""Refined clustering: scikit-learn's contract, known truth, determinism, awkward data, clear errors."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from xcompare import RefinedClustering, load_dataset
from xcompare.core.errors import DataError

# As for BaggedClustering: another random draw.
OTHER_DRAW = {
    f"check_sample_weight_equivalence_on_{kind}_data": "weighted rows are drawn, repeated rows too"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [RefinedClustering(rounds=2, n_replicas=5)], expected_failed_checks=lambda _: OTHER_DRAW
)
def test_is_a_scikit_learn_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


def alone(rng):
    """One feature has two groups, and no other goes along."""
    labels = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 8))
    X[:, 3] += 5 * labels
    return X, labels, np.arange(8) == 3


def few_among_many(rng):
    """Three clusters in 4 of 60 features."""
    labels = np.arange(200) % 3
    X = rng.normal(size=(200, 60))
    X[:, :4] += 2.5 * np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 0, 1]]).T[labels]
    return X, labels, np.arange(60) < 4


def correlated_noise(rng):
    """Two clusters in two features; four noise features that hang together."""
    labels = np.arange(200) % 2
    X = np.sqrt(0.8) * rng.normal(size=(200, 1)) + np.sqrt(0.2) * rng.normal(size=(200, 6))
    X[:, :2] = rng.normal(size=(200, 2)) + 4 * labels[:, None]
    return X, labels, np.arange(6) < 2


def small_cluster(rng):
    """A cluster of 5% of the rows."""
    labels = (np.arange(300) < 15).astype(int)
    X = rng.normal(size=(300, 8))
    X[:, :3] += 5 * labels[:, None]
    return X, labels, np.arange(8) < 3


def binary_noise(rng):
    """Two values, at random, in five of eight features."""
    labels = np.arange(240) % 3
    X = rng.normal(size=(240, 8))
    X[:, :3] += 2.5 * np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1]]).T[labels]
    X[:, 3:] = rng.integers(2, size=(240, 5))
    return X, labels, np.arange(8) < 3


def diagonals(rng):
    """Two long clusters side by side: each feature alone has one peak."""
    labels = np.arange(200) % 2
    along, across = 4 * rng.normal(size=200), 4 * (labels - 0.5) + 0.4 * rng.normal(size=200)
    X = rng.normal(size=(200, 8))
    X[:, 0], X[:, 1] = along + across, along - across
    return X, labels, np.arange(8) < 2


CASES = [alone, few_among_many, correlated_noise, small_cluster, binary_noise, diagonals]


@pytest.mark.slow
@pytest.mark.parametrize("make", CASES)
def test_finds_the_features_and_the_clusters(make):
    X, labels, relevant = make(np.random.default_rng(1))
    model = RefinedClustering(len(np.unique(labels)), random_state=0).fit(X)
    assert roc_auc_score(relevant, model.feature_importances_) == 1
    assert adjusted_rand_score(labels, model.labels_) > 0.9


def test_binary_features_that_share_clusters_count():
    rng = np.random.default_rng(0)
    labels = np.arange(300) % 2
    shared = rng.random((300, 5)) < np.where(labels, 0.9, 0.1)[:, None]
    X = np.hstack([shared, rng.random((300, 5)) < 0.5]).astype(float)
    model = RefinedClustering(2, random_state=0).fit(X)
    assert model.needs_company_.all()
    assert model.feature_importances_[:5].min() > 2 * model.feature_importances_[5:].max()
    assert adjusted_rand_score(labels, model.labels_) > 0.8


@pytest.mark.slow
def test_a_binary_feature_alone_is_left_out_and_a_continuous_one_is_not():
    X, labels, _ = alone(np.random.default_rng(2))
    flag = X.copy()
    flag[:, 3] = labels
    assert RefinedClustering(2, random_state=0).fit(X).feature_importances_.argmax() == 3
    assert RefinedClustering(2, random_state=0).fit(flag).feature_importances_[3] < 0.1


@pytest.mark.slow
def test_rounds_narrow_down_on_what_matters():
    X, _, relevant = few_among_many(np.random.default_rng(3))
    model = RefinedClustering(3, random_state=0).fit(X)
    drawn = model.round_features_
    assert set(drawn[0].sum(axis=1)) == {2, 3, 15, 30}
    assert drawn[-1].sum(axis=1).max() < 10
    shares = drawn[:, :, relevant].sum(axis=(1, 2)) / drawn.sum(axis=(1, 2))
    assert shares[-1] > 0.8 > shares[0]


@pytest.fixture(scope="module")
def wine():
    return load_dataset("wine")


def test_shapes(wine):
    model = RefinedClustering(3, rounds=3, n_replicas=12, random_state=0).fit(wine.X)
    assert model.feature_importances_.shape == (13,)
    assert model.round_importances_.shape == (3, 13)
    np.testing.assert_array_equal(model.round_importances_[1:].mean(axis=0), model.feature_importances_)
    assert model.round_features_.shape == (3, 12, 13)
    assert model.round_labels_.shape == (3, 12, 178)
    assert model.round_weights_.shape == model.round_whitened_.shape == (3, 12)
    assert model.cluster_centers_.shape == (3, 13)
    assert ((model.feature_importances_ >= 0) & (model.feature_importances_ <= 1)).all()
    assert model.feature_weights_.max() == 1
    assert (np.diff(np.bincount(model.labels_)) <= 0).all()


def test_a_single_round_is_the_mean(wine):
    model = RefinedClustering(3, rounds=1, n_replicas=8, random_state=0).fit(wine.X)
    np.testing.assert_array_equal(model.feature_importances_, model.round_importances_[0])
    assert model.feature_importances_.max() > 0.3


def test_rows_of_no_weight_have_no_part_in_the_partition():
    """Two near groups count; a third, far off along the same line, would be a cluster of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)) + np.repeat([0.0, 12.0, 80.0], 40)[:, None]
    model = RefinedClustering(2, rounds=2, n_replicas=8, random_state=0)
    assert model.fit(X).labels_.tolist() == [0] * 80 + [1] * 40
    weighted = model.fit(X, sample_weight=np.repeat([1.0, 1.0, 0.0], 40)).labels_
    assert weighted.tolist() == [1] * 40 + [0] * 80


def test_predict_gives_training_rows_their_labels(wine):
    for X in (wine.X, diagonals(np.random.default_rng(0))[0]):
        model = RefinedClustering(3, rounds=2, n_replicas=10, random_state=0).fit(X)
        np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.slow
def test_workers_change_nothing(wine):
    one, more = (
        RefinedClustering(3, rounds=2, n_replicas=35, random_state=0, n_jobs=jobs).fit(wine.X)
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.round_importances_, more.round_importances_)
    np.testing.assert_array_equal(one.labels_, more.labels_)


def test_units_and_places_change_nothing(wine):
    X = wine.X
    model = RefinedClustering(3, rounds=2, n_replicas=10, random_state=0)
    first = model.fit(X).feature_importances_.copy()
    again = model.fit(X * 4.0 ** np.arange(13)).feature_importances_
    np.testing.assert_allclose(first, again, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_extreme_units_do_no_harm(wine, scale):
    model = RefinedClustering(3, rounds=2, n_replicas=10, random_state=0)
    first = model.fit(wine.X).feature_importances_.copy()
    np.testing.assert_allclose(model.fit(wine.X * scale).feature_importances_, first, atol=0.2)


def test_constant_features_get_0_and_a_warning(wine):
    X = pd.DataFrame(wine.X[:, :5], columns=list("abcde")).assign(c=3.0)
    with pytest.warns(UserWarning, match="constant features carry no information and get importance 0: c$"):
        model = RefinedClustering(3, rounds=2, n_replicas=10, random_state=0).fit(X)
    assert model.feature_importances_[2] == 0


def test_nothing_but_constants():
    with pytest.warns(UserWarning, match="constant features"):
        model = RefinedClustering(2, rounds=2, n_replicas=3, random_state=0).fit(np.ones((10, 3)))
    np.testing.assert_array_equal(model.feature_importances_, 0)


def test_one_cluster_knows_nothing(wine):
    model = RefinedClustering(1, rounds=2, n_replicas=3, random_state=0).fit(wine.X)
    np.testing.assert_array_equal(model.feature_importances_, 0)
    np.testing.assert_array_equal(model.labels_, 0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number of at least 1; got 0"),
        ({"n_clusters": 500}, "n_clusters=500 exceeds n_samples=178; choose fewer clusters"),
        ({"rounds": 0}, "rounds must be a whole number of at least 1; got 0"),
        ({"n_replicas": 2.5}, "n_replicas must be a whole number of at least 1; got 2.5"),
        ({"n_init": True}, "n_init must be a whole number of at least 1; got True"),
        ({"exponent": -1}, "exponent must be a number of at least 0; got -1"),
        ({"exponent": "two"}, "exponent must be a number of at least 0; got 'two'"),
    ],
)
def test_errors_say_what_was_expected(wine, parameters, message):
    with pytest.raises(DataError, match=message):
        RefinedClustering(**{"n_clusters": 3, **parameters}).fit(wine.X)


def test_missing_values_are_one_line_that_names_the_columns():
    frame = pd.DataFrame({"a": np.arange(9.0), "b": np.append(np.arange(8.0), np.nan)})
    with pytest.raises(
        ValueError, match=r"^the data must be finite; 1 of 9 rows .*columns b\).*impute them first$"
    ):
        RefinedClustering(2, missing="error").fit(frame)


def test_binary_features_with_clusters_outrank_continuous_noise():
    """Noise explains the partitions it makes; features with few values are not evaluated on theirs."""
    rng = np.random.default_rng(0)
    labels = np.arange(150) % 5
    high = rng.random((5, 15)) < 0.5
    flags = rng.random((150, 15)) < np.where(high, 0.92, 0.08)[labels]
    found = RefinedClustering(5, random_state=0).fit(np.hstack([flags, rng.normal(size=(150, 15))]))
    relevant = np.arange(30) < 15
    assert roc_auc_score(relevant, found.feature_importances_) > 0.95


def test_features_of_a_group_are_drawn_and_scored_together():
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2], 40)
    X = pd.DataFrame(rng.normal(size=(120, 7)), columns=list("abcdefg"))
    X["a"] += 4 * (kind == 0)
    X["e"] += 4 * (kind == 2)
    X["b"] += 4 * (kind == 1)
    model = RefinedClustering(3, rounds=3, n_replicas=30, random_state=0)
    alone = model.fit(X).feature_importances_
    of_one = model.set_params(feature_groups={"b": ["b"]}).fit(X).feature_importances_
    np.testing.assert_array_equal(alone, of_one)
    model.set_params(feature_groups={"noise": ["f", "c"], "shape": ["a", "e"]}).fit(X)
    drawn, importances = model.round_features_, dict(zip(X, model.feature_importances_, strict=True))
    np.testing.assert_array_equal(drawn[..., 0], drawn[..., 4])
    np.testing.assert_array_equal(drawn[..., 2], drawn[..., 5])
    assert importances["a"] == importances["e"] > 0.5 > importances["c"] == importances["f"]
    assert 0 < drawn[0, :, 0].mean() < 1
