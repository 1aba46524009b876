"""Counting: codes of values, and information corrected for chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from sklearn.metrics import adjusted_mutual_info_score, mutual_info_score

from xcompare.bagging.information.discrete import discrete_information, few_values, value_codes


def counted_information(codes, labels):
    """Of one feature with one partition."""
    return discrete_information([codes], labels[None], int(labels.max()) + 1)[0, 0]


LABELS = npst.arrays(np.int64, 60, elements=st.integers(0, 3))


def test_information_is_the_plain_estimate_less_what_chance_gives():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=200)
    codes = np.where(rng.random(200) < 0.5, labels, rng.integers(4, size=200))
    plain, most = mutual_info_score(codes, labels), mutual_info_score(labels, labels)
    chance = 3 * 2 / 400
    assert counted_information(codes, labels) == pytest.approx(most * (plain - chance) / (most - chance))


@pytest.mark.parametrize("n", [300, 3000])
def test_it_is_the_adjusted_mutual_information_of_many_rows(n):
    rng = np.random.default_rng(1)
    labels = rng.integers(3, size=n)
    codes = np.where(rng.random(n) < 0.5, labels, rng.integers(3, size=n))
    adjusted = adjusted_mutual_info_score(codes, labels, average_method="max")
    most = max(mutual_info_score(x, x) for x in (codes, labels))
    assert counted_information(codes, labels) == pytest.approx(adjusted * most, abs=3 / n)


@given(LABELS, LABELS)
def test_never_more_than_the_labels_hold(codes, labels):
    assert counted_information(codes, labels) <= mutual_info_score(labels, labels) + 1e-12


@given(LABELS, st.permutations(range(4)), st.permutations(range(4)))
def test_names_of_values_and_clusters_do_not_matter(labels, first, second):
    codes = np.roll(labels, 7) // 2
    renamed = counted_information(np.array(first)[codes], np.array(second)[labels])
    assert renamed == pytest.approx(counted_information(codes, labels), abs=1e-12)


def test_many_features_and_partitions_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    points = [rng.normal(size=90), rng.integers(3, size=90), np.zeros(90), rng.random(90) < 0.9]
    codes = [value_codes(np.asarray(x, dtype=float), 6)[0] for x in points]
    labels = np.stack([rng.integers(3, size=90), np.zeros(90, dtype=int), 2 * rng.integers(2, size=90)])
    for row, found in zip(labels, discrete_information(codes, labels.astype(np.int8), 3), strict=True):
        for code, value in zip(codes, found, strict=True):
            most = mutual_info_score(row, row)
            chance = (np.unique(code).size - 1) * (np.unique(row).size - 1) / 180
            plain = mutual_info_score(code, row)
            expected = most * (plain - chance) / (most - chance) if most > chance else 0.0
            assert value == pytest.approx(expected, abs=1e-12)


def test_a_single_cluster_tells_nothing():
    assert counted_information(np.arange(10) % 2, np.zeros(10, int)) == 0


@given(npst.arrays(np.float64, st.integers(1, 80), elements=st.integers(-20, 20)))
def test_codes_keep_order_and_equal_values_together(x):
    codes, counts = value_codes(x)
    assert len(counts) == np.unique(x).size
    assert codes.max() < max(few_values(len(x)), 1)
    order = np.argsort(x, kind="stable")
    assert (np.diff(codes[order]) >= 0).all()
    for value in np.unique(x):
        assert np.unique(codes[x == value]).size == 1
    if len(counts) <= few_values(len(x)):
        assert np.unique(codes).size == len(counts)
