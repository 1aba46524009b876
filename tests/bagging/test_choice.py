"""From criteria to a number: each criterion's rule, and what most of them choose."""

import numpy as np
import pytest

from xcompare.bagging.choice import choose, most_chosen

KS = [2, 3, 4]


def chosen(observed, gap=(0.0, 0.0, 0.0), n_draws=20):
    """Choices where all three criteria but the gap have these values, and draws scatter around 0."""
    rng = np.random.default_rng(0)
    values = np.array([observed] * 3 + [gap]).T
    return choose(KS, values, rng.normal(scale=0.1, size=(n_draws, 3, 4)))


def test_one_cluster_where_no_k_beats_the_draws():
    found = chosen([0.05, 0.0, -0.05])
    assert found.choices == (1, 1, 1, 1)
    assert found.best == 1
    assert (found.p_values > 0.05).all()


def test_the_k_that_beats_the_draws_by_most():
    found = chosen([1.0, 3.0, 2.0])
    assert found.choices[:3] == (3, 3, 3)
    assert found.best == 3
    assert found.p_values[0] == 1 / 21


def test_the_gap_stops_at_the_first_k_the_next_does_not_better():
    assert chosen([0.0] * 3, gap=[1.0, 3.0, 3.0]).choices[3] == 3
    assert chosen([0.0] * 3, gap=[1.0, 0.5, 9.0]).choices[3] == 2  # what comes later plays no part
    assert chosen([0.0] * 3, gap=[1.0, 2.0, 3.0]).choices[3] == 4  # none: the largest
    assert chosen([0.0] * 3, gap=[0.0, 0.0, 9.0]).choices[3] == 1


@pytest.mark.slow
def test_a_test_over_all_k_rejects_as_often_as_its_level():
    rng = np.random.default_rng(1)
    found = [choose(KS, sample[0], sample[1:]) for sample in rng.normal(size=(2000, 21, 3, 4))]
    more = np.array([one.choices for one in found]) > 1
    assert (np.abs(more[:, :3].mean(axis=0) - 1 / 21) < 0.015).all()
    # The gap has no test: one standard error is passed in about one of six.
    assert 0.1 < more[:, 3].mean() < 0.2
    assert np.mean([one.best > 1 for one in found]) < 0.01  # here the criteria are independent


@pytest.mark.parametrize(
    ("choices", "best"),
    [([1, 1, 1, 4], 1), ([1, 1, 3, 3], 1), ([1, 3, 3, 2], 3), ([1, 4, 3, 2], 2), ([2, 2, 3, 3], 2)],
)
def test_most(choices, best):
    assert most_chosen(choices) == best
