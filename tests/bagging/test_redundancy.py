"""Redundant features: found, named, drawn one at a time; features that only share clusters are none."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from tests.samples import standardized
from xcompare import BaggedClustering, load_dataset
from xcompare.bagging.redundancy import (
    BLOCK,
    OVERALL,
    _correlated_pairs,
    draw_features,
    rank_correlation,
    redundant_groups,
)


def clusters_and_copies(gap, seed=0, n=200):
    """Two features make the clusters; four are noise, and redundant with each other."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % 2
    common, noise = rng.normal(size=(n, 1)), rng.normal(size=(n, 6))
    return np.hstack(
        [gap * groups[:, None] + noise[:, :2], np.sqrt(0.9) * common + np.sqrt(0.1) * noise[:, 2:]]
    )


def trap(n_copies, n=200):
    """`a` makes two clusters; `b` and its copies make none."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(np.repeat([0.0, 8.0], n // 2)), "b": rng.normal(size=n)})
    for i in range(n_copies):
        frame[f"b{i}"] = frame["b"] + 0.2 * rng.normal(size=n)
    return frame


def fit(X, n_clusters=2, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return BaggedClustering(n_clusters, n_replicas=40, random_state=0, **settings).fit(X)


@pytest.mark.slow
@pytest.mark.parametrize("resampling", ["basic", "efron", "bbc"])
@pytest.mark.parametrize("gap", [3, 5, 8])
def test_spread_tells_clusters_from_copies(gap, resampling):
    auc = [
        roc_auc_score(
            [1, 1, 0, 0, 0, 0],
            fit(
                clusters_and_copies(gap, seed), resampling=resampling, redundancy="spread"
            ).feature_importances_,
        )
        for seed in range(3)
    ]
    assert np.mean(auc) >= 0.95


def test_published_importances_follow_the_copies():
    found = fit(clusters_and_copies(8), redundancy="warn", n_init=1)
    assert found.feature_importances_[:2].max() < found.feature_importances_[2:].min()


@pytest.mark.parametrize("n_copies", [1, 2, 3, 6])
def test_the_trap_with_more_and_more_copies(n_copies):
    frame = trap(n_copies)
    found = fit(frame, redundancy="spread")
    assert found.redundant_groups_ == (tuple(range(1, n_copies + 2)),)
    assert found.feature_importances_[0] > 0.9
    assert found.feature_importances_[1:].max() < 0.2
    assert found.group_importances_[0] < 0.2
    if n_copies > 1:
        assert fit(frame, redundancy="ignore").feature_importances_[0] < 0.5


def test_a_warning_names_the_groups_and_nothing_else_changes():
    frame = trap(2)
    with pytest.warns(UserWarning, match=r"redundant features count more than once: b, b0, b1\."):
        told = BaggedClustering(2, n_replicas=20, random_state=0).fit(frame)
    untold = fit(frame, redundancy="ignore")
    np.testing.assert_array_equal(told.replica_importances_, untold.replica_importances_[:20])
    assert untold.redundant_groups_ == ()


@pytest.mark.slow
def test_wine_does_not_change_by_default():
    """Its phenols and flavanoids are redundant, and are named."""
    X = load_dataset("wine").X
    told, untold = fit(X, 3), fit(X, 3, redundancy="ignore")
    assert told.redundant_groups_ == ((5, 6),)
    np.testing.assert_array_equal(told.feature_importances_, untold.feature_importances_)
    np.testing.assert_array_equal(told.labels_, untold.labels_)


def test_a_group_counts_for_its_best_member():
    model = fit(trap(2))
    shares, weights = model.replica_importances_, model.replica_weights_
    best = np.nanmax(shares[:, 1:], axis=1)
    assert model.group_importances_[0] == pytest.approx(weights @ best / weights.sum())
    assert model.group_importances_[0] >= model.feature_importances_[1:].max() - 1e-12


def test_features_that_only_share_clusters_are_no_copies():
    """Four clusters in each of 15 features: correlated by .9 over all rows, by nothing within clusters."""
    X = standardized("overlap").T
    assert np.abs(spearmanr(X[0], X[1]).statistic) > 0.9
    assert redundant_groups(X, 4, np.random.default_rng(0)) == ()


def test_copies_turned_around_or_bent_are_copies():
    x = np.random.default_rng(1).normal(size=(3, 150))
    x[1], x[2] = -x[0], np.exp(x[0])
    assert redundant_groups(x, 2, np.random.default_rng(0)) == ((0, 1, 2),)


def test_many_rows_are_looked_at_in_part():
    x = np.random.default_rng(2).normal(size=(3, 20_000))
    x[2] = x[0] + 0.1 * x[2]
    assert redundant_groups(x, 2, np.random.default_rng(0)) == ((0, 2),)


def test_pairs_beyond_the_bar_are_found_to_the_last_digit():
    """Single precision tells which features to look at, and not which side of the bar they are on."""
    rng = np.random.default_rng(3)
    ranks = rng.normal(size=(BLOCK + 40, 60))
    ranks /= np.linalg.norm(ranks, axis=1, keepdims=True)
    expected = []
    for second, beyond in [(1, 1e-12), (2, -1e-12), (30, 0.01), (BLOCK + 9, 1e-12), (BLOCK + 10, -1e-12)]:
        follows, apart = OVERALL + beyond, ranks[second] - (ranks[second] @ ranks[0]) * ranks[0]
        ranks[second] = -follows * ranks[0] + np.sqrt(1 - follows**2) * apart / np.linalg.norm(apart)
        expected += [(0, second)] * (beyond > 0)
    ranks[BLOCK + 30] = ranks[BLOCK + 20]
    first, second = _correlated_pairs(ranks)
    found = sorted(zip(first.tolist(), second.tolist(), strict=True))
    i, j = np.nonzero(np.triu(np.abs(ranks @ ranks.T) >= OVERALL, k=1))
    assert found == sorted(zip(i.tolist(), j.tolist(), strict=True))
    assert {*expected, (BLOCK + 20, BLOCK + 30)} <= set(found)
    assert (0, 2) not in found
    assert (0, BLOCK + 10) not in found


def test_rank_correlation_is_spearmans():
    X = standardized("iris")
    whole = rank_correlation(X.T, np.zeros(len(X), dtype=int))
    np.testing.assert_allclose(whole, spearmanr(X).statistic, atol=1e-12)


def test_at_most_one_of_a_group_is_drawn_and_each_as_often():
    groups = ((1, 2, 3), (5, 6))
    drawn = np.zeros(8)
    for seed in range(600):
        chosen = draw_features(8, 3, groups, np.random.default_rng(seed))
        assert len(chosen) == 3
        assert all(len(set(chosen) & set(group)) <= 1 for group in groups)
        drawn[chosen] += 1
    units = [drawn[[0]], drawn[[1, 2, 3]], drawn[[4]], drawn[[5, 6]], drawn[[7]]]
    np.testing.assert_allclose([unit.sum() for unit in units], 600 * 3 / 5, rtol=0.15)
    for unit in units:
        np.testing.assert_allclose(unit, unit.mean(), rtol=0.25)


def test_without_groups_the_draw_is_what_it_was():
    order = np.random.default_rng(3).permutation(9)
    np.testing.assert_array_equal(draw_features(9, 4, (), np.random.default_rng(3)), np.sort(order[:4]))
