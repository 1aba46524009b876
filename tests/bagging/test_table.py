"""Tables with several kinds of features, groups of them, and missing values."""

import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.metrics import adjusted_rand_score

from tests.samples import standardized
from xcompare import BaggedClustering
from xcompare.bagging.dunn.index import dunn_index
from xcompare.core.errors import DataError

N = 90
LABELS = np.repeat([0, 1, 2], N // 3)


def bagged(X, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BaggedClustering(3, **{"n_replicas": 20, "n_init": 1, "random_state": 0, **settings})
        return model.fit(X)


@pytest.fixture(scope="module")
def frame():
    """Three clusters in two numbers, a plan and a size; noise in a number and in twelve levels."""
    rng = np.random.default_rng(0)
    plan = np.where(rng.random(N) < 0.9, LABELS, rng.integers(3, size=N))
    size = np.clip(LABELS + rng.integers(2, size=N), 0, 2)
    return pd.DataFrame(
        {
            "age": 3 * LABELS + rng.normal(size=N),
            "income": 1e4 * ((LABELS == 1) * 4 + rng.normal(size=N)),
            "plan": pd.Categorical(np.array(["basic", "plus", "pro"])[plan]),
            "size": pd.Categorical(np.array(["S", "M", "L"])[size], ["S", "M", "L"], ordered=True),
            "noise": rng.normal(size=N),
            "region": pd.Categorical(np.array(list("abcdefghijkl"))[rng.integers(12, size=N)]),
        }
    )


@pytest.fixture(scope="module")
def gappy(frame):
    gaps = np.random.default_rng(1).random(frame.shape) < 0.2
    return frame.mask(gaps)


def test_features_of_every_kind_are_one_feature_each(frame):
    model = bagged(frame)
    assert [feature.kind for feature in model.features_] == [
        "numeric", "numeric", "nominal", "ordinal", "numeric", "nominal",
    ]  # fmt: skip
    assert adjusted_rand_score(model.labels_, LABELS) > 0.9
    importance = dict(zip(frame.columns, model.feature_importances_, strict=True))
    assert min(importance[name] for name in ("age", "income", "plan", "size")) > 0.3
    assert max(importance["noise"], importance["region"]) < 0.15
    assert model.replica_features_.sum(axis=1).tolist() == [5] * 20
    assert model.cluster_importances_.shape == (3, 6)


def test_new_rows_are_coded_by_the_levels_of_the_fit(frame):
    model = bagged(frame)
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    reordered = frame.iloc[::10].copy()
    reordered["plan"] = reordered["plan"].astype(str)
    np.testing.assert_array_equal(model.predict(reordered), model.labels_[::10])
    assert "plan" in model.explain_sample(frame.iloc[:1]).table.columns


def test_missing_values_are_imputed_in_every_replicate(frame, gappy):
    model, complete = bagged(gappy), bagged(frame)
    assert adjusted_rand_score(model.labels_, complete.labels_) > 0.8
    assert np.abs(model.feature_importances_ - complete.feature_importances_).max() < 0.2
    np.testing.assert_allclose(model.missing_share_, gappy.isna().mean())
    assert (model.imputation_share_ > 0).any()
    assert (model.imputation_share_ <= 1).all()
    assert not complete.imputation_share_.any()
    assert np.isin(model.predict(gappy.iloc[:5]), [0, 1, 2]).all()


SETTINGS = {"resampling": "bbc"}, {"resampling": "basic"}, {"consensus": "medoid"}, {"quality_space": "full"}


@pytest.mark.parametrize("settings", SETTINGS)
def test_other_settings_take_the_same_tables(gappy, settings):
    model = BaggedClustering(**{"n_clusters": 3, "n_replicas": 4, "n_init": 1, "random_state": 0, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(gappy)
    assert np.isfinite(model.feature_importances_).all()
    assert len(model.labels_) == N


def test_the_result_does_not_depend_on_the_number_of_jobs(gappy):
    with parallel_config("threading"):
        one, two = (bagged(gappy, n_jobs=n_jobs, n_replicas=6) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.feature_importances_, two.feature_importances_)
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_groups_are_drawn_and_scored_together(frame):
    model = bagged(frame, feature_groups={"person": ["age", "plan"]})
    drawn = model.replica_features_
    np.testing.assert_array_equal(drawn[:, 0], drawn[:, 2])
    assert set(drawn.sum(axis=1)) <= {4, 5}
    assert model.feature_importances_[0] == model.feature_importances_[2]


@pytest.mark.parametrize("space", ["subspace", "full"])
def test_a_replica_is_weighted_in_the_features_it_drew_or_in_all(space):
    X = np.random.default_rng(0).normal(size=(N, 5)) + 2 * LABELS[:, None]
    frame = pd.DataFrame(X, columns=list("abcde"))
    groups = {"together": ["a", "d"]}
    model = bagged(frame, feature_groups=groups, quality_space=space, standardize="sd", n_replicas=5)
    for drawn, labels, weight in zip(
        model.replica_features_, model.replica_labels_, model.replica_weights_, strict=True
    ):
        seen = drawn if space == "subspace" else np.ones(5, dtype=bool)
        assert weight == pytest.approx(dunn_index(standardized(X)[:, seen], labels), rel=1e-9)
    assert not model.replica_features_.all(axis=1).any()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"person": ["agee"]}, "person has 'agee', which is no feature"),
        ({"a": ["age"], "b": ["age", "plan"]}, "'age' is in two groups"),
        ({"a": "age"}, "list of features"),
    ],
)
def test_wrong_groups_are_refused(frame, groups, message):
    with pytest.raises(DataError, match=message):
        BaggedClustering(feature_groups=groups).fit(frame)


def test_gaps_that_depend_on_the_cluster_are_named(frame):
    rng = np.random.default_rng(0)
    gaps = rng.random((N, 2)) < np.column_stack([np.where(LABELS == 0, 0.6, 0.05), np.full(N, 0.2)])
    frame = frame.assign(
        age=frame["age"].mask(gaps[:, 0]), noise=frame["noise"].mask(gaps[:, 1])
    )  # the second at random
    with pytest.warns(UserWarning, match="depends on the cluster in age:"):
        BaggedClustering(3, n_replicas=30, n_init=1, random_state=0).fit(frame)


def test_rows_and_columns_without_values_get_one_line_each(frame):
    empty = frame[["age", "income", "noise"]].assign(nothing=np.nan)
    empty.iloc[3] = np.nan
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = BaggedClustering(3, n_replicas=4, random_state=0).fit(empty)
    said = [str(one.message) for one in caught]
    assert any("1 rows have no value at all" in text and "rows 3" in text for text in said)
    assert any("importance 0: nothing" in text for text in said)
    assert model.feature_importances_[3] == 0


def test_missing_values_can_be_refused_or_replaced_by_medians(gappy):
    with pytest.raises(DataError, match="hold NaN or infinity"):
        BaggedClustering(missing="error").fit(gappy)
    model = bagged(gappy, missing="median", n_replicas=4)
    assert not model.imputation_share_.any()
    with pytest.raises(DataError, match="infinity"):
        BaggedClustering().fit(np.array([[0.0, np.inf], [1.0, 2.0]]))
