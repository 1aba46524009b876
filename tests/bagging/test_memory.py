"""Peak memory, in multiples of the data where it grows with them."""

import tracemalloc

import numpy as np
import pytest

from xcompare.bagging.information.mutual import information_and_how
from xcompare.bagging.scaling import Scale
from xcompare.bagging.uncertainty import RESAMPLES, intervals


@pytest.fixture
def peak():
    """What a call takes at its largest, in bytes."""

    def of(function, *arguments, **options):
        tracemalloc.start()
        try:
            kept = function(*arguments, **options)  # until the peak is read
            return tracemalloc.get_traced_memory()[1], kept
        finally:
            tracemalloc.stop()

    return of


def test_intervals_do_not_hold_all_resamples(peak):
    rng = np.random.default_rng(0)
    shares = rng.random((5, 3000))
    taken, _ = peak(intervals, shares, np.ones(5), rng)
    assert taken < 8 * RESAMPLES * 3000  # one matrix of their means; there were four


def test_scaling_takes_little_beside_its_result(peak):
    X = np.random.default_rng(0).normal(size=(200_000, 10))
    taken, _ = peak(Scale.of, X, standardize="robust", information="auto")
    assert taken < 2 * X.nbytes


def test_single_precision_is_not_converted_as_a_whole(peak):
    X = np.random.default_rng(0).normal(size=(200_000, 10)).astype(np.float32)
    taken, (_, points) = peak(Scale.of, X, standardize="robust", information="auto")
    assert taken < 2 * points.nbytes
    np.testing.assert_array_equal(
        points, Scale.of(X.astype(float), standardize="robust", information="auto")[1]
    )


def test_information_is_measured_in_blocks_of_a_few_features(peak):
    X = np.random.default_rng(0).normal(size=(100_000, 10))
    taken, _ = peak(information_and_how, X, (X[:, 0] > 0).astype(np.intp), "auto")
    assert taken < 3 * X.nbytes  # all features at once: 9
