"""The R twin of refined clustering, given the same replicas and by its means."""

from pathlib import Path

import numpy as np
import pytest

from tests.samples import standardized
from xcompare import RefinedClustering, rbridge
from xcompare.core.ties import spread_features
from xcompare.io.datasets import load_dataset
from xcompare.refined.density_gap import density_gap
from xcompare.refined.rounds import drawing
from xcompare.refined.skewness import Symmetry

pytestmark = pytest.mark.r

VALUE = Path(__file__).parents[1] / "data" / "r" / "value.R"


def mixed():
    """Clusters, noise, and columns of few values."""
    rng = np.random.default_rng(0)
    labels = np.arange(150) % 3
    X = rng.normal(size=(150, 7))
    X[:, :2] += 3 * np.column_stack([labels, labels == 1])
    X[:, 4] = rng.integers(2, size=150)
    X[:, 5] = rng.integers(4, size=150) + labels
    X[:, 6] = np.where(rng.random(150) < 0.8, 0.0, rng.exponential(size=150))
    return X


def blocks():
    """Clusters in three features, beside two common factors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 15))
    X[:, :3] += 3 * (np.arange(120) % 3)[:, None]
    X[:, 3:9] += 2 * rng.normal(size=(120, 1))
    X[:, 9:] += 1.5 * rng.normal(size=(120, 1))
    return X


def skewed():
    """Lognormal clusters beside a lognormal factor, values below a limit missing."""
    return np.maximum(np.exp(blocks()), 0.5)


@pytest.mark.parametrize("name", ["wine", "breast", "illustrative", "mixed", "blocks", "skewed"])
def test_given_the_replicas_importances_and_weights_agree(name):
    made = {"mixed": mixed, "blocks": blocks, "skewed": skewed}
    X = standardized(made[name]() if name in made else name)
    n_clusters = 3 if name in made else load_dataset(name).n_clusters
    model = RefinedClustering(n_clusters, rounds=2, n_replicas=15, random_state=0).fit(X)
    points = model._scale.apply(X)
    untied = spread_features(points, model.needs_company_, np.random.default_rng(model._tie_seed))
    symmetry = Symmetry.of(points, np.ones(len(points), dtype=bool))
    assert (symmetry.transformer is not None) == (name in ("wine", "breast", "mixed", "skewed"))
    for number in (0, 1):
        found = rbridge.call(
            "xc_refined_round",
            {
                "x": points.T,
                "untied": untied.T,
                "symmetric": model.round_symmetric_[number],
                "x_symmetric": symmetry.apply(points).T,
                "untied_symmetric": symmetry.apply(untied).T,
                "labels": model.round_labels_[number],
                "features": model.round_features_[number],
                "whitened": model.round_whitened_[number],
                "removed": model.round_removed_[number],
                "few": model.needs_company_,
                "before": model.round_importances_[0] if number else np.ones(X.shape[1]),
            },
        ).values
        np.testing.assert_allclose(found["weights"], model.round_weights_[number], atol=1e-8)
        np.testing.assert_allclose(found["importance"], model.round_importances_[number], atol=1e-8)


def test_what_is_drawn_and_what_needs_company_agree():
    importance = np.array([0.9, 0.5, 0.1, 0.0, 0.02])
    found = rbridge.call("xc_refined_drawing", {"importance": importance, "exponent": 2.0}).values
    weights, m = drawing(importance, 2.0)
    np.testing.assert_allclose(found["weights"], weights, rtol=1e-12)
    assert found["m"][0] == m
    X = standardized(mixed())
    few = rbridge.call("value_of", {"name": "xc_needs_company", "x": X, "n_clusters": 3}, script=VALUE)
    model = RefinedClustering(3, rounds=1, n_replicas=1, random_state=0).fit(X)
    np.testing.assert_array_equal(few.values["value"] == 1, model.needs_company_)


def test_skewed_features_become_symmetric_in_the_same_way():
    X = standardized(skewed())
    found = rbridge.call("value_of", {"name": "xc_symmetric", "x": X}, script=VALUE).values["value"]
    symmetry = Symmetry.of(X.T, np.ones(X.shape[1], dtype=bool))
    assert symmetry.which.size > 5
    np.testing.assert_allclose(found, symmetry.apply(X.T).T, atol=1e-5)


def test_density_gaps_agree():
    X, labels = standardized("iris"), load_dataset("iris").labels
    found = rbridge.call("value_of", {"name": "xc_density_gap", "x": X, "labels": labels}, script=VALUE)
    assert found.values["value"][0] == pytest.approx(density_gap(X.T, labels), abs=1e-8)


@pytest.mark.slow
def test_mean_importances_agree():
    """Chance differs: means of ten runs, in standard errors of their difference."""
    X = standardized("illustrative")
    settings = {"rounds": 3, "n_replicas": 20}
    ours = [RefinedClustering(3, random_state=seed, **settings).fit(X) for seed in range(10)]
    theirs = [
        rbridge.call(
            "xc_refined", {"x": X, "n_clusters": 3, "algorithm": "Lloyd", **settings}, seed=seed
        ).values
        for seed in range(10)
    ]
    a = np.array([model.feature_importances_ for model in ours])
    b = np.array([values["importance"] for values in theirs])
    error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / 10)
    assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) <= 4 * error + 1e-12).all()
