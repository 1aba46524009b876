"""Clusters in common: each is met once with each feature, and what it is does not depend on its company."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from xcompare.bagging import replicas
from xcompare.bagging.information.distinct_clusters import DistinctClusters
from xcompare.bagging.information.entropy import SortedFeatures

PARTITIONS = npst.arrays(np.int8, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=st.integers(0, 3))


@given(PARTITIONS)
def test_codes_have_the_same_number_exactly_where_they_have_the_same_members(labels):
    found = DistinctClusters.of(labels)
    members = {
        (r, c): frozenset(np.flatnonzero(row == c))
        for r, row in enumerate(labels)
        for c in range(labels.max() + 1)
    }
    for at, one in members.items():
        assert found.sizes[found.number[at]] == len(one)
        for other, also in members.items():
            assert (found.number[at] == found.number[other]) == (one == also)


@given(PARTITIONS, st.data())
def test_every_cluster_meets_every_feature_of_its_partitions_once(labels, data):
    features = data.draw(npst.arrays(bool, (len(labels), 5)))
    found = DistinctClusters.of(labels)
    met = np.zeros((len(found.sizes), 5), dtype=int)
    for first, numbers, chosen in zip(found.first_met(features), found.number, features, strict=True):
        assert not first[~chosen].any()
        np.add.at(met, numbers, first.T)
    drawn = np.zeros_like(met, dtype=bool)
    for numbers, chosen in zip(found.number, features, strict=True):
        drawn[numbers] |= chosen
    np.testing.assert_array_equal(met, drawn & (found.sizes > 0)[:, None])


@pytest.mark.parametrize("n_codes", [3, 126, 127, 128])
def test_what_a_cluster_tells_does_not_depend_on_its_company_to_the_last_bit(n_codes):
    rng = np.random.default_rng(n_codes)
    X = np.stack([rng.normal(size=400), rng.exponential(size=400) ** 4, rng.integers(4, size=400) * 1.0])
    labels = np.repeat(rng.integers(n_codes, size=(1, 400)), 8, axis=0)
    labels[:, :2] = 0, n_codes - 1
    labels[2] = n_codes - 1 - labels[0]  # the same clusters by other names
    labels[3, :40] = 0  # some of them, and others
    labels[4:, 200:] = rng.integers(n_codes, size=(4, 200))
    features = rng.random((8, 3)) < 0.7
    sorted_features = SortedFeatures.of(X)
    clusters = DistinctClusters.of(labels)
    together = sorted_features.conditional_entropies(labels, features, clusters)
    sizes = clusters.sizes[clusters.number]
    for row, chosen, entropies, n in zip(labels, features, together, sizes, strict=True):
        np.testing.assert_array_equal(n, np.bincount(row, minlength=n_codes))
        everything = np.ones((1, 3), dtype=bool)
        single = row[None]
        alone = sorted_features.conditional_entropies(single, everything, DistinctClusters.of(single))[0]
        np.testing.assert_array_equal(entropies[chosen, : alone.shape[1]], alone[chosen])
        assert np.isnan(entropies[~chosen]).all()


def test_features_are_measured_some_at_a_time_with_the_same_result(monkeypatch):
    from xcompare import BaggedClustering

    X = np.random.default_rng(0).normal(size=(50, 7))
    whole = BaggedClustering(3, n_replicas=20, random_state=0).fit(X)
    for values in (50, 100, 349, 350):  # one feature, two, all but one, all
        monkeypatch.setattr(replicas, "BLOCK_VALUES", values)
        parts = BaggedClustering(3, n_replicas=20, random_state=0).fit(X)
        np.testing.assert_array_equal(parts.replica_importances_, whole.replica_importances_)
