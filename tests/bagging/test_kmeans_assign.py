"""Nearest centres of many points: those of double precision, whatever single precision rounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcompare.bagging.kmeans.assign import BLOCK_POINTS, Points
from xcompare.bagging.kmeans.centers import EQUAL, first_smallest, label_type


def squares_of(points, centers):
    """Squared distances with digits to spare, points along rows."""
    differences = points.T[:, None].astype(np.longdouble) - centers.astype(np.longdouble)
    return (differences**2).sum(axis=2)


def check(points, centers, some=None):
    """Labels are the nearest centres, and gaps no larger than they are; gaps, and those that are exact."""
    found = Points.of(points)
    labels, gap = found.nearest(centers, some)
    squares = squares_of(points, centers)[slice(None) if some is None else some]
    # What is equal up to rounding is a tie: the label is one of the nearest as far as doubles can tell.
    chosen = np.take_along_axis(squares, labels[:, None].astype(int), axis=1)[:, 0]
    scale = squares.max(axis=1) + np.square(points).sum(axis=0)[slice(None) if some is None else some]
    assert (chosen <= squares.min(axis=1) * (1 + EQUAL) + 1e-14 * scale).all()
    assert (gap >= 0).all()
    distances = np.sqrt(np.sort(squares, axis=1)[:, :2]) * found.per_unit
    exact = (distances[:, 1] - distances[:, 0]).astype(float)
    assert (gap <= exact * (1 + 1e-6) + 1e-7 * distances[:, 1]).all()
    return gap, exact


@pytest.mark.parametrize("n", [1, 2, 511, BLOCK_POINTS - 1, BLOCK_POINTS, BLOCK_POINTS + 1])
@pytest.mark.parametrize(("n_features", "n_clusters"), [(1, 2), (3, 5), (20, 127), (20, 128)])
def test_labels_are_exact_and_gaps_nearly(n, n_features, n_clusters):
    rng = np.random.default_rng(n)
    points, centers = rng.normal(size=(n_features, n)), rng.normal(size=(n_clusters, n_features))
    gap, exact = check(points, centers)
    assert (gap >= exact - 0.01).all()  # else points would be looked at again for nothing
    some = np.flatnonzero(rng.random(n) < 0.3)
    check(points, centers, some)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 12),
    st.integers(2, 6),
    st.sampled_from([1e-140, 1e-20, 1.0, 1e20, 1e140]),
    st.sampled_from([0.0, 1.0, 1e3, 1e8]),
    st.sampled_from(["plain", "whole numbers", "an outlier", "far groups"]),
)
def test_labels_are_exact_on_any_scale(seed, n_features, n_clusters, scale, offset, kind):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_features, 90))
    if kind == "whole numbers":  # ties, and points that are alike
        points = rng.integers(-2, 3, size=(n_features, 90)).astype(float)
    if kind == "an outlier":
        points[:, 0] *= 1e9
    if kind == "far groups":
        points += 1e6 * rng.integers(2, size=90)
    points = (points + offset) * scale
    centers = points.T[rng.choice(90, n_clusters)]  # some twice
    check(points, centers)
    means = np.stack([points[:, rng.random(90) < 0.5].mean(axis=1) for _ in range(n_clusters)])
    check(points, means)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.sampled_from([1e-9, 1e-8, 1e-7, 1e-6, 1e-5]))
def test_points_between_two_centres_are_told_apart(seed, n_features, away):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(2, n_features)) + 3 * rng.normal(size=n_features)
    across = centers[1] - centers[0]
    along = rng.normal(size=(200, n_features))
    along -= np.outer(along @ across / (across @ across), across)
    side = rng.normal(size=200)
    points = centers.mean(axis=0) + along + np.outer(away * side, across)
    labels, _ = Points.of(points.T.copy()).nearest(centers)
    squares = squares_of(points.T, centers)
    clear = np.abs(squares[:, 1] - squares[:, 0]) > 10 * EQUAL * squares.min(axis=1)
    assert clear.mean() > 0.9 or away < 1e-8
    np.testing.assert_array_equal(labels[clear], (side > 0)[clear])


def test_equally_near_centres_give_the_first():
    points = np.array([[0.0, 0.0, 2.0], [1.0, -1.0, 0.0]])
    centers = np.array([[5.0, 5.0], [1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    labels, gap = Points.of(points).nearest(centers)
    np.testing.assert_array_equal(labels, [1, 1, 1])
    np.testing.assert_array_equal(gap, 0)


def test_one_centre_is_the_nearest_for_good():
    labels, gap = Points.of(np.ones((3, 4))).nearest(np.zeros((1, 3)))
    np.testing.assert_array_equal(labels, 0)
    np.testing.assert_array_equal(gap, np.inf)


def test_points_that_are_all_unclear_are_measured_in_double_precision():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(3, 500)) + 1e9  # beyond what single precision tells apart
    points[:, :250] -= 2e9
    check(points, points.T[[0, 1, 300, 301]])


@pytest.mark.parametrize("n_clusters", [1, 2, 127, 128, 300])
def test_of_equally_small_scores_the_first_is_found(n_clusters):
    scores = np.random.default_rng(0).integers(4, size=(2, n_clusters, 50)).astype(np.float32)
    labels, smallest = first_smallest(scores)
    np.testing.assert_array_equal(labels, scores.argmin(axis=1))
    np.testing.assert_array_equal(smallest, scores.min(axis=1))
    assert labels.dtype == label_type(n_clusters)
