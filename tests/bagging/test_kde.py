"""Densities of a block are those of each sample alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xcompare.bagging.information.kde import sample_entropies

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


@given(st.lists(st.tuples(kinds, st.integers(1, 60)), min_size=1, max_size=12), st.integers(0, 2**31))
def test_a_density_does_not_depend_on_its_block(drawn, seed):
    rng = np.random.default_rng(seed)
    samples = [np.sort(KINDS[kind](rng, n)) for kind, n in drawn]
    sizes = np.array([n for _, n in drawn])
    alone = [sample_entropies(x, np.array([x.size]))[0] for x in samples]
    assert np.isfinite(alone).all()
    assert sample_entropies(np.concatenate(samples), sizes).tolist() == alone
