"""One Gaussian as a reference: its draws, and how often they reach the data."""

import numpy as np
import pytest
from scipy import stats

from xcompare.bagging.reference import Gaussian, p_more, p_most


@pytest.mark.parametrize("shape", [(200, 3), (8, 7), (8, 20)])
def test_draws_have_the_mean_and_covariance_of_the_data(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) @ rng.normal(size=(shape[1], shape[1])) + 10
    Y = Gaussian.of(X).draw(rng)
    np.testing.assert_allclose(Y.mean(axis=0), X.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(np.cov(Y.T), np.cov(X.T), atol=1e-7)
    assert not np.allclose(X, Y)


def test_features_of_few_values_keep_them():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.poisson(2, size=100), rng.normal(size=100), np.arange(100) == 7])
    Y = Gaussian.of(X).draw(rng)
    assert sorted(Y[:, 0]) == sorted(X[:, 0])
    assert len(set(Y[:, 1])) == 100
    assert sorted(Y[:, 2]) == [*[0] * 99, 1]


def test_p_values_count_the_data_among_the_draws():
    draws = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    assert p_more(np.array([2.5, 6.0]), draws).tolist() == [0.5, 0.25]
    assert p_more(np.array([3.0, 5.0]), draws).tolist() == [0.5, 1.0]  # as large is not larger


def test_any_feature_is_rejected_as_often_as_the_level_says():
    rng = np.random.default_rng(0)
    scale = np.array([0.1, 1.0, 10.0, 100.0])  # features of different spread count alike
    samples = (rng.normal(size=(20, 4)) * scale for _ in range(4000))
    rejected = np.array([p_most(sample[0], sample[1:]) <= 0.05 for sample in samples])
    assert 0.04 <= rejected.any(axis=1).mean() <= 0.06
    assert stats.chisquare(rejected.sum(axis=0)).pvalue > 0.01


def test_a_feature_far_above_all_draws_stands_out_alone():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(39, 5))
    p_values = p_most(np.array([0.0, 20.0, 0.0, 0.0, 0.0]), draws)
    assert p_values[1] == 1 / 40
    assert (np.delete(p_values, 1) > 0.1).all()


def test_a_feature_that_no_draw_moves_does_not_stand_out():
    assert p_most(np.zeros(2), np.zeros((9, 2))).tolist() == [1.0, 1.0]
