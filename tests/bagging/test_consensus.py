"""Variation of information is a metric; the consensus is the weighted medoid."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from sklearn.metrics import mutual_info_score

from xcompare.bagging.consensus.medoid import (
    align_labels,
    consensus_partition,
    pairwise_vi,
    variation_of_information,
)


@st.composite
def partitions(draw, count):
    n = draw(st.integers(1, 40))
    return [draw(npst.arrays(np.int64, n, elements=st.integers(0, 5))) for _ in range(count)]


def entropy(a):
    p = np.unique(a, return_counts=True)[1] / a.size
    return -(p * np.log(p)).sum()


@pytest.mark.slow
@given(partitions(2))
def test_is_the_definition(pair):
    a, b = pair
    expected = entropy(a) + entropy(b) - 2 * mutual_info_score(a, b)
    assert variation_of_information(a, b) == pytest.approx(expected, abs=1e-10)


@pytest.mark.slow
@given(partitions(3))
def test_is_a_metric(triple):
    a, b, c = triple
    ab, bc, ac = (variation_of_information(x, y) for x, y in ((a, b), (b, c), (a, c)))
    assert ab >= 0
    assert ab == variation_of_information(b, a)
    assert ac <= ab + bc + 1e-12
    same = len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))
    assert (ab == 0) == same


@given(partitions(2), st.permutations(range(6)))
def test_names_of_clusters_do_not_matter(pair, names):
    a, b = pair
    renamed = np.array(names)[a]
    assert variation_of_information(renamed, b) == pytest.approx(variation_of_information(a, b), abs=1e-12)


@pytest.mark.slow
@given(partitions(6), st.lists(st.floats(0.01, 10), min_size=6, max_size=6))
def test_consensus_minimises_the_weighted_sum(ensemble, weights):
    found = consensus_partition(ensemble, weights)
    cost = [
        sum(w * variation_of_information(a, b) for w, b in zip(weights, ensemble, strict=True))
        for a in ensemble
    ]
    assert cost[found.index] == pytest.approx(min(cost), abs=1e-9)
    np.testing.assert_array_equal(found.labels, ensemble[found.index])


def test_first_of_equals_is_taken():
    assert consensus_partition([[0, 0, 1], [1, 1, 0], [0, 0, 1]]).index == 0


def test_weights_decide():
    ensemble = [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 1]]
    assert consensus_partition(ensemble).index == 1
    assert consensus_partition(ensemble, [5, 1, 1]).index == 0


@pytest.mark.parametrize(
    ("labels", "weights", "message"),
    [
        ([0, 1], None, "matrix"),
        ([[0, 1]], [1, 2], "one entry per partition"),
        ([[0, 1]], [0], "not all 0"),
        ([[0, 1]], [-1], "not negative"),
        ([[0, 1]], [np.nan], "finite"),
    ],
)
def test_bad_ensembles_are_refused(labels, weights, message):
    with pytest.raises(ValueError, match=message):
        consensus_partition(labels, weights)


def test_partitions_of_different_samples_are_refused():
    with pytest.raises(ValueError, match="same samples"):
        variation_of_information([0, 1], [0, 1, 1])


def test_alignment_undoes_renaming():
    rng = np.random.default_rng(0)
    reference = rng.integers(4, size=200)
    renamed = np.stack([rng.permutation(4)[reference] for _ in range(5)])
    np.testing.assert_array_equal(align_labels(renamed, reference, 4), np.tile(reference, (5, 1)))


def test_all_pairs_agree_with_single_pairs():
    codes = np.random.default_rng(1).integers(3, size=(8, 50))
    table = pairwise_vi(codes)
    for i, j in np.ndindex(8, 8):
        assert table[i, j] == pytest.approx(variation_of_information(codes[i], codes[j]), abs=1e-12)
