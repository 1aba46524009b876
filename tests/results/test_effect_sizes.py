"""Effect sizes against scipy, by hand, and with values missing; intervals against an exact bootstrap."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from xcompare.core.errors import DataError, UnknownNameError
from xcompare.core.features import Feature
from xcompare.results import resampled_rows
from xcompare.results.clustered_table import ClusteredTable, contrasts_with, deviations
from xcompare.results.effect_sizes import COLUMNS, effect_sizes
from xcompare.results.summary import cluster_summaries
from xcompare.results.value_counts import shortest_between
from xcompare.results.wording import condition_text, size_text, standardized_text

FEATURES = (
    Feature("income"),
    Feature("size", "ordinal", ("S", "M", "L")),
    Feature("smoker", "binary", ("no", "yes")),
    Feature("color", "nominal", ("red", "green", "blue")),
)


@pytest.fixture(scope="module")
def table():
    """Three clusters of 40, 30 and 20 rows; every feature has values missing."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [40, 30, 20])
    X = np.column_stack(
        [
            rng.normal(50 + 8 * codes, 10).round(),
            np.clip(rng.integers(0, 3, 90) + (codes == 1), 0, 2),
            rng.random(90) < 0.2 + 0.3 * codes,
            np.where(rng.random(90) < 0.3, codes, rng.integers(0, 3, 90)),
        ]
    ).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return ClusteredTable(X, FEATURES, codes, ("a", "b", "c"))


@pytest.fixture(scope="module")
def found(table):
    contrasts = (*table.against_rest(), *contrasts_with("each", table.clusters))
    return effect_sizes(table, contrasts).set_index(["cluster", "reference", "feature"])


def groups(table, feature, cluster, reference):
    """Values of a cluster and of its reference, without the missing ones."""
    x = table.column(feature)[1]
    inside = table.codes == table.clusters.index(cluster)
    outside = ~inside if reference == "rest" else table.codes == table.clusters.index(reference)
    return x[inside & ~np.isnan(x)], x[outside & ~np.isnan(x)]


CONTRASTS = [("a", "rest"), ("c", "rest"), ("a", "b"), ("b", "c")]


@pytest.mark.parametrize(("cluster", "reference"), CONTRASTS)
def test_means_and_standardised_differences(table, found, cluster, reference):
    a, b = groups(table, "income", cluster, reference)
    one = found.loc[cluster, reference, "income"]
    assert (one["rows"], one["reference_rows"]) == (len(a), len(b))
    assert (one["value"], one["reference_value"]) == pytest.approx((a.mean(), b.mean()))
    assert one["difference"] == pytest.approx(a.mean() - b.mean())
    # Student's t is Cohen's d on another scale; Hedges' correction to four digits.
    t = stats.ttest_ind(a, b).statistic
    assert one["cohens_d"] == pytest.approx(t * np.sqrt(1 / len(a) + 1 / len(b)))
    correction = 1 - 3 / (4 * (len(a) + len(b) - 2) - 1)
    assert one["hedges_g"] == pytest.approx(one["cohens_d"] * correction, rel=1e-4)


@pytest.mark.parametrize("feature", ["income", "size"])
@pytest.mark.parametrize(("cluster", "reference"), CONTRASTS)
def test_cliffs_delta_and_shares_above_the_median(table, found, cluster, reference, feature):
    a, b = groups(table, feature, cluster, reference)
    one = found.loc[cluster, reference, feature]
    u = stats.mannwhitneyu(a, b).statistic
    assert one["cliffs_delta"] == pytest.approx(2 * u / (len(a) * len(b)) - 1)
    median = np.nanmedian(table.column(feature)[1])
    assert one["above_median"] == (a > median).mean()
    assert one["reference_above_median"] == (b > median).mean()


@pytest.mark.parametrize("feature", ["size", "smoker", "color"])
@pytest.mark.parametrize(("cluster", "reference"), CONTRASTS)
def test_categories(table, found, cluster, reference, feature):
    a, b = groups(table, feature, cluster, reference)
    one = found.loc[cluster, reference, feature]
    levels = table.column(feature)[0].levels
    counts = np.array([[(x == code).sum() for code in range(len(levels))] for x in (a, b)])
    counts = counts[:, counts.sum(axis=0) > 0]
    assert one["cramers_v"] == pytest.approx(stats.contingency.association(counts, method="cramer"))
    shares = {level: ((a == code).mean(), (b == code).mean()) for code, level in enumerate(levels)}
    level = max(shares, key=lambda name: shares[name][0] - shares[name][1])
    assert one["level"] == level
    assert (one["value"], one["reference_value"]) == pytest.approx(shares[level])
    both = (np.concatenate([a, b]) == levels.index(level)).mean()
    assert one["lift"] == pytest.approx(shares[level][0] / both)
    assert np.isnan(one["hedges_g"])


@pytest.mark.parametrize(("cluster", "reference"), CONTRASTS)
def test_no_other_threshold_has_a_larger_f1(table, found, cluster, reference):
    a, b = groups(table, "income", cluster, reference)
    one = found.loc[cluster, reference, "income"]

    def judged(direction, cut):
        caught, wrong = ((x > cut if direction == ">" else x <= cut).sum() for x in (a, b))
        return caught / len(a), caught / max(caught + wrong, 1)

    assert (one["coverage"], one["purity"]) == judged(one["direction"], one["threshold"])
    values = np.unique(table.column("income")[1][~np.isnan(table.column("income")[1])])
    best = max(
        stats.hmean(judged(direction, cut)) for direction in ("<=", ">") for cut in values[:-1]
        if min(judged(direction, cut)) > 0
    )  # fmt: skip
    assert stats.hmean([one["coverage"], one["purity"]]) == pytest.approx(best)


def test_the_condition_on_ordered_levels_names_a_level():
    grades = Feature("grade", "ordinal", ("3", "4", "5"))
    X, codes = np.array([[0.0], [0.0], [1.0], [2.0], [2.0]]), np.array([0, 0, 0, 1, 1])
    table = ClusteredTable(X, (grades,), codes, ("low", "high"))
    effects = effect_sizes(table, table.against_rest())
    assert effects["threshold_level"].tolist() == ["4", "4"]
    assert [condition_text(one) for one in effects.to_dict(orient="records")] == ["<= 4", "> 4"]
    low, high = cluster_summaries(table, effects)
    assert low.sentences[1] == "All of its rows have grade at most 4; no other row has."
    assert high.sentences[1] == "All of its rows have grade above 4; no other row has."


def test_a_cluster_between_two_others_is_described_by_where_it_lies():
    X = np.column_stack(
        [np.repeat([0.0, 50, 100], 30) + np.tile(np.arange(30.0), 3), np.tile(np.arange(30.0), 3)]
    )
    table = ClusteredTable(X, (Feature("spend"), Feature("noise")), np.repeat([0, 1, 2], 30), ("a", "b", "c"))
    _, middle, _ = cluster_summaries(table, effect_sizes(table, table.against_rest()))
    assert middle.sentences[0] == "spend mostly 57 to 72 against 15 to 114 elsewhere."


def test_intervals_are_those_of_an_exact_bootstrap(table, found):
    """Of scipy: resampled within the two groups, with every statistic computed anew."""
    a, b = groups(table, "income", "a", "b")
    one = found.loc["a", "b", "income"]

    def d(a, b, axis):
        squares = sum(np.square(x - x.mean(axis=axis, keepdims=True)).sum(axis=axis) for x in (a, b))
        n = a.shape[axis] + b.shape[axis]
        pooled = np.sqrt(squares / (n - 2))
        return (1 - 3 / (4 * n - 9)) * (a.mean(axis=axis) - b.mean(axis=axis)) / pooled

    def delta(a, b, axis):
        return np.sign(a[..., :, None] - b[..., None, :]).mean(axis=(-2, -1))

    for name, statistic in (("hedges_g", d), ("cliffs_delta", delta)):
        exact = stats.bootstrap(
            (a, b), statistic, n_resamples=4000, method="percentile", rng=np.random.default_rng(1), batch=500
        ).confidence_interval
        width = exact.high - exact.low
        assert one[f"{name}_low"] == pytest.approx(exact.low, abs=0.12 * width)
        assert one[f"{name}_high"] == pytest.approx(exact.high, abs=0.12 * width)


def test_intervals_of_many_rows_come_from_a_sample_of_them(monkeypatch):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 1500)
    X = rng.normal(codes[:, None], size=(3000, 1))
    table = ClusteredTable(X, (Feature("x"),), codes, ("a", "b"))
    whole = effect_sizes(table, table.against_rest()).iloc[0]
    monkeypatch.setattr(resampled_rows, "MOST_ROWS", 600)
    sampled = effect_sizes(table, table.against_rest()).iloc[0]
    for name in ("difference", "hedges_g", "cliffs_delta"):
        assert sampled[name] == whole[name]
        width = whole[f"{name}_high"] - whole[f"{name}_low"]
        assert sampled[f"{name}_high"] - sampled[f"{name}_low"] == pytest.approx(width, rel=0.25)
        assert sampled[f"{name}_low"] < sampled[name] < sampled[f"{name}_high"]


def test_what_cannot_be_known_is_nan():
    """A constant feature, one without values in a cluster, and values of any size."""
    X = np.array([[1, np.nan, 1e300], [1, np.nan, 2e300], [1, 1, 8e300], [1, 2, 9e300]])
    features = tuple(Feature(name) for name in ("constant", "absent", "huge"))
    table = ClusteredTable(X, features, np.array([0, 0, 1, 1]), ("a", "b"))
    found = effect_sizes(table, table.against_rest()).set_index(["cluster", "feature"])
    assert found.loc[("a", "constant"), "difference"] == 0
    assert np.isnan(found.loc[("a", "constant"), "hedges_g"])
    assert found.loc[("a", "absent"), "rows"] == 0
    assert np.isnan(found.loc[("a", "absent"), ["value", "difference", "cliffs_delta"]].astype(float)).all()
    assert found.loc[("b", "huge"), "difference"] == pytest.approx(7e300)
    assert found.loc[("b", "huge"), "cliffs_delta"] == 1
    assert list(found.reset_index()[list(COLUMNS)].columns) == list(COLUMNS)


def test_bootstrap_samples_without_a_value_give_no_interval_and_no_warning():
    X = np.array([[1, 2, np.nan], [2, 3, 1], [4, 1, 2], [9, 8, 1]])
    table = ClusteredTable(X, tuple(map(Feature, "abc")), np.array([0, 0, 1, 1]), ("x", "y"))
    with warnings.catch_warnings(action="error"):
        found = effect_sizes(table, table.against_rest()).set_index(["cluster", "feature"])
    assert found.loc[("x", "c"), "difference"] == pytest.approx(-0.5)
    assert np.isnan(found.loc[("x", "c"), ["difference_low", "difference_high"]].astype(float)).all()


def test_the_same_seed_gives_the_same_intervals(table, found):
    again = effect_sizes(table, table.against_rest()).set_index(["cluster", "reference", "feature"])
    pd.testing.assert_frame_equal(again, found.loc[again.index], check_exact=False)


def test_contrasts():
    clusters = ["a", "b", "c", "d"]
    assert contrasts_with("rest", clusters) == ()
    assert len(contrasts_with("each", clusters)) == 6
    assert [(one.cluster, one.reference, one.against) for one in contrasts_with({"c", "b"}, clusters)] == [
        (0, (1, 2), "b, c"),
        (3, (1, 2), "b, c"),
    ]
    assert contrasts_with(1, ["0", "1"])[0].against == "1"
    with pytest.raises(UnknownNameError, match="rest, each, or among the clusters a, b, c, d; got 'e'"):
        contrasts_with("e", clusters)
    with pytest.raises(DataError, match="leave at least one"):
        contrasts_with(clusters, clusters)
    with pytest.raises(DataError, match="at most 12 clusters in pairs; got 13"):
        contrasts_with("each", [str(k) for k in range(13)])


def test_deviations_pass_over_what_is_missing(table):
    found = deviations(table)
    assert found.index.tolist() == [
        "income",
        "size",
        "smoker: yes",
        "color: red",
        "color: green",
        "color: blue",
    ]
    x = table.X[:, 0]
    z = (x - np.nanmean(x)) / np.nanstd(x, ddof=1)
    expected = [np.nanmean(z[table.codes == k]) for k in range(3)]
    assert found.loc["income"].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(("low", "high", "cut"), [(2.44, 2.47, 2.45), (0, 1, 0.5), (7, 7.0000001, 7)])
def test_short_thresholds(low, high, cut):
    assert low <= shortest_between(low, high) < high
    assert shortest_between(low, high) == pytest.approx(cut, abs=0.02)


def test_small_negative_sizes_are_zero_without_a_sign():
    effect = {"level": "", "cliffs_delta": -0.001, "hedges_g": -0.01}
    assert (size_text(effect), standardized_text(effect)) == ("+0.00", "+0.0")
