"""A round of refined clustering, part by part."""

import numpy as np
import pytest

from xcompare.refined.data import RefinedData, needs_company
from xcompare.refined.density_gap import density_gap
from xcompare.refined.rounds import (
    RoundReplicas,
    can_be_whitened,
    cut_loadings,
    draw_by_weight,
    drawing,
    make_round,
    round_importances,
    subspace_sizes,
    whitening,
)

NOBODY = np.zeros(3, dtype=bool)


@pytest.mark.parametrize(
    ("importances", "exponent", "weights", "m"),
    [
        ([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 2.0, [1, 1, 1, 1, 1, 1], 3),
        ([0.5, 0.25, 0.0], 2.0, [1, 0.25, 1e-12], 2),
        ([0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.0], 1.0, [1, 1, 1, 1, 1, 1, 1, 1e-12], 4),
        ([0.9, 0.3, 0.1], 0.0, [1, 1, 1], 2),
        ([0.0, 0.0, 0.0], 2.0, [1, 1, 1], 2),
    ],
    ids=["alike", "squares", "half of seven", "blind", "nothing known"],
)
def test_weights_and_numbers_drawn(importances, exponent, weights, m):
    found = drawing(np.array(importances), exponent)
    np.testing.assert_allclose(found[0], weights)
    assert found[1] == m


def test_the_first_drawn_is_drawn_in_proportion_to_its_weight():
    rng = np.random.default_rng(0)
    drawn = [draw_by_weight(np.array([1.0, 0.5, 0.5]), 1, NOBODY, rng)[0] for _ in range(4000)]
    np.testing.assert_allclose(np.bincount(drawn) / 4000, [0.5, 0.25, 0.25], atol=0.03)


def test_features_of_few_values_stand_aside_a_quarter_of_the_time():
    rng = np.random.default_rng(0)
    few = np.array([True, False, False])
    drawn = [draw_by_weight(np.ones(3), 3, few, rng) for _ in range(2000)]
    assert np.mean([0 in chosen for chosen in drawn]) == pytest.approx(0.75, abs=0.04)
    assert all({1, 2} <= set(chosen.tolist()) for chosen in drawn)


def test_somebody_is_drawn_even_if_all_stand_aside():
    rng = np.random.default_rng(0)
    assert all(draw_by_weight(np.ones(2), 2, np.ones(2, dtype=bool), rng).size for _ in range(50))


def replicas(features, weights, information):
    features = np.array(features, dtype=bool)
    nobody = np.zeros(len(features), dtype=bool)
    labels, removed = np.zeros((len(features), 2), int), np.zeros(len(features), int)
    information, loadings = np.array(information), np.zeros(features.shape)
    return RoundReplicas(labels, features, nobody, removed, nobody, np.array(weights), information, loadings)


def test_importance_is_the_weighted_mean_share_whether_drawn_or_not():
    made = replicas([[1, 1, 0], [0, 1, 1]], [3.0, 1.0], [[0.6, 0.3, 0.9], [0.2, 0.4, -0.2]])
    # Shares: 1, .5, 1 (capped) of .6, and .5, 1, -.5 of .4.
    expected = [(3 * 1 + 0.5) / 4, (3 * 0.5 + 1) / 4, (3 * 1 - 0.5) / 4]
    np.testing.assert_allclose(round_importances(made, NOBODY, np.zeros(3)), expected)


def test_a_feature_of_few_values_is_asked_only_about_partitions_it_had_no_part_in():
    made = replicas([[1, 1, 0], [0, 1, 1]], [3.0, 1.0], [[0.6, 0.3, 0.0], [0.2, 0.4, 0.1]])
    few = np.array([True, True, False])
    found = round_importances(made, few, np.array([0.7, 0.8, 0.9]))
    # The second was always drawn: as before. With two of three, the third keeps a third of its own.
    np.testing.assert_allclose(found, [0.5, 0.8, (1 / 3) * 0.25 / (3 + 1 / 3)])


def test_without_a_gap_own_partitions_count_less_the_more_features_have_few_values():
    made = replicas([[0, 1, 1], [1, 1, 0]], [1.0, 1.0], [[0.1, 0.4, 0.3], [0.4, 0.2, 0.1]])
    shares = np.array([0.25, 0.75, 0.25])  # of the first feature undrawn, and of the last drawn and undrawn
    found = round_importances(made, np.array([True, False, False]), np.zeros(3))
    assert found[0] == pytest.approx(shares[0])
    assert found[2] == pytest.approx((2 / 3 * shares[1] + shares[2]) / (2 / 3 + 1))


def test_chance_is_cut_after_averaging():
    made = replicas([[1, 0, 0], [1, 0, 0]], [1.0, 1.0], [[0.5, 0.05, -0.1], [0.5, -0.05, -0.1]])
    np.testing.assert_allclose(round_importances(made, NOBODY, np.zeros(3)), [1, 0, 0])


def test_a_partition_nobody_drawn_knows_of_tells_nothing():
    made = replicas([[1, 1, 0]], [1.0], [[0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(round_importances(made, NOBODY, np.ones(3)), [0, 0, 0])


def test_who_needs_company():
    rng = np.random.default_rng(0)
    columns = np.stack(
        [
            rng.normal(size=300),
            rng.integers(2, size=300),
            rng.integers(10, size=300),
            rng.integers(12, size=300),
            np.where(rng.random(300) < 0.8, 0.0, rng.exponential(size=300)),
        ]
    )
    np.testing.assert_array_equal(needs_company(columns, 3), [False, True, True, False, True])
    np.testing.assert_array_equal(needs_company(columns, 6), [False, True, True, True, True])


def test_whitened_points_have_unit_covariance():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(4, 4)) @ rng.normal(size=(4, 80))
    root = whitening(points, np.ones(4, dtype=bool))
    np.testing.assert_allclose(np.cov(root @ points), np.eye(4), atol=1e-9)
    np.testing.assert_allclose(root, root.T, atol=1e-9)


def test_a_feature_twice_is_one_direction():
    x = np.random.default_rng(0).normal(size=50)
    white = whitening(np.stack([x, x]), np.ones(2, dtype=bool))
    np.testing.assert_allclose(np.cov(white @ np.stack([x, x])), np.full((2, 2), 0.5), atol=1e-9)


def test_too_few_rows_are_not_whitened():
    assert not can_be_whitened(np.ones(4, dtype=bool), 39)
    assert can_be_whitened(np.ones(4, dtype=bool), 40)


def test_features_of_few_values_are_not_whitened():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(3, 3)) @ rng.normal(size=(3, 60))
    dense = np.array([True, False, True])
    seen = whitening(points, dense) @ points
    np.testing.assert_allclose(np.cov(seen[dense]), np.eye(2), atol=1e-9)
    np.testing.assert_array_equal(seen[1], points[1])
    assert not can_be_whitened(~dense, 60)


def test_loadings_show_features_that_separate_only_together():
    rng = np.random.default_rng(0)
    labels = np.arange(200) % 2
    along, across = 4 * rng.normal(size=200), 4 * (labels - 0.5) + 0.4 * rng.normal(size=200)
    points = np.stack([along + across, along - across, rng.normal(size=200)])
    root = whitening(points, np.ones(3, dtype=bool))
    found = cut_loadings(root @ points, labels, root)
    assert found.max() == 1
    assert found[:2].min() > 0.8
    assert found[2] < 0.1


@pytest.mark.parametrize("codes", [[0, 1, 2], [0, 2, 5]], ids=["all used", "some unused"])
def test_a_difference_counts_as_often_as_the_cluster_has_rows(codes):
    labels = np.array(codes)[[0, 0, 0, 1, 2]]
    points = np.array([[1.0, 1.0, 1.0, -1.0, 0.0], [0.0, 0.0, 0.0, -1.0, 1.0]])
    # Squares: 3 x 1 + 1 + 0 and 3 x 0 + 1 + 1.
    np.testing.assert_allclose(cut_loadings(points, labels, np.eye(2)), [1, 0.5])


def test_a_loading_counts_where_it_exceeds_the_information():
    made = replicas([[1, 1, 0]], [1.0], [[0.5, 0.1, 0.0]])._replace(loadings=np.array([[0.3, 1.0, 0.0]]))
    np.testing.assert_allclose(round_importances(made, NOBODY, np.zeros(3)), [1, 1, 0])


def test_subspace_sizes_never_exceed_the_features():
    np.testing.assert_array_equal(subspace_sizes(4, 2), [2, 2, 2, 2])
    np.testing.assert_array_equal(subspace_sizes(6, 40), [2, 3, 10, 20, 2, 3])


def test_a_replicate_clusters_the_rows_it_drew():
    """Without weight the farthest group is never drawn, so the centres separate the two others."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(2, 120))
    points[0, :40] += 200
    points[1, 80:] += 12
    weights = np.repeat([0.0, 1.0, 1.0], 40)
    data = RefinedData.of(points, None, n_clusters=2, n_init=3, tie_seed=(0,), row_weights=weights)
    made = make_round(data, np.ones(2), 2, range(10), [0] * 10)
    counted = made.labels[:, 40:]
    assert 0 < made.whitened.sum() < 10
    np.testing.assert_array_equal(counted[:, :40], np.repeat(counted[:, :1], 40, axis=1))
    np.testing.assert_array_equal(counted[:, 40:], 1 - counted[:, :40])


def test_a_replicate_is_weighted_by_the_gap_between_spread_ties():
    points = np.random.default_rng(0).integers(2, size=(4, 200)).astype(float)
    data = RefinedData.of(points, None, n_clusters=2, n_init=3, tie_seed=(0,))
    made = make_round(data, np.ones(4), 2, range(8), [0] * 8)
    untied = data.scales[0].untied
    gaps = [
        density_gap(untied[drawn], labels) for drawn, labels in zip(made.features, made.labels, strict=True)
    ]
    np.testing.assert_allclose(made.weights, (1 + np.square(gaps)) ** 2)
    assert made.weights.max() < 100  # for the levels as they are: above 1,000


@pytest.mark.parametrize(("n", "can_be"), [(20, True), (19, False)])
def test_replicates_with_ten_rows_per_drawn_feature_are_whitened(n, can_be):
    points = np.random.default_rng(0).normal(size=(4, n))
    data = RefinedData.of(points, None, n_clusters=2, n_init=1, tie_seed=(0,))
    made = make_round(data, np.ones(4), 2, range(12), [0] * 12)
    assert 0 < made.whitened.sum() < 12
    np.testing.assert_array_equal(made.loadings.max(axis=1), made.whitened & can_be)
