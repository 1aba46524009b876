"""Rules: the words are what was counted, the shortest that will do, in the units of the data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from xcompare import load_dataset
from xcompare.core.features import Feature
from xcompare.results.rules import Condition, cluster_rules


def numeric(names):
    return [Feature(name) for name in names]


def counted(rule, X, names, inside):
    """Purity and coverage of the rule as it reads."""
    found = np.ones(len(X), dtype=bool)
    for condition in rule.conditions:
        x = X[:, names.index(condition.feature)]
        found &= (x > condition.low) & (x <= condition.high)
    return (found & inside).sum() / max(found.sum(), 1), (found & inside).sum() / inside.sum()


def test_wine_by_its_cultivars():
    wine = load_dataset("wine")
    names = list(wine.feature_names)
    rules = cluster_rules(wine.X, wine.labels, [1, 2, 3], numeric(names))
    for code, rule in enumerate(rules):
        assert len(rule.conditions) <= 3
        assert rule.purity >= 0.9
        assert rule.coverage >= 0.8
        assert (rule.purity, rule.coverage) == counted(rule, wine.X, names, wine.labels == code)
    assert "Proline" in rules[0].features


def test_one_condition_where_one_is_enough():
    X = np.column_stack([np.repeat([0.0, 5.0, 10.0], 20), np.tile(np.arange(20.0), 3)])
    low, middle, high = cluster_rules(X, np.repeat([0, 1, 2], 20), list("abc"), numeric("xy"))
    assert low.conditions == (Condition("x", high=2.5),)
    assert middle.conditions == (Condition("x", 2.5, 7.5),)
    assert str(high) == "x > 7.5: c, 100% pure, covers 100%"
    assert str(middle) == "2.5 < x <= 7.5: b, 100% pure, covers 100%"


def test_no_rule_where_nothing_tells_them_apart():
    [rule, _] = cluster_rules(np.zeros((6, 2)), np.array([0, 0, 0, 1, 1, 1]), ["a", "b"], numeric("xy"))
    assert rule.conditions == ()
    assert str(rule) == "no rule separates a from the rest"


@pytest.mark.slow
@given(
    hnp.arrays(float, (30, 3), elements=st.floats(-1e3, 1e3, width=32)),
    hnp.arrays(int, 30, elements=st.integers(0, 2)),
)
def test_shares_are_those_of_the_rule_as_it_reads(X, labels):
    distinct, codes = np.unique(labels, return_inverse=True)
    for code, rule in enumerate(cluster_rules(X, codes, list(distinct), numeric("abc"))):
        if rule.conditions:
            shares = counted(rule, X, ["a", "b", "c"], codes == code)
            assert (rule.purity, rule.coverage) == shares
            numbers = [float(word) for word in str(rule).split(":")[0].split() if word[-1].isdigit()]
            bounds = [end for one in rule.conditions for end in (one.low, one.high) if np.isfinite(end)]
            assert sorted(numbers) == sorted(bounds)


def test_levels_are_said_in_words_and_gaps_meet_no_condition():
    plan = Feature("plan", "nominal", ("basic", "plus", "pro"))
    features = plan, Feature("size", "ordinal", ("S", "M", "L"))
    X = np.array([[0, 0], [0, 1], [np.nan, 0], [1, 2], [2, 2], [1, 2]], dtype=float)
    codes = np.array([0, 0, 0, 1, 1, 1])
    rules = cluster_rules(X[:, 1:], codes, ["a", "b"], features[1:])
    assert str(rules[0]) == "size is S or M: a, 100% pure, covers 100%"
    assert str(rules[1]) == "size is L: b, 100% pure, covers 100%"
    rules = cluster_rules(X[:, :1], codes, ["a", "b"], features[:1])
    assert str(rules[0]) == "plan is basic: a, 100% pure, covers 67%"
    assert str(rules[1]) == "plan is not basic: b, 100% pure, covers 100%"
