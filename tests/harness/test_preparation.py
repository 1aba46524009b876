"""Data is checked with one clear sentence, standardised as R's scale() does, and recognised again."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csc_array, csr_array, csr_matrix

from tests.samples import standardized
from xcompare.core.errors import DataError
from xcompare.core.features import Feature
from xcompare.harness.preparation import prepare
from xcompare.io.datasets import load_dataset


def test_standardised_with_sample_standard_deviation(X):
    data = prepare(7 * X + 3, 2)
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.X.std(axis=0, ddof=1), 1)
    np.testing.assert_allclose(data.X, standardized(X), atol=1e-12)


def test_data_given_stays_as_it_is(X):
    before = X.copy()
    prepare(X, 2)
    np.testing.assert_array_equal(X, before)
    assert X.flags.writeable


def test_constant_columns_are_left_out_with_a_warning(X):
    """They tell no clusters apart, yet weighted K-means gives them all the weight."""
    frame = pd.DataFrame(X, columns=list("abcd")).assign(b=5.0)
    with pytest.warns(UserWarning, match="left out: b$"):
        data = prepare(frame, 2)
    assert data.feature_names == ("a", "c", "d")
    np.testing.assert_array_equal(data.values, X[:, [0, 2, 3]])
    assert data.X.shape == data.values.shape


def test_a_sample_of_rows_is_drawn_by_its_seed_and_named(X):
    labels = np.arange(len(X)) % 3
    data = prepare(X, None, labels, "mine", sample=10, seed=4)
    rows = [np.flatnonzero((row == X).all(axis=1))[0] for row in data.values]
    assert rows == sorted(set(rows))
    assert data.name == f"mine, 10 of {len(X)} rows"
    assert data.n_clusters == 3
    np.testing.assert_array_equal(np.array(data.label_names)[data.labels], labels[rows].astype(str))
    again, other = (prepare(X, None, labels, sample=10, seed=seed) for seed in (4, 5))
    assert (again.fingerprint == data.fingerprint, other.fingerprint == data.fingerprint) == (True, False)


def test_a_sample_no_smaller_than_the_data_is_the_data(X):
    for sample in (len(X), 10**6, None):
        data = prepare(X, 2, name="mine", sample=sample)
        assert (data.name, data.fingerprint) == ("mine", prepare(X, 2).fingerprint)


@pytest.mark.parametrize("sample", [1, 0, 2.5, True, "many"])
def test_a_sample_that_is_none(X, sample):
    with pytest.raises(DataError, match="sample must be a whole number of rows of at least 2, or None"):
        prepare(X, 2, sample=sample)


def test_two_features_must_vary(X):
    frame = pd.DataFrame(X[:, :3], columns=list("abc")).assign(b=5.0, c=1.0)
    with (
        pytest.warns(UserWarning, match="left out"),
        pytest.raises(DataError, match=r"at least two features that vary.*; got a$"),
    ):
        prepare(frame, 2)


@pytest.mark.parametrize("scale", [1e-300, 1e300, 1.7e307])
def test_extreme_values_stay_finite(X, scale):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = prepare(X * scale, 2)
    np.testing.assert_allclose(data.X.std(axis=0, ddof=1), 1)


def test_names_of_a_frame_and_of_an_array(X):
    assert prepare(pd.DataFrame(X, columns=["a", "b", 3, "d"]), 2).feature_names == ("a", "b", "3", "d")
    assert prepare(X, 2).feature_names == ("x0", "x1", "x2", "x3")
    assert prepare(X.tolist(), 2).name == "data"


@pytest.mark.parametrize("make", ["polars", "pyarrow"])
def test_frames_of_other_packages_keep_their_names(X, make):
    frame = pd.DataFrame(X).rename(columns="f{}".format)
    other = pl.from_pandas(frame) if make == "polars" else pa.Table.from_pandas(frame)
    data = prepare(other, 2)
    assert data.info.feature_names == tuple(frame.columns)
    assert data.fingerprint == prepare(frame, 2).fingerprint


def test_the_name_of_a_file_is_refused():
    with pytest.raises(DataError, match=r"got 'data.csv': xcompare.read_table reads a file"):
        prepare("data.csv", 2)


def test_dataset_brings_its_own_name_clusters_and_labels():
    data = prepare(load_dataset("iris"), None)
    assert (data.name, data.n_clusters) == ("iris", 3)
    assert np.bincount(data.labels).tolist() == [50, 50, 50]


def test_fingerprint_knows_the_values_only(X):
    same = [prepare(X, 2), prepare(pd.DataFrame(X), 3, name="other"), prepare(np.asfortranarray(X), 2)]
    assert len({data.fingerprint for data in same}) == 1
    other = X.copy()
    other[3, 1] = np.nextafter(other[3, 1], 9)
    assert prepare(other, 2).fingerprint != same[0].fingerprint
    assert prepare(X[:, ::-1], 2).fingerprint != same[0].fingerprint


def test_labels_of_any_kind(X):
    texts = np.array(["b", "a"] * 30)
    assert prepare(X, 2, texts).labels.tolist() == [0, 1] * 30
    assert prepare(X, 2, pd.Series(texts, dtype="category")).labels.tolist() == [0, 1] * 30


def test_clusters_are_as_many_as_there_are_distinct_labels(X):
    assert prepare(X, None, ["a", "b", "c"] * 20).n_clusters == 3
    assert prepare(X, 5, ["a", "b", "c"] * 20).n_clusters == 5
    with pytest.raises(DataError, match="at least 2; got 1"):
        prepare(X, None, ["a"] * 60)


def with_nan(X):
    X = X.copy()
    X[[3, 8], [0, 2]] = np.nan
    return X


@pytest.mark.parametrize(
    ("make", "n_clusters", "message"),
    [
        (lambda X: X, 61, "n_clusters=61 exceeds n_samples=60"),
        (lambda X: X, 1, "at least 2; got 1"),
        (lambda X: X, 2.5, "whole number"),
        (lambda X: X, None, "n_clusters must say how many"),
        (lambda X: X[:, :1], 2, "at least two features that vary"),
        (lambda X: np.where(X[3, 0] == X, np.inf, X), 2, "must not hold infinity .columns x0"),
        (
            lambda X: pd.DataFrame(X).drop(index=3).reindex(range(60)),
            2,
            "1 rows have no value at all .rows 3",
        ),
        (lambda X: pd.DataFrame(X, columns=list("abca")), 2, "duplicated: a"),
        (lambda X: X[:, 0], 2, "rows by features; got shape"),
        (lambda X: csr_array(X * 1j), 2, "complex sparse matrix"),
        (
            lambda X: csr_array((10**7, 10**5)),
            2,
            r"takes 7,450.6 GiB when dense, .* draw rows \(sample=10000\)",
        ),
        (lambda X: [[1, {}]], 2, "must be numeric"),
    ],
)
def test_unusable_data_is_refused(X, make, n_clusters, message):
    with pytest.raises(DataError, match=message):
        prepare(make(X), n_clusters)


@pytest.mark.parametrize("make", [csr_matrix, csr_array, csc_array])
@pytest.mark.parametrize("sample", [None, 20])
def test_sparse_data_are_the_same_data(X, make, sample):
    """Only the rows drawn become dense, and the fingerprint tells no difference."""
    X = np.where(X > 0, X, 0.0)
    labels = np.arange(60) % 3
    dense, sparse = (prepare(data, None, labels, sample=sample, seed=1) for data in (X, make(X)))
    assert sparse.fingerprint == dense.fingerprint
    assert sparse.name == dense.name
    assert sparse.n_clusters == 3
    np.testing.assert_array_equal(sparse.X, dense.X)
    np.testing.assert_array_equal(sparse.labels, dense.labels)


def test_of_many_constant_columns_a_few_are_named(X):
    with pytest.warns(UserWarning, match="left out: x4, x5, .* and 18 more$"):
        assert prepare(np.column_stack([X, np.zeros((60, 30))]), 2).feature_names == ("x0", "x1", "x2", "x3")


@pytest.mark.parametrize(
    ("labels", "message"),
    [([0, 1], r"one label per row \(60\)"), ([None, "a"] * 30, "30 of 60 labels are missing")],
)
def test_unusable_labels_are_refused(X, labels, message):
    with pytest.raises(DataError, match=message):
        prepare(X, 2, labels)


@pytest.mark.parametrize("make", [with_nan, lambda X: pd.DataFrame(with_nan(X)).astype("Float64")])
def test_missing_values_are_kept_dropped_replaced_or_refused(X, make):
    kept = prepare(make(X), 2)
    assert np.isnan(kept.X).sum() == np.isnan(kept.values).sum() == 2
    assert len(kept.info.features) == X.shape[1]
    assert np.nanstd(kept.X, axis=0, ddof=1) == pytest.approx(1)
    with pytest.warns(UserWarning, match="2 of 60 rows with missing values are left out"):
        dropped = prepare(make(X), 2, ["a", "b"] * 30, missing="drop")
    assert dropped.n_samples == len(dropped.labels) == 58
    assert not dropped.info.features
    assert prepare(make(X), 2, missing="median").values[3, 0] == np.median(np.delete(X[:, 0], 3))
    with pytest.raises(DataError, match="2 of 60 rows hold NaN"):
        prepare(make(X), 2, missing="error")


def test_columns_of_several_kinds_are_coded(X):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(plan=["x", "y", "z"] * 20, flag=[True, False] * 30)
    with pytest.warns(UserWarning, match="not numeric: plan"):
        data = prepare(frame, 2)
    assert [feature.kind for feature in data.info.features] == ["numeric"] * 4 + ["nominal", "binary"]
    np.testing.assert_array_equal(data.X[:, 4], np.arange(60) % 3)
    np.testing.assert_array_equal(data.values[:, 4], np.arange(60) % 3)
    with pytest.warns(UserWarning, match="not numeric"):
        other = prepare(frame, 2, columns={"plan": ["z", "y", "x"]})
    assert other.info.features[4].levels == ("z", "y", "x")
    assert other.fingerprint != data.fingerprint


def test_two_levels_keep_their_names_and_are_numbers_to_methods(X):
    numbers = pd.DataFrame(X, columns=list("abcd"))
    as_number = prepare(numbers.assign(plan=[0.0, 1.0] * 30), 2)
    assert as_number.info.features == ()
    with pytest.warns(UserWarning, match="not numeric: plan"):
        flagged = prepare(numbers.assign(plan=[False, True] * 30), 2)
    with pytest.warns(UserWarning, match="not numeric: plan"):
        named = prepare(numbers.assign(plan=["basic", "pro"] * 30), 2)
    for data, levels in ((flagged, ("False", "True")), (named, ("basic", "pro"))):
        assert data.info.plain
        assert data.info.features[4] == Feature("plan", "binary", levels)
        assert data.fingerprint == as_number.fingerprint
        np.testing.assert_array_equal(data.X, as_number.X)


def test_rows_stay_together_in_memory(X):
    """Sums over rows round by memory order, and a copy of large data counts."""
    given = X.copy()
    for groups in (None, {"g": ["x0", "x2"]}):
        data = prepare(given, 2, feature_groups=groups)
        assert data.values.flags.c_contiguous
        assert data.X.flags.c_contiguous
