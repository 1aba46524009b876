"""The answer: outcomes, the features named, second opinions and the words."""

import numpy as np
import pytest

from xcompare.inference.answer import combined_feature_p_values, decide, make_answer, q_values
from xcompare.inference.existence import ClusterTests
from xcompare.inference.rankings import Ranking

NAMES = list("abcdefgh")


def ranking(family, scores, error=0.0):
    return Ranking(family.title(), family, np.array(scores, float), np.full(len(scores), error))


def results(p_clusters, different=(), n=8, autocorrelation=0.0, binary=False):
    p_values = np.where(np.isin(np.arange(n), different), 1e-6, 0.9)
    return ClusterTests(p_clusters, p_values, np.ones(n), autocorrelation, binary)


REFINED = ranking("refined", [1.0, 0.9, 0.6, 0.1, 0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("tests", "n", "outcome", "reason"),
    [
        (results(0.01), 100, "found", ""),
        (results(0.01), 30, "found", ""),
        (results(0.9), 100, "no evidence", ""),
        (results(0.05), 100, "found", ""),
        (results(0.06), 100, "cannot tell", "the evidence is weak (p = .06)"),
        (results(0.2), 100, "cannot tell", "the evidence is weak (p = .20)"),
        (results(0.9), 40, "cannot tell", "40 rows are too few for the test (p = .90)"),
        (
            results(0.9, binary=True), 100, "cannot tell",
            "the features that separate them are binary, and too few agree (p = .90)",
        ),
        (
            results(0.001, autocorrelation=0.8), 100, "cannot tell",
            "neighbouring rows are alike (autocorrelation 0.80), as in a time series, and the test needs"
            " independent rows",
        ),
    ],
)  # fmt: skip
def test_outcomes(tests, n, outcome, reason):
    assert decide(tests, n, 3) == (outcome, reason)


@pytest.mark.parametrize(("n_clusters", "fewest"), [(2, 60), (4, 60), (5, 75)])
def test_few_rows_are_fewer_than_60_or_15_per_cluster(n_clusters, fewest):
    assert decide(results(0.9), fewest, n_clusters) == ("no evidence", "")
    outcome, reason = decide(results(0.9), fewest - 1, n_clusters)
    assert (outcome, reason.split(" for ")[0]) == ("cannot tell", f"{fewest - 1} rows are too few")


def test_a_feature_has_two_tests_and_pays_for_both():
    tests = ClusterTests(0.01, np.array([0.01, 0.6, 0.9]), np.array([0.4, 0.02, 0.8]), 0.0, False)
    np.testing.assert_allclose(combined_feature_p_values(tests), [0.02, 0.04, 1.0])


def test_q_values_are_those_of_benjamini_and_hochberg():
    # 4 p / rank is .04, .06, .0413 and .9: no q-value is above that of a larger p-value.
    found = q_values(np.array([0.03, 0.01, 0.9, 0.031]))
    np.testing.assert_allclose(found, [0.124 / 3, 0.04, 0.9, 0.124 / 3])


def test_what_is_said_where_clusters_are_found():
    others = [ranking("forest", [0.9, 0.2, 0.1, 0, 0, 0, 0, 0]), ranking("tree", [0, 0, 0, 0, 1, 0, 0, 0])]
    found = make_answer([REFINED, *others], NAMES, 3, tests=results(0.0004, (0, 1, 3)), n_samples=200)
    assert found.named == ("a", "b")  # c leads, but does not differ
    assert found.leading == ("a", "b", "c")
    assert found.differing == ("a", "b", "d")
    assert (found.agreeing, found.n_opinions) == (1, 2)
    assert str(found) == (
        "Clusters found (p < .001). a and b matter most; 3 of 8 features differ between the clusters."
        " 1 of 2 other families of methods agrees; tree ranks e first."
    )


def test_features_are_named_where_there_is_no_evidence_too():
    none = make_answer([REFINED], NAMES, 3, tests=results(1.0), n_samples=200)
    assert str(none) == "No evidence of clusters (p = 1). If there are 3, a, b and c matter most."
    assert none.differing is None
    unsure = make_answer([REFINED], NAMES, 3, tests=results(1.0), n_samples=20)
    assert str(unsure) == (
        "Cannot tell whether there are clusters: 20 rows are too few for the test (p = 1). If there are 3,"
        " a, b and c matter most."
    )


def test_five_are_named_and_the_rest_counted():
    many = ranking("refined", [1.0, 0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.0])
    found = make_answer([many], NAMES, 2, tests=results(0.01, range(7)), n_samples=200)
    assert found.named == tuple("abcde")
    assert "a, b, c, d, e and 2 more matter most" in str(found)


def test_the_leading_feature_is_named_even_if_none_differs():
    found = make_answer([REFINED], NAMES, 2, tests=results(0.01), n_samples=200)
    assert found.named == ("a",)
    assert "a matters most; 0 of 8 features differ" in str(found)


def test_other_features_than_those_that_rank_first_are_no_clusters_found():
    found = make_answer([REFINED], NAMES, 3, tests=results(0.0004, (5, 6)), n_samples=200)
    assert (found.outcome, found.named, found.differing) == ("cannot tell", ("a", "b", "c"), None)
    assert str(found).startswith(
        "Cannot tell whether there are clusters: there is evidence of clusters, but in other"
    )


def test_features_that_matter_equally_all_lead():
    equal = ranking("refined", [1.0, 1.0])
    found = make_answer([equal], ["a", "b"], 2, tests=results(0.001, (0, 1), n=2), n_samples=200)
    assert str(found) == (
        "Clusters found (p = .001). a and b matter most; 2 of 2 features differ between the clusters."
    )


def test_clusters_are_found_where_nothing_ranks_the_features():
    nothing = ranking("refined", [0.0, 0.0])
    found = make_answer([nothing], ["a", "b"], 2, tests=results(0.01, (0, 1), n=2), n_samples=200)
    assert found.outcome == "found"


def test_families_that_cannot_decide_have_no_opinion():
    vague = ranking("weighted K-means", [0.5, 0.5, 0.5, 0.5, 0.5, 0.6, 0.4, 0.1], error=0.3)
    found = make_answer([REFINED, vague], NAMES, 2)
    assert found.n_opinions == 0
    assert str(found) == "a, b and c matter most."


def test_without_refined_the_families_together_lead():
    both = [ranking("forest", [1.0, 0.3, 0, 0, 0, 0, 0, 0]), ranking("tree", [0.9, 1.0, 0, 0, 0, 0, 0, 0])]
    found = make_answer(both, NAMES, 2)
    assert found.named == ("a",)
    assert str(found) == "a matters most. 1 of 2 families of methods agrees; tree ranks b first."
    alone = make_answer(both[:1], NAMES, 2)
    assert str(alone) == "a matters most."


def test_nothing_to_rank():
    assert str(make_answer([], NAMES, 2)) == "None of the methods could rank the features."
    level = ranking("forest", [0.5] * 8)
    assert make_answer([level], NAMES, 2).named == ()


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (lambda rng, X: rng.integers(2, size=200), "few distinct values"),
        (lambda rng, X: X[:, 5] + 0.3 * rng.normal(size=200), "part of a correlated block"),
        (lambda rng, X: rng.standard_t(1.5, size=200), "heavy tails"),
    ],
)
def test_the_likely_reason_for_another_opinion(column, reason):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    X[:, 6] = X[:, 5] + 0.3 * rng.normal(size=200)
    X[:, 4] = column(rng, X)
    other = ranking("tree", [0, 0, 0, 0, 1, 0, 0, 0])
    assert make_answer([REFINED, other], NAMES, 2, X=X).dissent == (f"tree ranks e first ({reason})",)


def test_a_redundant_feature_is_no_other_opinion():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    X[:, 4] = X[:, 0] + 0.1 * rng.normal(size=200)
    other = ranking("tree", [0, 0, 0, 0, 1, 0, 0, 0])
    assert make_answer([REFINED, other], NAMES, 2, X=X).agreeing == 1
