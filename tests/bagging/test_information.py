"""Mutual information: by densities, by counts where there are none, and junk columns that come last."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy.stats import entropy

from xcompare import BaggedClustering, load_dataset
from xcompare.bagging.information.entropy import SortedFeatures, kde_entropy
from xcompare.bagging.information.mutual import (
    _repeats,
    comparable_scale,
    mutual_information,
    without_density,
)

RESAMPLINGS = ("basic", "efron", "bbc")


def by_definition(X, labels):
    """Mutual information, cluster by cluster."""
    return np.array(
        [
            kde_entropy(x)
            - sum(np.mean(labels == k) * kde_entropy(x[labels == k]) for k in np.unique(labels))
            for x in X.T
        ]
    )


@pytest.mark.parametrize("n", [5, 40, 300, 5000])
@pytest.mark.parametrize("n_clusters", [1, 2, 7, 130])
def test_information_is_the_definition(n, n_clusters):
    rng = np.random.default_rng(n + n_clusters)
    X = np.column_stack(
        [
            rng.normal(size=n),
            rng.integers(3, size=n),
            rng.exponential(size=n) ** 2,
            1e3 + 1e-4 * rng.normal(size=n),
        ]
    )
    labels = rng.integers(n_clusters, size=n)
    np.testing.assert_allclose(mutual_information(X, labels, "kde"), by_definition(X, labels), atol=1e-8)


def test_batches_give_what_single_partitions_give():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 9))
    labels = rng.integers(4, size=(11, 120))
    labels[3] = 0  # one cluster only
    labels[5, 1:] = 2  # a singleton
    features = rng.random((11, 9)) < 0.6
    sorted_features = SortedFeatures.of(np.ascontiguousarray(X.T))
    found = sorted_features.mutual_information(labels, features)
    for partition, mask, row in zip(labels, features, found, strict=True):
        np.testing.assert_allclose(row[mask], by_definition(X[:, mask], partition), atol=1e-12)
        assert np.isnan(row[~mask]).all()


def test_a_feature_that_is_the_partition_says_most():
    rng = np.random.default_rng(1)
    labels = rng.integers(3, size=300)
    X = np.column_stack(
        [labels + 0.01 * rng.normal(size=300), labels + rng.normal(size=300), rng.normal(size=300)]
    )
    informative, weak, noise = mutual_information(X, labels)
    assert informative > weak > noise
    assert abs(noise) < 0.05


def test_labels_may_be_any_integers():
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(50, 2)), rng.integers(3, size=50)
    np.testing.assert_array_equal(mutual_information(X, labels), mutual_information(X, labels * 10 - 7))


def test_wrong_number_of_labels_is_refused():
    with pytest.raises(ValueError, match="one entry per row"):
        mutual_information([[1.0], [2.0]], [0, 1, 0])


def label_entropy(labels):
    return entropy(np.unique(labels, return_counts=True)[1])


def three_groups(n, *columns):
    """Two features that tell three groups apart, two of noise, and what else is given."""
    rng = np.random.default_rng(n)
    groups = np.arange(n) % 3
    noise = rng.normal(size=(n, 4))
    return np.column_stack(
        [4 * groups + noise[:, 0], noise[:, 1] - 3 * groups, noise[:, 2:], *columns]
    ), groups


@pytest.mark.parametrize("n_copies", [2, 3])
@pytest.mark.parametrize("how", ["auto", "discrete"])
def test_a_copy_of_the_labels_gets_their_entropy(n_copies, how):
    labels = np.repeat(np.arange(n_copies), 40 * (1 + np.arange(n_copies)))
    X = np.column_stack([labels, 5.0 - labels * 1e3, np.random.default_rng(0).normal(size=len(labels))])
    found = mutual_information(X, labels, how)
    np.testing.assert_allclose(found[:2], label_entropy(labels), rtol=1e-12)
    assert abs(found[2]) < 0.05


def test_published_estimate_exceeds_what_the_labels_hold_and_the_default_does_not():
    labels = (np.arange(150) == 7).astype(int)
    flag = ((labels - labels.mean()) / labels.std(ddof=1))[:, None]
    assert mutual_information(flag, labels, "kde")[0] > 5 * label_entropy(labels)
    assert mutual_information(flag, labels)[0] == pytest.approx(label_entropy(labels))


@pytest.mark.parametrize("n_values", [2, 3, 8])
def test_counted_noise_is_0_on_average(n_values):
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2], [80, 120, 200])
    noise = rng.integers(n_values, size=(400, 1000)).astype(float)
    found = mutual_information(noise, labels, "discrete")
    assert abs(found.mean()) < 0.001
    assert 0.3 < (found > 0).mean() < 0.5


def test_many_values_cannot_determine_a_partition_by_being_many():
    """Mostly zeros, all other values different: each value alone would say exactly which row it is."""
    rng = np.random.default_rng(2)
    x = np.where(rng.random(1000) < 0.8, 0.0, rng.exponential(size=1000))
    assert without_density(x[None])[0]
    assert abs(mutual_information(x[:, None], rng.integers(3, size=1000))[0]) < 0.01


@pytest.mark.parametrize("n", [999, 1000, 1001, 1002])
@pytest.mark.parametrize("more", [-2, -1, 0, 1, 2])
def test_features_of_many_rows_without_a_density(n, more):
    """As the quartiles say, at and beside the number of equal rows where that changes."""
    rng = np.random.default_rng(n + more)
    equal, quarter = n // 2 + more, n // 4 + more
    features = [
        rng.normal(size=n),
        np.r_[np.zeros(equal), rng.normal(size=n - equal)],
        np.r_[np.zeros(equal), np.abs(rng.normal(size=n - equal))],  # most rows at the least value
        np.r_[np.zeros(quarter), np.ones(n - 2 * quarter), np.full(quarter, 2.0)],
        np.r_[np.zeros(n // 2), np.ones(n - n // 2)],  # two values
        np.r_[np.zeros(n // 2), 0.5, np.ones(n - n // 2 - 1)],  # and a third one
        np.r_[-1.0, np.zeros(n // 2), np.ones(n - n // 2 - 1)],
        rng.integers(3, size=n),
        np.zeros(n),
    ]
    points = rng.permuted(np.array(features, dtype=float), axis=1)
    low, high = np.quantile(points, [0.25, 0.75], axis=1)
    n_values = np.array([np.unique(row).size for row in points])
    np.testing.assert_array_equal(without_density(points), (low == high) | (n_values <= 2))
    np.testing.assert_array_equal(without_density(np.sort(points, axis=1)), without_density(points))


def test_where_densities_exist_the_default_is_the_published_estimate():
    wine = load_dataset("wine")
    np.testing.assert_array_equal(
        mutual_information(wine.X, wine.labels), mutual_information(wine.X, wine.labels, "kde")
    )


def test_a_single_row_tells_nothing():
    """Its density has no width of its own; as published it takes the value itself."""
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(60, 3)), np.r_[np.zeros(59, int), 1]
    within = [kde_entropy(x) - 59 / 60 * kde_entropy(x[:59]) - 1 / 60 * kde_entropy(x) for x in X.T]
    np.testing.assert_allclose(mutual_information(X, labels), within, atol=1e-12)


def test_a_feature_constant_in_a_cluster_is_counted_there():
    rng = np.random.default_rng(4)
    x = np.r_[np.zeros(40), rng.normal(5.0, 1.0, size=60)]
    labels = np.repeat([0, 1], [40, 60])
    for shift in (0.0, 0.1, -3.0):
        found = mutual_information((x + shift)[:, None], labels)[0]
        assert found == pytest.approx(label_entropy(labels), rel=1e-9)


COLUMNS = st.sampled_from(["normal", "flag", "rare", "levels", "zeros and numbers", "constant in a cluster"])


@pytest.mark.slow
@given(COLUMNS, st.floats(-100, 100), st.floats(0.01, 100), st.integers(0, 5))
def test_shifting_or_scaling_changes_no_information(kind, shift, factor, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=80)
    x = {
        "normal": rng.normal(size=80) + labels,
        "flag": (rng.random(80) < 0.4) * 1.0,
        "rare": (np.arange(80) == 5) * 1.0,
        "levels": rng.integers(4, size=80) * 1.0,
        "zeros and numbers": np.where(rng.random(80) < 0.8, 0.0, rng.normal(size=80)),
        "constant in a cluster": np.where(labels == 1, 2.0, rng.normal(size=80)),
    }[kind]
    for how in ("auto", "discrete"):
        before, after = (mutual_information(v[:, None], labels, how)[0] for v in (x, factor * x + shift))
        if np.unique(factor * x + shift).size == np.unique(x).size:  # rounding may merge values
            # The density on a grid is not quite symmetric, and its floor not quite free of units.
            assert after == pytest.approx(before, abs=2e-3 if kind in ("normal", "levels") else 1e-9)


@pytest.mark.parametrize("resampling", RESAMPLINGS)
def test_shifting_or_scaling_a_column_changes_no_importance(resampling):
    rng = np.random.default_rng(5)
    X, _ = three_groups(
        120, rng.random(120) < 0.03, np.where(np.arange(120) % 3 == 1, 1.0, rng.normal(size=120))
    )
    moved = X * np.array([1.0, 1e-3, 50.0, 1.0, 7.0, 2.0]) + np.array([0.0, 3.0, 0.1, -5.0, 0.1, 0.1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        a, b = (
            BaggedClustering(3, resampling=resampling, n_replicas=20, random_state=0).fit(x)
            for x in (X, moved)
        )
    np.testing.assert_allclose(a.feature_importances_, b.feature_importances_, atol=1e-9)


def rare_columns(n):
    rng = np.random.default_rng(6)
    levels = np.zeros(n)
    some = rng.choice(n, size=round(0.03 * n), replace=False)
    levels[some] = 1 + np.arange(len(some)) % 2
    return {"one row": (np.arange(n) == 7) * 1.0, "1%": (rng.random(n) < 0.01) * 1.0, "97% zeros": levels}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("resampling", "kind", "n"),
    [(resampling, kind, 150) for resampling in RESAMPLINGS for kind in ("one row", "1%", "97% zeros")]
    + [("efron", "1%", 2000), ("efron", "97% zeros", 2000)],
)
def test_a_junk_column_comes_last_and_is_named(resampling, kind, n):
    X, _ = three_groups(n, rare_columns(n)[kind])
    with pytest.warns(UserWarning, match=r"no density exists for x4 \(.*plug-in estimate"):
        model = BaggedClustering(3, resampling=resampling, n_replicas=30, random_state=0).fit(X)
    assert model.feature_importances_.argmin() == 4
    assert model.feature_importances_[4] < 0.05
    assert model.discrete_share_.tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("resampling", RESAMPLINGS)
def test_levels_equal_to_the_labels_come_first(resampling):
    rng = np.random.default_rng(7)
    groups = np.arange(240) % 3
    X = np.column_stack([2.5 * groups + rng.normal(size=240), groups - 1.0, rng.normal(size=(240, 3))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = BaggedClustering(3, resampling=resampling, n_replicas=40, random_state=0).fit(X)
    assert model.feature_importances_.argmax() == 1
    assert model.feature_importances_[1] > 0.95


def test_no_note_where_nothing_is_counted(recwarn):
    BaggedClustering(3, n_replicas=10, random_state=0).fit(load_dataset("wine").X)
    assert not [w for w in recwarn if "density" in str(w.message)]


def test_rows_off_the_common_value_lie_where_those_of_a_balanced_flag_do():
    n = 100
    flags = np.stack([(np.arange(n) < k) * 1.0 for k in (1, 10, 50)])
    spread = flags.std(axis=1, ddof=1, keepdims=True)
    standardized = (flags - flags.mean(axis=1, keepdims=True)) / spread
    scaled = standardized / comparable_scale(standardized)[:, None]
    np.testing.assert_allclose(np.ptp(scaled, axis=1), 2.0)
    assert np.ptp(standardized, axis=1) == pytest.approx([10, 3.3, 2], abs=0.05)


@pytest.mark.slow
def test_cap_none_tells_features_apart_that_the_cap_does_not():
    """Six groups 8 standard deviations apart, in features that separate 6, 6, 3 and 2 of them."""
    groups = np.arange(300) % 6
    places = np.column_stack([groups, (groups * 5) % 6, groups // 2, groups // 3])
    X = 8.0 * places + np.random.default_rng(0).normal(size=(300, 4))
    capped, free = (
        BaggedClustering(6, cap=cap, n_replicas=40, random_state=0).fit(X).feature_importances_
        for cap in (1.0, None)
    )
    np.testing.assert_allclose(capped, 1.0, atol=0.005)
    np.testing.assert_allclose(free, [0.99, 1.0, 0.69, 0.45], atol=0.06)


@given(npst.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=st.integers(0, 3)))
def test_repeats_are_counted_row_by_row(values):
    values = np.sort(values, axis=1)
    n_values, most_equal = _repeats(values)
    counts = [np.unique(row, return_counts=True)[1] for row in values]
    assert n_values.tolist() == [len(c) for c in counts]
    assert most_equal.tolist() == [c.max() for c in counts]


@pytest.mark.parametrize("resampling", RESAMPLINGS)
@pytest.mark.parametrize("name", ["illustrative", "correlation", "wine", "breast"])
def test_the_default_estimate_leaves_the_published_rows_where_they_are(name, resampling):
    """All settings but the estimate as published; Mitoses, the last feature of breast, has no density."""
    data = load_dataset(name)
    settings = {"resampling": resampling, "n_init": 1, "n_replicas": 20, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        auto, kde = (
            BaggedClustering(data.n_clusters, information=how, **settings).fit(data.X).feature_importances_
            for how in ("auto", "kde")
        )
    difference = np.abs(auto - kde)[: -1 if name == "breast" else None]
    assert difference.max() <= 0.03
