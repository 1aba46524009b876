"""Tests of a single mode: their size on the least favourable data, and their power."""

import numpy as np
import pytest

from xcompare.inference.unimodality import Gap, combined_p_value, dip_p_value, dip_p_values

SHAPES = ["uniform", "normal", "exponential", "standard_cauchy"]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_gap_test_keeps_its_level_for_any_single_mode(shape):
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(400):
        chosen_on, tested_on = getattr(rng, shape)(size=(2, 60))
        p_values.append(Gap.of(chosen_on, 0.3 * chosen_on.std() * 60**-0.2).p_value(tested_on))
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05


def test_the_gap_test_sees_a_small_cluster_that_the_dip_does_not():
    rng = np.random.default_rng(1)
    gaps, dips = [], []
    for _ in range(20):
        halves = [np.r_[rng.normal(size=180), rng.normal(size=20) + 9] for _ in range(2)]
        gaps.append(Gap.of(halves[0], 0.4).p_value(halves[1]))
        dips.append(dip_p_value(halves[1]))
    assert np.mean(np.array(gaps) <= 0.05) >= 0.9
    assert np.mean(np.array(dips) <= 0.05) <= 0.1


def test_by_hand():
    gap = Gap(np.array([0.0, 1.0, 2.0, 3.0]), 1.0)
    x = np.r_[np.full(5, 0.5), np.full(1, 1.5), np.full(8, 2.5)]
    # 5 or more of 6 fall to the left: (6 + 1) / 64; 8 or more of 9 to the right: (9 + 1) / 512.
    assert gap.p_value(x) == pytest.approx(7 / 64)


def test_the_dip_keeps_its_level_on_uniform_data_and_finds_two_groups():
    rng = np.random.default_rng(2)
    assert np.mean([dip_p_value(rng.uniform(size=80)) <= 0.05 for _ in range(300)]) <= 0.08
    assert dip_p_value(rng.normal(size=80) + 5 * (np.arange(80) % 2)) < 0.01
    assert dip_p_value(np.arange(5.0)) == 1


def test_a_point_mass_is_no_second_mode():
    rng = np.random.default_rng(3)
    inflated = np.where(rng.random(300) < 0.4, 0.0, 5 + rng.normal(size=300))
    binary = rng.integers(2, size=300).astype(float)
    groups = rng.normal(size=300) + 6 * (np.arange(300) % 2)
    p_values = dip_p_values(np.column_stack([inflated, binary, groups]))
    assert p_values[0] > 0.5
    assert p_values[1] == 1
    assert p_values[2] < 0.001


def test_combined_p_values_are_uniform_where_they_are_independent():
    rng = np.random.default_rng(4)
    combined = np.array([combined_p_value(rng.random(32)) for _ in range(2000)])
    assert np.mean(combined <= 0.05) == pytest.approx(0.05, abs=0.015)
    same = rng.random(1000)
    assert np.mean([combined_p_value(np.full(32, p)) <= 0.05 for p in same]) <= 0.07
    assert combined_p_value(np.ones(8)) > 0.9
    assert 0 <= combined_p_value(np.zeros(8)) < 1e-10
