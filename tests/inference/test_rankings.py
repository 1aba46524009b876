"""Rankings: what comes first, families that count once, and what most of them say."""

import numpy as np
import pytest

from xcompare.inference.rankings import Ranking, families, listed, majority, overall_ranks

VERB = ("matters most", "matter most")


def ranking(family, scores, error=0.0, title=""):
    return Ranking(title or family, family, np.array(scores, float), np.full(len(scores), error))


def test_first_is_all_that_equals_the_best_as_printed_or_but_for_chance():
    assert ranking("a", [1.0, 0.996, 0.5]).first == {0, 1}
    assert ranking("a", [1.0, 0.9, 0.5], error=0.05).first == {0, 1}
    assert ranking("a", [1.0, 0.9, 0.5, 0.1], error=0.05).is_decided
    assert not ranking("a", [1.0, 0.9, 0.8, 0.1], error=0.2).is_decided


def test_scores_that_are_equal_or_unknown_rank_nothing():
    assert not ranking("a", [0.5, 0.501]).ranks_features
    assert not ranking("a", [0.5, np.nan]).ranks_features


def test_a_family_is_the_mean_of_its_members_each_by_its_maximum():
    [one] = families([ranking("a", [2.0, 1.0]), ranking("a", [0.5, 1.0]), ranking("a", [1.0, 1.0])])
    np.testing.assert_allclose(one.scores, [0.75, 0.75])


def test_ranks_are_those_of_refined_where_it_ran_else_the_mean_of_the_families():
    others = [ranking("a", [1.0, 0.5, 0.0]), ranking("b", [0.0, 1.0, 0.5])]
    assert overall_ranks(others, list("xyz")).to_dict() == {"y": 1.5, "x": 2.0, "z": 2.5}
    led = overall_ranks([*others, ranking("refined", [0.0, 0.1, 1.0])], list("xyz"))
    assert led.to_dict() == {"z": 1.0, "y": 2.0, "x": 3.0}
    assert overall_ranks([], list("xy")).isna().all()


def test_names_in_a_sentence():
    assert [listed(list("abcdefg")[:n]) for n in (0, 1, 2, 5, 7)] == [
        "", "a", "a and b", "a, b, c, d and e", "a, b, c, d, e and 2 more",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([[1, 0, 0], [1, 0, 0], [1, 0.2, 0]], "x matters most: all 3 values agree."),
        ([[1, 0, 0], [1, 0, 0], [0, 1, 0]], "x matters most, for 2 of 3 values; c: y."),
        ([[1, 0, 0]], "x matters most, by a."),
        ([[1, 0, 0], [0.5, 0.5, 0.6]], "x matters most: both values agree."),
    ],
)
def test_what_most_say(scores, said):
    error = [0.0, 0.3] if len(scores) == 2 else [0.0] * 3
    some = [ranking(name, row, e) for name, row, e in zip("abc", scores, error, strict=False)]
    if len(scores) == 2:  # the second cannot decide: it has no say
        said = "x matters most, by a."
    assert majority(some, list("xyz"), "values", VERB) == said


def test_nobody_ranks():
    assert majority([], ["x"], "values", VERB) == "No answer: none of the methods could rank the features."
