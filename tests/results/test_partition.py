"""The partition nearest to all, and the profiles of its clusters."""

from dataclasses import replace

import numpy as np
import pytest

import xcompare
from xcompare.bagging.consensus.medoid import variation_of_information
from xcompare.bagging.information.entropy import kde_entropy
from xcompare.core.errors import DataError
from xcompare.results.partition import FoundPartition, cluster_profiles, consensus_of


def found(method, run, labels, engine="python"):
    return FoundPartition(method, engine, run, np.array(labels))


def test_nearest_in_the_mean_each_method_alike():
    ensemble = [found("a", run, [0, 0, 0, 1, 1, 1]) for run in range(5)]
    ensemble += [found("b", 0, [2, 2, 7, 7, 7, 7]), found("c", 0, [1, 1, 0, 0, 0, 0])]
    nearest = consensus_of(ensemble)
    # Five runs of one method weigh no more than one run of another.
    assert (nearest.method, nearest.run, nearest.n_partitions, nearest.n_methods) == ("b", 0, 7, 3)
    assert nearest.labels.tolist() == [1, 1, 0, 0, 0, 0]
    expected = variation_of_information(ensemble[0].labels, nearest.labels) / 3
    assert nearest.distance == pytest.approx(expected)


def test_the_first_ten_runs_count_and_none_is_none():
    assert consensus_of([found("a", run, [0, 1, 1]) for run in range(30)]).n_partitions == 10
    assert consensus_of([]) is None


def test_profiles_by_definition():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) * [1, 5, 0.1] + 3
    labels = np.repeat([0, 1, 2], [40, 30, 20])
    X[labels == 2, 1] += 20
    profiles = cluster_profiles(X, labels, ["a", "b", "c"]).set_index(["cluster", "feature"])
    inside, outside = X[labels == 2, 1], X[labels != 2, 1]
    pooled = np.sqrt((19 * inside.var(ddof=1) + 69 * outside.var(ddof=1)) / 88)
    row = profiles.loc[(3, "b")]
    assert row["difference"] == pytest.approx((inside.mean() - outside.mean()) / pooled)
    assert row["size"] == 20
    assert row["mean"] == pytest.approx(inside.mean())
    z = (X[:, 1] - X[:, 1].mean()) / X[:, 1].std(ddof=1)
    assert row["entropy"] == pytest.approx(kde_entropy(z))
    assert row["conditional_entropy"] == pytest.approx(kde_entropy(z[labels == 2]))


def test_profiles_of_constant_features_and_single_rows_are_finite():
    X = np.column_stack([np.arange(6.0), np.ones(6), [0, 0, 0, 0, 0, 9.0]])
    profiles = cluster_profiles(X, np.array([0, 0, 0, 0, 0, 1]), ["a", "constant", "c"])
    assert np.isfinite(profiles.drop(columns="feature")).all(axis=None)
    assert (profiles.loc[profiles["feature"] == "constant", "difference"] == 0).all()
    one = cluster_profiles(X, np.zeros(6, dtype=int), ["a", "b", "c"])
    assert (one["difference"] == 0).all()


def test_profiles_say_what_is_missing():
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(DataError, match="none of the methods returns partitions"):
        _ = xcompare.compare(X, 2, methods="ls", n_jobs=1, progress=False).profiles
    kept = xcompare.compare(X, 2, methods="cubt", n_jobs=1, progress=False)
    assert len(kept.profiles) == 3 * (kept.consensus.labels.max() + 1)
    with pytest.raises(DataError, match="did not keep the data"):
        _ = replace(kept, data=None).profiles


def test_store_keeps_data_as_given_unless_it_is_large(tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(30, 3)) * 1e6

    def stored(name):
        xcompare.compare(X, 2, methods="ls", n_jobs=1, store=tmp_path / name, progress=False)
        return xcompare.Comparison.from_store(tmp_path / name).X

    np.testing.assert_array_equal(stored("small.sqlite"), X)
    monkeypatch.setattr("xcompare.harness.store.LARGEST_DATA", X.size - 1)
    assert stored("large.sqlite") is None
