"""From p-values to words."""

import numpy as np
from scipy import stats

from xcompare.hypotheses.verdict import p_more, p_most, q_values, verdicts


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


def test_q_values_are_benjamini_and_hochberg_s():
    np.testing.assert_allclose(q_values(np.array([0.01, 0.04, 0.03, 0.5])), [0.04, 0.16 / 3, 0.16 / 3, 0.5])


def test_verdicts_in_words():
    shared, own, gaussian = np.array(
        [[0.01, 0.9, 0.01, 0.01, 0.9], [0.9, 0.01, 0.9, 0.06, 0.9], [0.9, 0.9, 0.05, 0.06, 0.9]]
    )
    assert verdicts(shared, own, gaussian) == [
        "goes along with others",
        "makes clusters",
        "makes clusters",
        "goes along with others",
        "noise",
    ]
