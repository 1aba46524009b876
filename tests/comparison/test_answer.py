"""The answer in one line."""

import numpy as np
import pytest

import xcompare
from xcompare.comparison.answer import NOTHING, Voice, answer, families, listed, overall_ranks

NAMES = ("a", "b", "c")
A, B, C = np.array([1.0, 0.5, 0.0]), np.array([0.2, 1.0, 0.1]), np.array([0.1, 0.2, 0.9])
AB = np.array([0.999, 1.0, 0.0])  # equal at two decimals
FLAT, UNKNOWN = np.ones(3), np.full(3, np.nan)


def voice(scores, family, error=0.0, title=None):
    return Voice(title or f"the {family}", family, scores, np.full(len(scores), error))


def different(*scores):
    """Voices of as many families."""
    return [voice(s, f"family {n}") for n, s in enumerate(scores)]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([A, A, A], "a matters most: all 3 families of methods agree."),
        ([A, A, B], "a matters most; 2 of 3 families of methods agree."),
        ([A, B, C], "The families of methods disagree: a first in 1 of 3, b in 1."),
        ([A, A, B, B, C], "The families of methods disagree: a first in 2 of 5, b in 2."),
        ([A, FLAT, UNKNOWN], "a matters most, by family 0 alone."),
        ([FLAT, UNKNOWN], "No answer: none of the methods could rank the features."),
        ([], "No answer: none of the methods could rank the features."),
    ],
)
def test_sentences(scores, expected):
    assert answer(different(*scores), NAMES) == expected


def test_features_that_share_the_first_place_are_named_together():
    assert answer(different(AB, A, A), NAMES) == "a and b matter most: all 3 families of methods agree."
    assert answer(different(A, AB, A), NAMES) == "a matters most: all 3 families of methods agree."
    # The one who says c shares no feature with the others.
    assert answer(different(AB, A, C), NAMES).startswith(
        "a and b matter most; 2 of 3 families of methods agree."
    )


def test_a_difference_that_may_be_chance_is_a_tie():
    scores = np.array([0.90, 0.86, 0.1])
    assert voice(scores, "x", error=0.01).first == {0}
    assert voice(scores, "x", error=0.02).first == {0, 1}


def test_a_family_has_one_vote():
    many = [voice(A, "bagging") for _ in range(4)]
    others = [voice(B, "tree"), voice(B, "graph")]
    assert answer([*many, *others], NAMES) == "b matters most; 2 of 3 families of methods agree."


def test_a_family_says_the_mean_of_its_members_each_scaled_to_1():
    [one] = families([voice(A, "x", 0.3), voice(4 * B, "x", 0.4), voice(UNKNOWN, "x")])
    np.testing.assert_allclose(one.scores, (A + B) / 2)
    np.testing.assert_allclose(one.error, np.sqrt(0.3**2 + 0.1**2) / 2)


def test_who_ranks_the_features_the_other_way_round_is_named():
    said = [voice(A, "x"), voice(A, "y"), voice(-A, "z", title="TWKM"), voice(A, "z", title="FGKM")]
    assert "TWKM ranks the features the other way round (-1.00)." in answer(said, NAMES)
    assert "other way" not in answer(said[:2] + said[3:], NAMES)


def test_nothing_stands_out():
    assert answer(different(A, A), NAMES, standing_out=[]) == NOTHING
    assert answer(different(A, A), NAMES, verdicts=dict.fromkeys(NAMES, "noise")) == NOTHING
    assert NOTHING == "No feature stands out: the data may have no clusters."


def test_how_many_stand_out():
    said = different(A, A)
    assert answer(said, NAMES, standing_out=["a", "c"]).endswith("agree. 2 of 3 features stand out.")
    assert answer(said, NAMES, standing_out=["c"]).endswith("1 of 3 features stand out; a not among them.")
    verdicts = {"a": "makes clusters", "b": "goes along with others", "c": "noise"}
    assert answer(said, NAMES, verdicts=verdicts, standing_out=["b", "c"]).endswith(
        "1 of 3 features make clusters, 1 go along with others."
    )


def test_long_lists_are_counted():
    assert listed(["a"]) == "a"
    assert listed(list("abcdef")) == "a, b, c, d, e and f"
    assert listed(list("abcdefgh")) == "a, b, c, d, e and 3 more"


def test_overall_ranks_are_mean_places_over_the_families():
    ranks = overall_ranks([voice(A, "x"), voice(A, "x"), voice(B, "y"), voice(FLAT, "z")], NAMES)
    assert ranks.to_dict() == {"a": 1.5, "b": 1.5, "c": 3.0}
    assert list(ranks.index) == ["a", "b", "c"]
    assert overall_ranks([], NAMES).isna().all()


@pytest.mark.slow
def test_engines_count_once_and_variants_not_at_all():
    iris = xcompare.load_dataset("iris")
    options = {"n_replicas": 5}
    found = xcompare.compare(iris, methods="efron,ls", n_runs=1, n_jobs=1, options=options, progress=False)
    assert "efron_unweighted" in found.table.index
    assert list(found.voices) == ["efron", "ls"]
    assert [one.family for one in found.voices.values()] == ["bagging", "graph"]
    # The Laplacian score reads the other way: turned, so that larger means more important.
    np.testing.assert_allclose(found.voices["ls"].scores, 1 - found.table.loc["ls"])


def test_controls_have_no_voice():
    iris = xcompare.load_dataset("iris")
    found = xcompare.compare(iris, methods="random,ls", n_runs=1, n_jobs=1, progress=False)
    assert list(found.table.index) == ["random", "ls"]
    assert list(found.voices) == ["ls"]
    assert "by graph alone" in found.answer


@pytest.mark.slow
def test_iris_names_both_petals_and_who_contradicts():
    found = xcompare.compare(
        xcompare.load_dataset("iris"),
        methods="efron,cubt,ls,perm_kmeans",
        n_runs=20,
        n_jobs=1,
        progress=False,
    )
    assert found.answer.startswith("Petal length and Petal width matter most")
    assert "Permutation of K-means ranks the features the other way round" in found.answer
    assert found.answer.endswith("4 of 4 features stand out.")


@pytest.mark.slow
def test_overlap_names_the_features_that_tie():
    found = xcompare.compare(
        xcompare.load_dataset("overlap"), methods="efron,cubt,ls", n_runs=3, n_jobs=1, progress=False
    )
    named, _, rest = found.answer.partition(" and ")
    # X1 to X5 are exchangeable; at the cap of the information, X6 to X10 tie with them in bagging.
    assert sorted(named.split(", ")) == ["X1", "X2", "X3", "X4", "X5"]
    assert rest.startswith("5 more matter most")


@pytest.mark.slow
def test_noise_is_said_to_be_noise():
    """The chance that any feature stands out is 5%: of 8 draws at most 1 does in 94 of 100 cases."""
    said = []
    for seed in range(8):
        X = np.random.default_rng(seed).normal(size=(200, 6))
        options = {"n_replicas": 10}
        found = xcompare.compare(X, 3, methods="efron", n_runs=1, n_jobs=1, options=options, progress=False)
        said.append(found.answer)
    assert sum(one != NOTHING for one in said) <= 1
