"""How orders of features are judged, and what counts as a claim."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcompare.inference.answer import Answer
from xcompare.studies.benchmark import judging


@st.composite
def orders(draw):
    n = draw(st.integers(2, 12))
    scores = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), dtype=float)
    k = draw(st.integers(1, n - 1))
    return scores, np.arange(n) < k


@pytest.mark.slow
@given(orders())
def test_precision_is_what_to_expect_of_ties_broken_at_random(order):
    scores, relevant = order
    k, rng = relevant.sum(), np.random.default_rng(0)
    broken = [relevant[np.lexsort([rng.random(len(scores)), -scores])[:k]].mean() for _ in range(400)]
    assert judging.precision_at_k(scores, relevant) == pytest.approx(np.mean(broken), abs=0.12)


@given(orders())
def test_the_truth_is_perfect(order):
    truth = order[1].astype(float)
    assert judging.precision_at_k(truth, order[1]) == 1
    assert judging.false_positive_rate(truth, order[1]) == 0
    assert judging.worst_rank(np.where(order[1], np.arange(len(truth)) + 100, 0), order[1]) == order[1].sum()


def test_the_worst_rank_is_of_the_last_relevant_feature():
    scores, relevant = np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([True, False, False, True, False])
    assert judging.worst_rank(scores, relevant) == 4
    assert judging.false_positive_rate(scores, relevant) == pytest.approx(2 / 3)


def test_stability_is_nogueiras():
    same = np.array([[1, 1, 0, 0, 0]] * 3, dtype=bool)
    assert judging.stability(same) == 1
    apart = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool)
    assert judging.stability(apart) == pytest.approx(-1)
    rng = np.random.default_rng(0)
    drawn = np.array([rng.permutation(np.arange(50) < 10) for _ in range(200)])
    assert judging.stability(drawn) == pytest.approx(0, abs=0.01)
    assert np.isnan(judging.stability(same[:1]))


def test_kmeans_on_the_right_features_finds_the_clusters(X):
    labels = np.arange(60) < 30
    assert judging.ari_on(X[:, :2], labels, 2, seed=0) == 1
    assert judging.ari_on(X[:, 2:4], labels, 2, seed=0) < 0.2
    assert judging.top(np.array([1.0, 3.0, 2.0]), 2) == (1, 2)


def answer(named, differing):
    return Answer("found", "", 0.01, named, named, differing, 4, 2, 0, 0)


def test_an_answer_is_judged_by_what_it_names_and_says_to_differ():
    relevant, noise = frozenset("ab"), frozenset("cd")
    right = judging.judge_answer(answer(("a", "b"), ("a", "b")), relevant, noise)
    assert right == {"first_named": 1, "all_named": 1, "recall": 1, "precision": 1}
    mixed = judging.judge_answer(answer(("a", "c"), ("a", "c", "unclear")), relevant, noise)
    assert mixed == {"first_named": 1, "all_named": 0, "recall": 0.5, "precision": 0.5}
    none = judging.judge_answer(answer(("c",), ()), relevant, noise)
    assert (none["first_named"], none["recall"]) == (0, 0)
    assert np.isnan(none["precision"])
