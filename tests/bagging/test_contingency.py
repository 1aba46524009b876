"""Contingency tables of many partitions are those of scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

from xcompare.bagging.consensus import contingency
from xcompare.bagging.consensus.contingency import adjusted_rand_indices, contingency_tables


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 200),
    n_clusters=st.integers(1, 6),
    block=st.sampled_from([8, 64, 2**14]),
)
def test_tables_are_those_of_scikit_learn(seed, n, n_clusters, block):
    codes = np.random.default_rng(seed).integers(n_clusters, size=(4, n)).astype(np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contingency, "BLOCK", block)
        tables = contingency_tables(codes, n_clusters)
    # Rows that show every code once more: scikit-learn leaves out what is not used.
    every = np.repeat(np.arange(n_clusters), n_clusters), np.tile(np.arange(n_clusters), n_clusters)
    for i in range(4):
        for j in range(4):
            expected = contingency_matrix(np.append(codes[i], every[0]), np.append(codes[j], every[1])) - 1
            np.testing.assert_array_equal(tables[i, :, j], expected)


def test_large_counts_are_exact():
    """Counts are added up in blocks: more samples than single precision can count."""
    n = 2**24 + 3
    codes = np.zeros((2, n), dtype=np.int8)
    codes[0, 1:] = 1
    table = contingency_tables(codes, 2)
    assert table[0, 1, 1, 0] == n - 1
    assert table[1, 0, 0, 1] == n - 1
    assert table[0, 0, 1, 0] == 1


@pytest.mark.parametrize("cells", [1, 2**20])
@pytest.mark.parametrize("n_clusters", [1, 2, 5])
def test_adjusted_rand_indices_are_those_of_scikit_learn(n_clusters, cells, monkeypatch):
    monkeypatch.setattr(contingency, "CELLS", cells)
    codes = np.random.default_rng(0).integers(n_clusters, size=(4, 30))
    codes[1] = codes[0]
    expected = [[adjusted_rand_score(a, b) for b in codes] for a in codes]
    np.testing.assert_allclose(adjusted_rand_indices(codes, n_clusters), expected, atol=1e-12)
