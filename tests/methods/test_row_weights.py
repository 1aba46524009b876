"""Weights of rows: who takes them, and that they count as repeated rows do."""

from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

from xcompare.methods import MEASURES, METHODS
from xcompare.methods.clusterings import CLUSTERINGS
from xcompare.methods.number_of_clusters import HOW_MANY
from xcompare.methods.tables import run_on_table

EVERY = {**METHODS, **MEASURES, **CLUSTERINGS}
TAKING = [name for name in METHODS if METHODS[name].takes_weights]
QUICK = {"n_replicas": 20}


@pytest.fixture(scope="module")
def X():
    """Three groups of 40 rows: the first feature tells the first from the others, the second the last."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    X[:40, 0] += 12
    X[80:, 1] += 12
    return X


def run(method, X, target, **fields):
    options = {name: value for name, value in QUICK.items() if name in method.options}
    return run_on_table(
        method, X, target, (), random_state=0, engine="python", options=options, **fields
    )  # fmt: skip


@pytest.mark.parametrize("name", EVERY)
def test_a_method_takes_weights_or_says_that_it_does_not(name):
    method = EVERY[name]
    if name not in MEASURES:  # which share a function that hands the weights on
        assert method.takes_weights == ("sample_weight" in signature(method.run).parameters)
    for engine in method.engines:
        said = method.why_unavailable(engine, 100, weighted=True)
        takes = method.takes_weights and engine == "python"
        assert said is None if takes else said.startswith(f"{method.title} takes no row weights")


@pytest.mark.parametrize("name", [name for name in TAKING if METHODS[name].family != "control"])
def test_rows_of_no_weight_make_no_cluster(name, X):
    """Two clusters in the rows that count: the second feature tells them apart, the first says nothing."""
    weights = np.repeat([0.0, 1.0, 3.0], 40)
    found = run(METHODS[name], X, 2, weights=weights)
    assert found.labels is not None
    assert len(set(found.labels[40:80])) == len(set(found.labels[80:])) == 1
    assert found.labels[50] != found.labels[100]


@pytest.mark.parametrize("name", ["eta_squared", "kruskal", "tree_gini"])
@pytest.mark.parametrize("cluster", [None, 1])
def test_a_weight_of_two_is_a_row_that_occurs_twice(name, cluster, X):
    labels, times = np.repeat([0, 1, 2], 40), np.random.default_rng(1).integers(1, 4, size=120)
    method = MEASURES[name]
    given = {"cluster": cluster, "random_state": 0}
    weighted = method.run(X, labels, sample_weight=times.astype(float), **given).scores
    repeated = method.run(np.repeat(X, times, axis=0), np.repeat(labels, times), **given).scores
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9, atol=1e-12)


def test_a_weight_of_two_is_a_row_that_occurs_twice_in_a_variance(X):
    times = np.random.default_rng(1).integers(1, 4, size=120)
    weighted = METHODS["variance"].run(X, sample_weight=times).scores
    np.testing.assert_allclose(weighted, METHODS["variance"].run(np.repeat(X, times, axis=0)).scores)


@pytest.mark.parametrize("name", ["centroid_perm", "forest_perm", "forest_gini"])
def test_weights_decide_which_feature_tells_clusters_apart(name):
    """The first feature tells the clusters apart in the heavy rows, the second in the others."""
    rng = np.random.default_rng(2)
    labels, heavy = np.tile([0, 1], 100), np.arange(200) < 60
    X = rng.normal(size=(200, 3))
    X[heavy, 0] += 4 * labels[heavy]
    X[~heavy, 1] += 4 * labels[~heavy]
    weights = np.where(heavy, 20.0, 1.0)
    plain, weighted = (
        MEASURES[name].run(X, labels, random_state=0, **given).scores
        for given in ({}, {"sample_weight": weights})
    )
    assert (plain.argmax(), weighted.argmax()) == (1, 0)


def test_tests_get_rows_kept_in_proportion_to_their_weights():
    seen = []
    method = replace(HOW_MANY, run=lambda X, target, **_: seen.append(X))
    X, weights = np.arange(4000.0)[:, None], np.repeat([1.0, 4.0], 2000)
    run_on_table(method, X, 2, (), random_state=0, engine="python", options={}, weights=weights)
    kept = seen[0][:, 0] >= 2000
    assert kept.sum() == 2000
    assert abs((~kept).sum() - 500) < 80
