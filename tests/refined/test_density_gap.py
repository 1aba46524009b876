"""The density gap between clusters: known values, and what it is there to tell apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcompare.bagging.kmeans.centers import nearest_center
from xcompare.bagging.kmeans.lloyd import kmeans, random_initializations
from xcompare.refined.density_gap import density_gap


def test_counts_by_hand():
    # Centres at 0 and 12: windows of +-2 about 0, 6 and 12 hold 3, 1 and 4 values.
    values = np.array([-1.0, 0.0, 1.0, 5.0, -5.0, 11.0, 12.0, 13.0, 12.0])
    labels = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])
    assert density_gap(values[None], labels) == pytest.approx((3 - 1) / np.sqrt(3 + 1))


def test_members_of_the_other_cluster_count_around_a_centre_too():
    # Centres at 0 and 12: 0 +- 2 holds one of its own and two of the other, 12 +- 2 three, 6 +- 2 one.
    values = np.array([0.0, -5.0, 5.0, 0.0, 1.0, 11.0, 12.0, 13.0, 35.0])
    labels = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1])
    assert density_gap(values[None], labels) == pytest.approx((3 - 1) / np.sqrt(3 + 1))


def test_several_clusters_average_their_worst_neighbour():
    values = np.r_[np.linspace(-1, 1, 9), np.linspace(9, 11, 9), np.linspace(10.5, 12.5, 9)]
    labels = np.repeat([0, 1, 2], 9)
    between = [density_gap(values[None, labels != k], labels[labels != k]) for k in (0, 1, 2)]
    without_0, without_1, without_2 = between
    expected = np.mean([min(without_1, without_2), min(without_0, without_2), min(without_0, without_1)])
    assert density_gap(values[None], labels) == pytest.approx(expected)


@pytest.mark.parametrize("labels", [np.zeros(4, dtype=int), np.full(4, 2)], ids=["first", "third"])
def test_one_cluster_has_none(labels):
    assert density_gap(np.arange(4.0)[None], labels) == 0


def test_equal_points_in_two_clusters_have_none():
    assert density_gap(np.zeros((2, 6)), np.array([0, 0, 0, 1, 1, 1])) == 0


def cut(points, n_clusters, rng):
    once = np.ones(points.shape[1], dtype=int)
    centers = kmeans(
        points[None], once[None], random_initializations(points, once, n_clusters, 10, rng)[None]
    )
    return nearest_center(points, centers)[0][0]


@pytest.mark.parametrize("kind", ["normal", "uniform", "exponential"])
def test_a_cut_through_one_cloud_shows_less_than_a_standard_error(kind):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(50):
        points = getattr(rng, kind)(size=(3, 200))
        found.append(density_gap(points, cut(points, 2, rng)))
    assert np.mean(found) < 1
    assert np.quantile(found, 0.95) < 2


def test_clusters_four_deviations_apart_show_one_that_grows_with_the_rows():
    rng = np.random.default_rng(1)

    def depth(n):
        points = rng.normal(size=(3, n))
        points[0] += 4 * (np.arange(n) % 2)
        return density_gap(points, cut(points, 2, rng))

    few, many = (np.mean([depth(n) for _ in range(20)]) for n in (100, 400))
    assert few > 2
    assert many / few == pytest.approx(2, rel=0.25)


@given(seed=st.integers(0, 1000), scale=st.sampled_from([0.25, 8.0]))
def test_names_units_and_turns_do_not_matter(seed, scale):
    rng = np.random.default_rng(seed)
    points, labels = rng.normal(size=(3, 40)), rng.integers(3, size=40)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    expected = density_gap(points, labels)
    assert density_gap(scale * (turn @ points) + 2, 2 - labels) == pytest.approx(expected, abs=1e-12)
