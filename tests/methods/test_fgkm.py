"""FGKM: against wskm's own outputs, against the R engine, against the paper, and on awkward data."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.samples import standardized
from xcompare.io.datasets import load_dataset, paper_tables
from xcompare.methods.weighted_kmeans.fgkm import FGKM, fgkm
from xcompare.methods.weighted_kmeans.twkm import twkm

DATA = Path(__file__).parents[1] / "data"
GOLDEN = [
    (np.array(file["data"]), run)
    for file in (json.loads((DATA / name).read_text()) for name in ("wskm_iris.json", "wskm_two_blobs.json"))
    for run in file["runs"]
    if run["fun"] == "fgkm"
]


def assert_same(result, expected, tolerance=1e-8):
    np.testing.assert_array_equal(result.labels, expected.labels)
    assert (result.details["n_iter"], result.details["n_restarts"]) == (
        expected.details["n_iter"],
        expected.details["n_restarts"],
    )
    np.testing.assert_allclose(result.scores, expected.scores, rtol=0, atol=tolerance)
    for name in ("feature_weights", "group_weights", "centers"):
        np.testing.assert_allclose(
            result.details[name], expected.details[name], rtol=0, atol=tolerance, err_msg=name
        )
    assert result.details["cost"] == pytest.approx(expected.details["cost"], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("running_max", [False, True])
@pytest.mark.parametrize(("X", "run"), GOLDEN)
def test_wskm_outputs(X, run, running_max):
    result = fgkm(
        X,
        run["k"],
        groups=run["groups"],
        lam=run["lambda"],
        eta=run["eta"],
        init=run["centers_init"],
        random_state=run["seed"],
        running_max=running_max,
    )
    np.testing.assert_array_equal(result.labels + 1, run["cluster"])
    assert (result.details["n_iter"], result.details["n_restarts"]) == (run["iterations"], run["restarts"])
    np.testing.assert_allclose(result.details["feature_weights"], run["feature_weight"], rtol=0, atol=1e-8)
    np.testing.assert_allclose(result.details["group_weights"], run["group_weight"], rtol=0, atol=1e-8)
    np.testing.assert_allclose(result.details["centers"], run["centers"], rtol=0, atol=1e-8)
    group = np.unique(run["groups"], return_inverse=True)[1]
    products = np.array(run["feature_weight"]) * np.array(run["group_weight"])[:, group]
    np.testing.assert_allclose(result.scores, products.max(axis=0), rtol=0, atol=1e-8)


def test_number_of_golden_runs():
    assert len(GOLDEN) == 35


@pytest.mark.r
@pytest.mark.parametrize("given_centers", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("name", ["iris", "wine", "breast"])
def test_engines_agree(name, seed, given_centers):
    X, n_clusters = standardized(name), load_dataset(name).n_clusters
    groups = np.arange(X.shape[1]) % 3
    init = X[seed : seed + 20 * n_clusters : 20] if given_centers else None
    options = {"groups": groups, "lam": 5, "eta": 20, "init": init, "random_state": seed}
    assert_same(fgkm(X, n_clusters, engine="r", **options), fgkm(X, n_clusters, **options))
    assert_same(fgkm(X, n_clusters, random_state=seed, engine="r"), fgkm(X, n_clusters, random_state=seed))


@pytest.mark.r
def test_engines_agree_where_ties_and_empty_clusters_abound():
    random = np.random.default_rng(5)
    n_restarts = 0
    for seed in range(40):
        X = random.integers(0, 3, size=(int(random.integers(6, 30)), int(random.integers(1, 5)))).astype(
            float
        )
        ours, theirs = (fgkm(X, 3, random_state=seed, engine=engine) for engine in ("python", "r"))
        assert_same(ours, theirs)
        assert ours.warnings == theirs.warnings
        n_restarts += ours.details["n_restarts"]
    assert n_restarts > 0


@pytest.mark.r
def test_r_says_what_computed_it_and_repeats_without_seed_differ():
    X = standardized("wine")
    assert fgkm(X, 3, random_state=1, engine="r").software.startswith(("wskm ", "reference implementation"))
    assert len({fgkm(X, 3, engine="r").details["cost"] for _ in range(8)}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wine", "breast"])
def test_published_row(name):
    """The published means are sample means: ours, over 1,000 seeds, must lie within 3 standard errors.

    Every breast cell is a multiple of 1/20, sds included, as means over 20 runs of scores that are
    nearly 0 or 1 would be; so 20 runs is what the standard error is taken for.
    """
    X, n_clusters = standardized(name), load_dataset(name).n_clusters
    scores = np.array([FGKM.run(X, n_clusters, random_state=s, engine="python").scores for s in range(1000)])
    scores /= scores.max(axis=1, keepdims=True)
    cells = paper_tables().query(f"dataset == '{name}' and table == 'importance' and method == 'TWKM'")
    published = cells["mean"].to_numpy()
    error = scores.std(axis=0) / np.sqrt(20)
    assert np.all(np.abs(scores.mean(axis=0) - published) <= 3 * error + 0.005)


def test_a_tie_goes_to_the_last_cluster():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    result = fgkm(X, 2, init=[[0.0], [2.0]], max_iter=1)
    np.testing.assert_array_equal(result.labels, [0, 1, 1, 1, 1])
    assert result.warnings == ("the cost did not converge to tol=1e-06 in 1 iterations",)


@pytest.mark.slow
@given(st.data())
def test_what_always_holds(data):
    n_samples, n_features = data.draw(st.integers(1, 15)), data.draw(st.integers(1, 5))
    n_clusters = data.draw(st.integers(1, n_samples))
    numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))  # what varies by less than 1e-140 is refused
    elements = data.draw(st.sampled_from([st.integers(0, 1).map(float), numbers, st.just(3.5)]))
    X = data.draw(arrays(float, (n_samples, n_features), elements=elements))
    groups = data.draw(st.lists(st.sampled_from("abc"), min_size=n_features, max_size=n_features))
    before = X.copy()
    result = fgkm(X, n_clusters, groups=groups, random_state=data.draw(st.integers(0, 2**31 - 1)))
    n_groups = len(set(groups))
    np.testing.assert_array_equal(X, before)
    assert result.labels.shape == (n_samples,)
    assert set(result.labels) <= set(range(n_clusters))
    assert (
        result.details["centers"].shape == result.details["feature_weights"].shape == (n_clusters, n_features)
    )
    assert result.details["group_weights"].shape == (n_clusters, n_groups)
    assert result.scores.shape == (n_features,)
    np.testing.assert_allclose(result.details["group_weights"].sum(axis=1), 1)
    for group in range(n_groups):
        np.testing.assert_allclose(
            result.details["feature_weights"][:, result.details["groups"] == group].sum(axis=1), 1
        )
    assert np.all(result.details["feature_weights"] > 0)
    assert np.all(result.details["group_weights"] > 0)
    assert np.isfinite(result.details["cost"])


def test_a_feature_counts_by_the_cluster_in_which_it_weighs_most():
    result = fgkm(standardized("wine"), 3, groups=np.arange(13) % 2, lam=10, eta=30, random_state=2)
    weights = result.details["feature_weights"] * result.details["group_weights"][:, np.arange(13) % 2]
    assert np.ptp(weights, axis=0).max() > 0.1  # the clusters differ
    np.testing.assert_array_equal(result.scores, weights.max(axis=0))


@pytest.mark.parametrize("engine", ["python", pytest.param("r", marks=pytest.mark.r)])
def test_seed_0_is_a_seed(engine):
    X = standardized("wine")
    first, again, largest = (fgkm(X, 3, random_state=s, engine=engine) for s in (0, 0, 2**31 - 1))
    assert_same(first, again, tolerance=0)
    assert_same(first, largest, tolerance=0)  # wskm takes 0 for no seed, so 0 stands for this one


@pytest.mark.r
@pytest.mark.parametrize("method", [fgkm, twkm])
def test_no_warning_is_lost_in_r(method):
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 5, axis=0)
    ours, theirs = (method(X, 3, random_state=1, engine=engine) for engine in ("python", "r"))
    assert ours.warnings == theirs.warnings
    assert "1 of 3 clusters stayed empty after 10 restarts" in theirs.warnings[0]
    assert_same(ours, theirs)
    X = standardized("wine")
    for max_iter in (1, 2, 5, 100):
        found = [
            method(X, 3, lam=10, eta=50, max_iter=max_iter, random_state=1, engine=engine).warnings
            for engine in ("python", "r")
        ]
        assert found[0] == found[1]


def test_one_cluster_and_as_many_clusters_as_rows():
    X = standardized("iris")[::10]
    one = fgkm(X, 1, random_state=0)
    assert np.all(one.labels == 0)
    np.testing.assert_allclose(one.details["centers"][0], X.mean(axis=0), atol=1e-12)
    every = fgkm(X, len(X), random_state=0)
    np.testing.assert_array_equal(every.labels, np.arange(len(X)))
    np.testing.assert_allclose(every.details["feature_weights"], 1 / 4)


def test_empty_cluster_restarts_from_the_seed():
    X = standardized("wine")
    restarted = fgkm(X, 3, init=np.zeros((3, 13)), random_state=4)
    direct = fgkm(X, 3, random_state=4)
    assert restarted.details["n_restarts"] == direct.details["n_restarts"] + 1
    np.testing.assert_array_equal(restarted.labels, direct.labels)


def test_more_clusters_than_distinct_rows():
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 5, axis=0)
    result = fgkm(X, 3, random_state=1)
    assert result.details["n_restarts"] == 10
    assert "1 of 3 clusters stayed empty after 10 restarts" in result.warnings[0]
    assert np.isfinite(result.details["feature_weights"]).all()


def test_constant_feature_takes_the_weight_unless_grouped_apart():
    X = standardized("iris").copy()
    X[:, 0] = 0.0
    assert fgkm(X, 3, random_state=1).scores.argmax() == 0
    apart = fgkm(X, 3, random_state=1, groups=["flat", "rest", "rest", "rest"], lam=1e6)
    np.testing.assert_allclose(apart.details["group_weights"], 0.5, atol=1e-3)


def test_running_max_underflows_to_equal_weights():
    random = np.random.default_rng(0)
    tight = random.normal(0, 0.01, size=(4000, 2))
    broad = random.normal(9, [1.0, 2.0], size=(4000, 2))
    X, init = np.vstack([tight, broad]), [[0.0, 0.0], [9.0, 9.0]]
    np.testing.assert_allclose(fgkm(X, 2, init=init, running_max=True).details["feature_weights"][1], 0.5)
    assert fgkm(X, 2, init=init).details["feature_weights"][1, 0] > 0.99


def test_seed_fixes_the_result_and_no_seed_does_not():
    X = standardized("wine")
    assert_same(fgkm(X, 3, random_state=7), fgkm(X, 3, random_state=7), tolerance=0)
    assert len({fgkm(X, 3).details["cost"] for _ in range(8)}) > 1


def test_row_of_the_registry():
    X = standardized("iris")
    scores = FGKM.run(X, 3, random_state=1, engine="python", eta=20, groups=[0, 0, 1, 1])
    np.testing.assert_array_equal(
        scores.scores, fgkm(X, 3, random_state=1, eta=20, groups=[0, 0, 1, 1]).scores
    )
    assert scores.labels.max() == 2
    assert scores.software.startswith("xcompare ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_clusters": 151}, "n_clusters must be a whole number from 1 to 150; got 151"),
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1 to 150; got 0"),
        ({"n_clusters": 2.5}, "n_clusters must be a whole number from 1 to 150; got 2.5"),
        ({"groups": [0, 1, 1]}, r"4 features; got shape \(3,\)"),
        ({"init": np.zeros((2, 4))}, r"shape \(3, 4\); got \(2, 4\)"),
        ({"init": np.full((3, 4), np.nan)}, "init must be finite"),
        ({"X": np.full((9, 2), np.nan)}, "the data must be finite"),
        ({"X": np.full((9, 2), 1e200)}, r"the data must stay within ±1e\+140 .*; got values up to 1e\+200"),
        ({"X": np.zeros(9)}, "must be a non-empty matrix, rows by features"),
        ({"lam": 0}, "lam must be positive and finite; got 0"),
        ({"eta": -1.0}, "eta must be positive and finite; got -1.0"),
        ({"tol": -1.0}, "tol must be at least 0 and finite; got -1.0"),
        ({"max_iter": 0}, "max_iter must be a whole number from 1 to 2147483647; got 0"),
        ({"max_restarts": -1}, "max_restarts must be a whole number from 0 to 2147483647; got -1"),
        ({"random_state": -1}, "random_state must be a whole number from 0 to 2147483647, .*; got -1"),
        ({"engine": "julia"}, "engine must be one of python, r; got 'julia'"),
    ],
)
def test_arguments_that_cannot_be_used(arguments, message):
    arguments = {"X": standardized("iris"), "n_clusters": 3} | arguments
    with pytest.raises(ValueError, match=message):
        fgkm(arguments.pop("X"), arguments.pop("n_clusters"), **arguments)
