"""TWKM: against wskm's own outputs, against the R engine, and on awkward data."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.samples import standardized
from xcompare.io.datasets import load_dataset
from xcompare.methods.weighted_kmeans.twkm import TWKM, twkm

DATA = Path(__file__).parents[1] / "data"
GOLDEN = [
    (np.array(file["data"]), run)
    for file in (json.loads((DATA / name).read_text()) for name in ("wskm_iris.json", "wskm_two_blobs.json"))
    for run in file["runs"]
    if run["fun"] == "twkm"
]


@pytest.mark.parametrize(("X", "run"), GOLDEN)
def test_wskm_outputs(X, run):
    result = twkm(
        X,
        run["k"],
        groups=run["groups"],
        lam=run["lambda"],
        eta=run["eta"],
        init=run["centers_init"],
        random_state=run["seed"],
    )
    np.testing.assert_array_equal(result.labels + 1, run["cluster"])
    assert (result.details["n_iter"], result.details["n_restarts"]) == (run["iterations"], run["restarts"])
    np.testing.assert_allclose(result.details["feature_weights"], run["feature_weight"], rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        result.details["group_weights"], np.atleast_1d(run["group_weight"]), rtol=0, atol=1e-8
    )
    np.testing.assert_allclose(result.details["centers"], run["centers"], rtol=0, atol=1e-8)


def test_number_of_golden_runs():
    assert len(GOLDEN) == 35


@pytest.mark.r
@pytest.mark.parametrize("given_centers", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", ["iris", "wine", "breast"])
def test_engines_agree(name, seed, given_centers):
    X, n_clusters = standardized(name), load_dataset(name).n_clusters
    init = X[seed : seed + 20 * n_clusters : 20] if given_centers else None
    for options in ({}, {"groups": np.arange(X.shape[1]) % 3, "lam": 50, "eta": 80}):
        ours, theirs = (
            twkm(X, n_clusters, init=init, random_state=seed, engine=engine, **options)
            for engine in ("python", "r")
        )
        np.testing.assert_array_equal(ours.labels, theirs.labels)
        assert (ours.details["n_iter"], ours.details["n_restarts"]) == (
            theirs.details["n_iter"],
            theirs.details["n_restarts"],
        )
        np.testing.assert_allclose(ours.scores, theirs.scores, rtol=0, atol=1e-8)
        for field in ("feature_weights", "group_weights", "centers"):
            np.testing.assert_allclose(ours.details[field], theirs.details[field], rtol=0, atol=1e-8)
        assert ours.details["cost"] == pytest.approx(theirs.details["cost"], rel=1e-10)


@pytest.mark.slow
@given(st.data())
def test_what_always_holds(data):
    n_samples, n_features = data.draw(st.integers(1, 15)), data.draw(st.integers(1, 5))
    n_clusters = data.draw(st.integers(1, n_samples))
    numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))  # what varies by less than 1e-140 is refused
    elements = data.draw(st.sampled_from([st.integers(0, 1).map(float), numbers, st.just(3.5)]))
    X = data.draw(arrays(float, (n_samples, n_features), elements=elements))
    groups = data.draw(st.lists(st.integers(5, 7), min_size=n_features, max_size=n_features))
    result = twkm(X, n_clusters, groups=groups, random_state=data.draw(st.integers(0, 2**31 - 1)))
    n_groups = len(set(groups))
    assert result.labels.shape == (n_samples,)
    assert set(result.labels) <= set(range(n_clusters))
    assert result.details["centers"].shape == (n_clusters, n_features)
    assert result.details["feature_weights"].shape == result.scores.shape == (n_features,)
    assert result.details["group_weights"].shape == (n_groups,)
    assert result.scores.sum() == pytest.approx(1)
    for group in range(n_groups):
        assert result.details["feature_weights"][result.details["groups"] == group].sum() == pytest.approx(1)
    assert np.isfinite(result.details["cost"])


def test_one_feature_per_group_is_one_group_with_the_other_parameter():
    X = standardized("wine")
    features = twkm(X, 3, eta=100, random_state=3)
    groups = twkm(X, 3, groups=range(13), lam=100, random_state=3)
    np.testing.assert_array_equal(features.labels, groups.labels)
    np.testing.assert_allclose(features.scores, groups.scores, atol=1e-12)
    np.testing.assert_allclose(groups.details["feature_weights"], 1)


def test_row_of_the_registry():
    X = standardized("iris")
    scores = TWKM.run(X, 3, random_state=1, engine="python", lam=2, eta=20)
    np.testing.assert_array_equal(scores.scores, twkm(X, 3, random_state=1, lam=2, eta=20).scores)
    assert scores.labels.max() == 2


def test_arguments_that_cannot_be_used():
    with pytest.raises(ValueError, match="n_clusters must be a whole number from 1 to 150; got 151"):
        twkm(standardized("iris"), 151)
    with pytest.raises(ValueError, match="eta must be positive and finite; got 0"):
        twkm(standardized("iris"), 3, eta=0)
