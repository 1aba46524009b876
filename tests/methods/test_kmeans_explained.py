"""PBFI and relevance propagation, each against its definition computed row by row or pair by pair."""

from itertools import combinations

import numpy as np
import pytest

from tests.samples import standardized
from xcompare.methods import lrp, pbfi


@pytest.fixture(scope="module")
def X():
    return standardized("wine")


def test_pbfi_is_the_share_of_a_feature_in_the_distances_between_centers(X):
    found = pbfi(X, 4, random_state=0)
    pairs = combinations(found.details["centers"], 2)
    distances = np.sum([np.abs(one - other) for one, other in pairs], axis=0)
    np.testing.assert_allclose(found.scores, distances / distances.sum(), rtol=1e-12)


def test_relevance_is_propagated_through_the_network(X):
    found = lrp(X, 3, random_state=0)
    centers = found.details["centers"]
    squared = np.square(X[:, None] - centers).sum(axis=2)
    own = squared.argmin(axis=1)
    evidence = np.array([np.delete(d - d[c], c).min() for d, c in zip(squared, own, strict=True)])
    relevance = np.zeros_like(X)
    for i, (x, c) in enumerate(zip(X, own, strict=True)):
        others = np.delete(np.arange(3), c)
        margins = squared[i, others] - squared[i, c]
        shares = np.exp(-margins / evidence.mean())
        shares /= shares.sum()
        for k, margin, share in zip(others, margins, shares, strict=True):
            terms = 2 * (centers[c] - centers[k]) * (x - (centers[c] + centers[k]) / 2)
            relevance[i] += evidence[i] * share * terms / margin
    np.testing.assert_allclose(relevance.sum(axis=1), evidence, rtol=1e-9)  # what is explained is kept
    np.testing.assert_allclose(found.scores, relevance.mean(axis=0), rtol=1e-9)


@pytest.mark.parametrize("method", [pbfi, lrp])
def test_one_cluster_explains_nothing(X, method):
    np.testing.assert_array_equal(method(X, 1, random_state=0).scores, np.zeros(13))
