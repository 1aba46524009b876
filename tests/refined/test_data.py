"""Refined clustering on tables with columns of several kinds and missing values."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, roc_auc_score

from xcompare import RefinedClustering
from xcompare.bagging.table import MixedTable, units_of
from xcompare.core.features import Feature
from xcompare.refined.data import RefinedData
from xcompare.refined.density_gap import density_gap

LEVELS = tuple("abcdef")


def customers(n=200, gaps=0.0):
    """Two categories and a number share three clusters; random categories and numbers do not."""
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 3
    frame = pd.DataFrame(
        {
            "age": 2.5 * labels + rng.normal(size=n),
            "plan": pd.Categorical(np.array(LEVELS)[2 * labels + rng.integers(2, size=n)]),
            "size": pd.Categorical(np.array(["L", "S", "M"])[labels], ["S", "M", "L"], ordered=True),
            "region": pd.Categorical(rng.choice(list("NESW"), size=n)),
            "code": pd.Categorical(rng.integers(30, size=n).astype(str)),
            **{f"noise{j}": rng.normal(size=n) for j in range(4)},
        }
    )
    return frame.mask(rng.random(frame.shape) < gaps), labels


def fitted(frame, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RefinedClustering(3, random_state=0, **settings).fit(frame)


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_features_of_every_kind_are_found(gaps):
    frame, labels = customers(gaps=gaps)
    model = fitted(frame)
    assert roc_auc_score(np.arange(9) < 3, model.feature_importances_) == 1
    assert adjusted_rand_score(labels, model.labels_) > (0.9 if gaps == 0 else 0.7)
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    assert model.round_features_.shape == (5, 60, 9)
    assert model.needs_company_.tolist() == [False, True, True, True, True] + [False] * 4


@pytest.mark.slow
def test_workers_change_nothing():
    one, more = (fitted(customers(gaps=0.2)[0], rounds=2, n_replicas=35, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.round_importances_, more.round_importances_)
    np.testing.assert_array_equal(one.labels_, more.labels_)


def test_centers_are_means_medians_and_most_frequent_levels():
    model = fitted(customers()[0], rounds=3, n_replicas=20)
    size = [feature.levels for feature in model.features_].index(("S", "M", "L"))
    assert set(model.cluster_centers_[:, size]) == {0.0, 1.0, 2.0}
    assert np.isfinite(model.cluster_centers_).all()


def test_complete_numbers_declared_as_such_change_nothing():
    X = np.random.default_rng(0).normal(size=(80, 4))
    plain, declared = (
        fitted(X, rounds=2, n_replicas=8, columns=columns)
        for columns in (None, tuple(Feature(f"x{j}") for j in range(4)))
    )
    np.testing.assert_array_equal(plain.feature_importances_, declared.feature_importances_)


def prepared(codes, gaps=0.0):
    """Columns of levels, prepared for replicates."""
    X = np.column_stack(codes).astype(float)
    X[np.random.default_rng(1).random(X.shape) < gaps] = np.nan
    features = tuple(Feature(f"x{j}", "nominal", LEVELS) for j in range(X.shape[1]))
    singly = units_of(None, [feature.name for feature in features])
    table = MixedTable.of(X, features, singly, standardize="robust", information="auto")
    return RefinedData.of(table.expected, table, n_clusters=3, n_init=1, tie_seed=(0, 2))


def test_levels_alone_have_no_density_gap_and_several_that_agree_have_one():
    rng = np.random.default_rng(0)
    rare = rng.choice(3, p=[0.6, 0.1, 0.3], size=300)
    assert density_gap(prepared([rare]).scales[0].untied, rare) < 1
    codes = np.arange(300) % 3
    data = prepared([codes, rng.permutation(3)[codes]])
    assert density_gap(data.scales[0].untied[:1], codes) < 1
    assert density_gap(data.scales[0].untied, codes) > 2


def test_a_replicate_takes_all_dimensions_of_a_value_from_one_donor():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=60)
    data = prepared([codes, codes, rng.integers(6, size=60)], gaps=0.2)
    chosen = np.array([0, 2])
    donors = data.donors(chosen, (5, 1), np.ones(60, dtype=int))
    points = data.points_of(chosen, donors)
    assert points.shape == (12, 60)
    known = {tuple(column) for column in data.table.points[6 * 2 :, ~data.table.missing[2]].T}
    assert {tuple(column) for column in points[6:].T} == known
    assert np.isfinite(data.untied_of(chosen, donors)).all()


def test_information_is_of_the_rows_where_a_feature_was_observed():
    codes = np.arange(90) % 3
    whole, gappy = prepared([codes, codes]), prepared([codes, codes], gaps=0.3)
    found = gappy.information(codes[None])
    np.testing.assert_allclose(whole.information(codes[None]), np.log(3), atol=1e-12)
    known = ~gappy.table.missing[0]
    sizes = np.bincount(codes[known]) / known.sum()
    assert found[0, 0] == pytest.approx(-(sizes * np.log(sizes)).sum())


def test_information_is_relative_to_what_a_feature_can_hold():
    labels = np.repeat([0, 1, 2, 3], 50)
    points = np.stack([labels, labels >= 2, labels == 3]).astype(float)
    data = RefinedData.of(points, None, n_clusters=4, n_init=1, tie_seed=(0,))
    number, half, quarter = data.information(labels[None])[0]
    assert number == pytest.approx(np.log(4), abs=1e-9)  # it can tell all four
    held = [np.log(2), np.log(4) - 0.75 * np.log(3)]  # of log(4), which these two tell in full
    np.testing.assert_allclose([half, quarter], np.sqrt(np.log(4) * np.array(held)), rtol=0.02)


def test_a_single_cluster_tells_nothing():
    points = np.stack([np.arange(60.0), np.arange(60.0) % 2])
    data = RefinedData.of(points, None, n_clusters=2, n_init=1, tie_seed=(0,))
    np.testing.assert_array_equal(data.information(np.zeros((1, 60), dtype=int)), 0)
