"""Skewness: where it is strong some replicates remove it, and small clusters are found all the same."""

import numpy as np
import pytest
from scipy.stats import skew
from sklearn.metrics import adjusted_rand_score, roc_auc_score

from xcompare import RefinedClustering
from xcompare.refined.skewness import Symmetry


def test_only_strongly_skewed_features_of_several_values_change():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(4, 300))
    points[1:3] = np.exp(points[1:3])
    points[3] = rng.random(300) < 0.1
    points[1, :20] = np.nan
    symmetry = Symmetry.of(points, np.array([True, True, False, True]))
    changed = symmetry.apply(points)
    assert symmetry.which.tolist() == [1]
    np.testing.assert_array_equal(changed[[0, 2, 3]], points[[0, 2, 3]])
    np.testing.assert_array_equal(np.isnan(changed[1]), np.isnan(points[1]))
    assert abs(skew(changed[1], nan_policy="omit")) < 0.3
    known = ~np.isnan(points[1])
    assert (np.argsort(changed[1, known]) == np.argsort(points[1, known])).all()


def test_without_skewed_features_points_are_not_copied():
    points = np.random.default_rng(0).normal(size=(3, 200))
    assert Symmetry.of(points, np.ones(3, dtype=bool)).apply(points) is points


@pytest.mark.parametrize("seed", [0, 1])
def test_clusters_of_skewed_features_beside_a_skewed_factor(seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(240) % 2
    X = rng.normal(size=(240, 14))
    X[:, :4] += 2.8 * labels[:, None]
    X[:, 6:] += 1.5 * rng.normal(size=(240, 1))
    model = RefinedClustering(2, random_state=seed).fit(np.exp(0.9 * X))
    assert roc_auc_score(np.arange(14) < 4, model.feature_importances_) == 1
    assert adjusted_rand_score(labels, model.labels_) > 0.9
    assert 0.3 < model.round_symmetric_.mean() < 0.7
    np.testing.assert_array_equal(model.predict(np.exp(0.9 * X)), model.labels_)


def test_a_small_cluster_is_no_tail():
    rng = np.random.default_rng(2)
    labels = (np.arange(300) < 18).astype(int)
    X = rng.normal(size=(300, 8))
    X[:, :3] += 6 * labels[:, None]
    model = RefinedClustering(2, random_state=0).fit(X)
    assert adjusted_rand_score(labels, model.labels_) > 0.95
    assert roc_auc_score(np.arange(8) < 3, model.feature_importances_) == 1
