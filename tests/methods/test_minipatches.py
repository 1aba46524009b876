"""Cluster LOCO, RAMPART and IMPACC: the first against its authors' package, all against their definitions."""

import numpy as np
import pytest

from tests.samples import standardized
from xcompare.core.errors import DataError
from xcompare.methods import cluster_loco, impacc, rampart
from xcompare.methods.minipatches.ensemble import CLUSTERERS, fit_minipatches, leave_out

SHARES = {"row_share": 0.2, "feature_share": 0.2, "clusterer": "kmeans"}


@pytest.fixture(scope="module")
def X():
    return standardized("wine")


def test_loco_is_that_of_the_authors(X):
    """``ClusterLOCOMP(K=3, B=60, random_state=3)`` of clusterloco 0.1.0, scored by ``hinge_error``."""
    theirs = [0.004321, 0.006005, -0.020167, -0.015714, -0.019058, 0.006436, -0.002288, -0.018939,
              -0.015693, 0.029489, 0.010394, 0.007241, 0.025915]  # fmt: skip
    found = cluster_loco(X, 3, n_patches=60, random_state=3).scores
    np.testing.assert_allclose(found, theirs, atol=6e-7)


def test_a_feature_is_left_out_with_the_patches_that_have_it(X):
    patches = fit_minipatches(X, 3, 0, n_patches=20, **SHARES)
    scores = leave_out(patches)
    for j in range(13):
        drops = []
        for i in range(len(X)):
            out = patches.out[:, i]
            without = out & ~patches.drawn[:, j]
            if without.any():
                drops.append(patches.right[out, i].mean() - patches.right[without, i].mean())
        assert scores[j] == pytest.approx(np.mean(drops), abs=1e-12)


def test_a_feature_of_every_patch_scores_0(X):
    patches = fit_minipatches(X, 3, 0, n_patches=3, **SHARES | {"feature_share": 1.0})
    np.testing.assert_array_equal(leave_out(patches), np.zeros(13))


@pytest.fixture(scope="module")
def two_of_eight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 8))
    X[:, 1] += 6 * (np.arange(90) % 3 == 0)
    X[:, 4] += 6 * (np.arange(90) % 3 == 1)
    return X


@pytest.mark.parametrize("clusterer", CLUSTERERS)
def test_every_clusterer_finds_the_planted_features(two_of_eight, clusterer):
    found = cluster_loco(two_of_eight, 3, clusterer=clusterer, n_patches=60, random_state=0)
    assert set(np.argsort(-found.scores)[:2]) == {1, 4}


@pytest.mark.slow
def test_a_split_finds_features_without_a_substitute(two_of_eight):
    found = cluster_loco(two_of_eight, 3, design="split", random_state=0)
    assert set(np.argsort(-found.scores)[:2]) == {1, 4}
    with pytest.raises(DataError, match="needs at least 6 rows to split; got 5: use design='minipatches'"):
        cluster_loco(two_of_eight[:5], 3, design="split")


def test_trimming_keeps_the_better_half_of_each_round(two_of_eight):
    found = rampart(two_of_eight, 3, n_top=2, n_patches=60, random_state=0).scores
    assert set(np.argsort(-found)[:2]) == {1, 4}
    rounds = np.ceil(found)  # 8, 4 and 2 features were scored
    assert sorted(rounds.tolist()) == [1, 1, 1, 1, 2, 2, 3, 3]


def test_impacc_scores_are_shares_of_minipatches(two_of_eight):
    found = impacc(two_of_eight, 3, n_patches=40, random_state=0)
    assert set(np.argsort(-found.scores)[:2]) == {1, 4}
    assert 0 <= found.scores.min() <= found.scores.max() <= 1
    assert len(np.unique(found.labels)) == 3
