"""Sparse K-means: against sparcl's outputs, the weights' definition, planted features, and awkward data."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import adjusted_rand_score

from tests.samples import standardized
from xcompare.methods import sparse_kmeans
from xcompare.methods.measures import eta_squared
from xcompare.methods.weighted_kmeans.sparse_kmeans import _gaps, sparse_weights

SETS = json.loads((Path(__file__).parents[1] / "data" / "sparcl.json").read_text())["sets"]
CASES = [
    pytest.param(one, case, id=f"{one['name']}-{case['bound']}") for one in SETS for case in one["cases"]
]
every_set = pytest.mark.parametrize("one", SETS, ids=[one["name"] for one in SETS])


def data_of(one):
    return np.array(one["data"]) if "data" in one else standardized(one["name"])


def between(X, labels):
    return eta_squared(X, labels, None, None) * np.square(X - X.mean(axis=0)).sum(axis=0)


@pytest.mark.parametrize(("one", "case"), CASES)
def test_weights_are_those_of_sparcl_for_its_clusters(one, case):
    # sparcl looks for the threshold to about four digits, and stops when its weights move by as little.
    X = data_of(one)
    weights = sparse_weights(between(X, np.array(case["labels"]) - 1), case["bound"])
    np.testing.assert_allclose(weights, case["weights"], rtol=0, atol=2e-4)


@pytest.mark.parametrize(("one", "case"), CASES)
def test_the_objective_is_no_smaller_than_that_of_sparcl(one, case):
    X = data_of(one)
    found = sparse_kmeans(X, one["n_clusters"], l1_bound=case["bound"], n_init=50, random_state=0)
    objective = found.scores @ between(X, found.labels)
    assert objective > case["objective"] * (1 - 1e-4)
    if objective < case["objective"] * (1 + 1e-4):  # one and the same, not a better one
        np.testing.assert_allclose(found.scores, case["weights"], rtol=0, atol=2e-4)
        assert adjusted_rand_score(found.labels, case["labels"]) > 0.9


@pytest.mark.slow
@every_set
def test_gaps_are_those_of_sparcl_but_for_the_permutations(one):
    bounds = np.array([case["bound"] for case in one["cases"]])
    ours = _gaps(data_of(one), one["n_clusters"], bounds, 40, 10, np.random.default_rng(0))
    error = np.array(one["sd_gaps"]) * np.sqrt(1 / 40 + 1 / 100)
    assert (np.abs(ours - one["gaps"]) < 4 * error).all()


lengths = arrays(float, st.integers(1, 8), elements=st.floats(0, 100).map(lambda x: round(x, 3)))


@given(lengths, st.floats(1, 3))
def test_weights_have_length_1_and_respect_the_bound(between, bound):
    weights = sparse_weights(between, bound)
    n_largest = np.count_nonzero(between == between.max())
    assert np.square(weights).sum() == pytest.approx(1)
    assert weights.sum() <= max(bound, np.sqrt(n_largest)) + 1e-6
    assert (weights >= 0).all()
    order = np.argsort(between, kind="stable")
    assert (np.diff(weights[order]) >= -1e-12).all()


def test_no_weights_within_the_bound_are_better():
    rng = np.random.default_rng(0)
    between = rng.exponential(size=5)
    best = sparse_weights(between, 1.6) @ between
    others = np.abs(rng.normal(size=(20_000, 5))) * rng.integers(2, size=(20_000, 5))
    others = others[others.any(axis=1)]
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    allowed = others[others.sum(axis=1) <= 1.6]
    assert len(allowed) > 1000
    assert (allowed @ between).max() <= best


@pytest.mark.slow
def test_four_features_among_sixty():
    rng = np.random.default_rng(1)
    groups = np.arange(150) % 3
    X = rng.normal(size=(150, 60))
    X[:, :4] += 4 * rng.normal(size=(3, 4))[groups]
    found = sparse_kmeans(standardized(X), 3, random_state=0)
    assert set(np.argsort(found.scores)[-4:]) == {0, 1, 2, 3}
    assert adjusted_rand_score(found.labels, groups) > 0.9
    assert found.details["l1_bound"] == found.details["l1_bounds"][found.details["gaps"].argmax()]


def test_one_feature_has_all_the_weight():
    assert sparse_kmeans(np.arange(6.0)[:, None], 2, random_state=0).scores == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"l1_bound": 0.9}, "l1_bound must be a number from 1 to 2; got 0.9"),
        ({"l1_bound": "auto"}, "l1_bound must be a number from 1 to 2; got 'auto'"),
        ({"n_permutations": 0}, "n_permutations must be a whole number of at least 1; got 0"),
        ({"n_clusters": 1}, "n_clusters must be a whole number from 2 to 150; got 1"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        sparse_kmeans(standardized("iris"), **{"n_clusters": 3, **arguments})
