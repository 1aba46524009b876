"""Densities in compiled loops are those of numpy, bit by bit; those of a block are those of each alone."""

import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from xcompare import compiled as compiled_loops
from xcompare.bagging import density, entropy
from xcompare.bagging.density import GRID, sample_entropies
from xcompare.bagging.distinct_clusters import DistinctClusters
from xcompare.bagging.entropy import SortedFeatures
from xcompare.compiled import can_compile

needs_numba = pytest.mark.skipif(
    not can_compile(), reason="numba is not installed, or XCOMPARE_COMPILED is 0"
)
KINDS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(1, size=n),
    "tied": lambda rng, n: rng.integers(4, size=n).astype(float),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.9, 0.0, rng.normal(size=n)),
    "constant": lambda rng, n: np.full(n, 0.1),
    "zero": lambda rng, n: np.zeros(n),
    "off centre": lambda rng, n: 1e8 + rng.normal(size=n),
    "neighbours": lambda rng, n: 1e8 + np.spacing(1e8) * rng.integers(2, size=n),
    "one far away": lambda rng, n: np.r_[1e12, 1e-300 * rng.normal(size=n - 1)],
    "tiny": lambda rng, n: 5e-324 * rng.integers(2, size=n),
}
kinds = st.sampled_from(sorted(KINDS))


def entropies_both_ways(points, labels, features):
    """Entropies of chosen features within clusters, in numpy and in compiled loops."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for by_loops in (False, True):
            patch.setattr(entropy, "pays", lambda seconds, by_loops=by_loops: by_loops)
            clusters = DistinctClusters.of(labels)
            found.append(SortedFeatures.of(points).conditional_entropies(labels, features, clusters))
    return found


@needs_numba
@pytest.mark.slow
@given(
    st.lists(kinds, min_size=1, max_size=5),
    st.sampled_from([1, 2, 3, 5, 30, 200, 1000]),
    st.sampled_from([1, 2, 3, 7, 95, 96, 97, 126, 127, 128, 300]),
    st.integers(1, 6),
    st.integers(0, 2**31),
)
@example(["normal"] * 5, 1000, 5, 6, 0)
@example(["normal"], 2**17 + 1, 3, 2, 0)  # more than a block of values
def test_compiled_loops_give_the_same_bits(chosen, n, n_clusters, n_partitions, seed):
    """Clusters that are empty, single rows or shared by partitions; labels of one byte and of four."""
    rng = np.random.default_rng(seed)
    points = np.stack([KINDS[kind](rng, n) for kind in chosen])
    labels = rng.integers(n_clusters, size=(n_partitions, n))
    labels[rng.integers(n_partitions)] = labels[0]
    labels[-1, : n // 2] = labels[0, : n // 2]
    features = rng.random((n_partitions, len(points))) < 0.8
    plain, by_loops = entropies_both_ways(points, labels, features)
    np.testing.assert_array_equal(plain, by_loops, strict=True)
    assert np.isfinite(plain[features]).all()


@needs_numba
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [density.MANY - 1, density.MANY, density.MANY + 1, 5 * density.MANY])
def test_runs_of_values_are_binned_to_the_same_bits(kind, n):
    points = KINDS[kind](np.random.default_rng(n), n)[None]
    plain, by_loops = entropies_both_ways(points, np.zeros((1, n), dtype=int), np.ones((1, 1), dtype=bool))
    np.testing.assert_array_equal(plain, by_loops, strict=True)


@needs_numba
@given(st.lists(st.floats(14, 1e290), min_size=1, max_size=4), st.integers(0, 2**31))
@example([14.0, 1e15, 1e16, 1e17], 0)  # the last point of one grid is, or is not, the last of the other
def test_interpolation_in_a_loop_gives_the_same_bits(reach, seed):
    smooth = np.random.default_rng(seed).normal(size=(len(reach), GRID))
    found = [how(smooth, np.array(reach)) for how in (density._interpolate, density._interpolate_by_loop)]
    np.testing.assert_array_equal(*found, strict=True)


@given(st.lists(st.tuples(kinds, st.integers(1, 60)), min_size=1, max_size=12), st.integers(0, 2**31))
@pytest.mark.parametrize("by_loops", [False, pytest.param(True, marks=needs_numba)])
def test_a_density_does_not_depend_on_its_block(by_loops, drawn, seed):
    rng = np.random.default_rng(seed)
    samples = [np.sort(KINDS[kind](rng, n)) for kind, n in drawn]
    sizes = np.array([n for _, n in drawn])
    alone = [sample_entropies(x, np.array([x.size]), by_loops)[0] for x in samples]
    assert sample_entropies(np.concatenate(samples), sizes, by_loops).tolist() == alone


@needs_numba
def test_loops_are_loaded_when_they_save_more_than_that_takes(monkeypatch):
    monkeypatch.setattr(compiled_loops, "_could_have_saved", 0.0)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    lasts = [0.6 * compiled_loops.SECONDS_TO_LOAD] * 3
    assert [compiled_loops.pays(seconds) for seconds in lasts] == [False, True, True]
    monkeypatch.setattr(compiled_loops, "_could_have_saved", 0.0)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert compiled_loops.pays(0.0)  # loaded by something else
    monkeypatch.setenv("XCOMPARE_COMPILED", "0")
    assert not compiled_loops.pays(1e9)
