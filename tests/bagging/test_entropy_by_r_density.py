"""The native entropy is that of R's ``density()``, to 1e-9.

The domain: a spread of at least 1e-4 of the largest value. ``density()`` works with coordinates as they
are, so a sample far from 0 for its spread loses digits in R, about 1e-14 times that ratio. The native code
measures from the smallest value and does not. Entropies are taken of standardised data: ratio near 1.
"""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from xcompare import rbridge
from xcompare.bagging.information.entropy import kde_entropy

pytestmark = pytest.mark.r
SCRIPT = Path(__file__).parents[1] / "data" / "r" / "oracles.R"


def by_density(samples):
    arguments = {"values": np.concatenate(samples), "sizes": np.array([len(sample) for sample in samples])}
    return rbridge.call("density_entropies", arguments, script=SCRIPT).values["entropy"]


def assert_same(samples):
    found = [kde_entropy(sample) for sample in samples]
    np.testing.assert_allclose(found, by_density(samples), rtol=0, atol=1e-9)


SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n) ** 2,
    "heavy tails": lambda rng, n: rng.standard_t(2, size=n),
    "uniform": lambda rng, n: rng.uniform(-7, 3, size=n),
    "two clusters": lambda rng, n: rng.normal(size=n) * 0.1 + 5 * (np.arange(n) % 2),
    "tied": lambda rng, n: rng.integers(4, size=n).astype(float),
    "one differs": lambda rng, n: np.r_[1.0, np.zeros(n - 1)],
    "one far away": lambda rng, n: np.r_[1000.0, rng.normal(size=n - 1)],
    "constant": lambda rng, n: np.full(n, -2.0),
    "zero": lambda rng, n: np.zeros(n),
    "tiny numbers": lambda rng, n: rng.normal(size=n) * 1e-8,
    "large numbers": lambda rng, n: rng.normal(size=n) * 1e8,
    "off centre": lambda rng, n: 1e3 + rng.normal(size=n),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_and_sizes(shape):
    rng = np.random.default_rng(0)
    assert_same([SHAPES[shape](rng, n) for n in (2, 3, 4, 5, 8, 13, 40, 150, 1000) for _ in range(3)])


# Numbers on a grid tie often; a scale and a shift make them any numbers.
samples = st.builds(
    lambda values, scale, shift: (np.array(values) + shift) * scale,
    st.lists(st.integers(-400, 400).map(lambda i: i / 8), min_size=2, max_size=60),
    st.floats(1e-6, 1e6),
    st.floats(-1e3, 1e3),
)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(samples, min_size=1, max_size=8))
def test_any_sample(drawn):
    assume(all(np.std(sample) >= 1e-4 * np.abs(sample).max() for sample in drawn))
    assert_same(drawn)


def test_far_from_zero_the_native_code_keeps_its_digits():
    sample = np.random.default_rng(1).normal(size=50).round(6)
    shifted = sample + 2.0**20  # exact but for the last of these digits
    restored = shifted - 2.0**20
    assert kde_entropy(shifted) == pytest.approx(kde_entropy(restored), abs=1e-9)
