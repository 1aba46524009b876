"""Replicas are drawn as the paper says: counts, the prior's share, and prior clusters of any shape."""

import numpy as np
import pytest

from xcompare.bagging.resampling import Prior, draw_replica


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    return rng.normal(size=(3, 400)) + 5 * rng.integers(2, size=400)


def draw(resampling, points, prior=None, seed=0):
    return draw_replica(resampling, points, np.arange(len(points)), prior, np.random.default_rng(seed))


def test_basic_is_the_data_itself(points):
    atoms, counts = draw("basic", points)
    assert atoms is points
    assert (counts == 1).all()


def test_efron_draws_rows_with_replacement(points):
    atoms, counts = draw("efron", points)
    assert atoms is points
    assert counts.sum() == 400
    assert np.mean(counts > 0) == pytest.approx(1 - np.exp(-1), abs=0.05)


def test_bbc_mixes_prior_and_data(points):
    prior = Prior.elicit(points, 2, 0.1, np.random.default_rng(1))
    shares, weights = [], []
    for seed in range(60):
        atoms, counts = draw("bbc", points, prior, seed)
        assert counts.sum() == 400
        known = {tuple(c) for c in points.T}
        shares.append(np.mean([tuple(c) not in known for c in atoms.T]))
        weights.append(counts.var())
    assert np.mean(shares) == pytest.approx(0.1, abs=0.01)
    # Multinomial counts (variance 1) with Dirichlet weights of parameter (n + k) / n = 1 / 0.9 (adds 0.9).
    assert np.mean(weights) == pytest.approx(1.9, abs=0.1)


def test_prior_is_the_mixture_of_the_data(points):
    prior = Prior.elicit(points, 2, 0.1, np.random.default_rng(1))
    drawn = prior.draw(40_000, np.random.default_rng(2))
    np.testing.assert_allclose(drawn.mean(axis=1), points.mean(axis=1), atol=0.1)
    np.testing.assert_allclose(np.cov(drawn), np.cov(points), atol=0.3)


def test_singleton_and_flat_clusters_can_be_drawn_from():
    flat = np.vstack([np.arange(50.0), np.zeros(50)])
    points = np.column_stack([flat, [1000.0, 1000.0]])
    prior = Prior.elicit(points, 2, 0.3, np.random.default_rng(0))
    drawn = prior.draw(500, np.random.default_rng(1))
    alone = drawn[0] > 500
    np.testing.assert_array_equal(drawn[:, alone], np.full((2, alone.sum()), 1000.0))
    np.testing.assert_allclose(drawn[1, ~alone], 0.0, atol=1e-9)


def test_draws_depend_on_the_seed_alone(points):
    prior = Prior.elicit(points, 2, 0.1, np.random.default_rng(1))
    for a, b in zip(draw("bbc", points, prior, 7), draw("bbc", points, prior, 7), strict=True):
        np.testing.assert_array_equal(a, b)
