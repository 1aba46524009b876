"""Replicas are drawn as the paper says: counts, the prior's share, and prior clusters of any shape."""

import numpy as np
import pytest

from xcompare.bagging.resampling import Prior, _axes, draw_replica


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


@pytest.mark.parametrize("resampling", ["efron", "bbc"])
def test_every_row_is_drawn_as_often(points, resampling):
    prior = Prior.elicit(points, 2, 0.0, np.random.default_rng(1))
    times = np.zeros(400)
    row = {tuple(point): i for i, point in enumerate(points.T)}
    for seed in range(100):
        atoms, counts = draw(resampling, points, prior, seed)
        np.add.at(times, [row[tuple(atom)] for atom in atoms.T], counts)
    assert times.sum() == 100 * 400
    # Near 100, with standard deviation 10 (efron) or 17 (bbc); the first and the last row are no exception.
    assert times.min() > 35
    assert times.max() < 190


@pytest.mark.parametrize("weight", [0.1, 0.75])
def test_bbc_mixes_prior_and_data(points, weight):
    prior = Prior.elicit(points, 2, weight, np.random.default_rng(1))
    known = {tuple(c) for c in points.T}
    shares, variances = [], []
    for seed in range(150):
        atoms, counts = draw("bbc", points, prior, seed)
        assert counts.sum() == 400
        shares.append(np.mean([tuple(c) not in known for c in atoms.T]))
        variances.append(counts.var())
    assert np.mean(shares) == pytest.approx(weight, abs=0.01)
    # Counts are multinomial with Dirichlet weights of parameter a = (n + k) / n = 1 / (1 - weight) each.
    total = 400 / (1 - weight)
    expected = (1 - 1 / 400) * (400 + total) / (1 + total)
    assert np.mean(variances) == pytest.approx(expected, abs=0.04)


def test_prior_draws_have_the_features_of_the_replica(points):
    features = np.array([2, 0])
    means = np.array([[10.0, 20.0, 30.0]])
    prior = Prior(0.5, np.array([1.0]), means, [(np.empty((3, 0)), np.empty(0))])
    atoms, _ = draw_replica("bbc", points[features], features, prior, np.random.default_rng(0))
    invented = (atoms == means.T[features]).all(axis=0)
    assert invented.mean() == pytest.approx(0.5, abs=0.1)
    known = {tuple(point) for point in points[features].T}
    assert all(tuple(atom) in known for atom in atoms[:, ~invented].T)


def test_prior_keeps_the_shares_of_the_clusters():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(2, 400)) + np.where(np.arange(400) < 100, 50.0, 0.0)
    prior = Prior.elicit(points, 2, 0.1, rng)
    np.testing.assert_allclose(sorted(prior.proportions), [0.25, 0.75])
    np.testing.assert_allclose(prior.means[prior.proportions.argmin()], 50.0, atol=0.5)
    drawn = prior.draw(40_000, rng)
    assert np.mean(drawn[0] > 25) == pytest.approx(0.25, abs=0.01)


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


@pytest.mark.parametrize("n_points", [1, 2, 5, 6, 7, 40])  # fewer than the 6 features, as many, more
def test_the_axes_of_a_prior_cluster_are_those_of_its_covariance(n_points):
    group = np.random.default_rng(n_points).normal(size=(6, n_points)) * np.arange(1, 7)[:, None]
    vectors, lengths = _axes(group)
    covariance = np.cov(group) if n_points > 1 else np.zeros((6, 6))
    np.testing.assert_allclose(vectors * lengths**2 @ vectors.T, covariance, atol=1e-12)
    assert vectors.shape[1] <= max(6, n_points)
