"""KDE entropy: definition, edge cases."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy.stats import norm

from xcompare import BaggedClustering
from xcompare.bagging import replicas
from xcompare.bagging.information.entropy import SortedFeatures, kde_entropy

SAMPLES = npst.arrays(
    np.float64,
    st.integers(1, 60),
    elements=st.one_of(st.floats(-50, 50, width=32), st.sampled_from([0.0, 1.0, 2.0])),
)


def plain_entropy(x):
    """The definition in slow, plain steps: R's density() on 512 points, then -sum f log f dx."""
    n = len(x)
    spread = np.std(x, ddof=1) if n > 1 and np.ptp(x) > 0 else 0.0
    iqr = np.subtract(*np.quantile(x, [0.75, 0.25]))
    narrow = min(spread, iqr / 1.34) or spread or abs(x[0]) or 1.0
    bw = 0.9 * narrow * n**-0.2
    low, high = x.min() - 7 * bw, x.max() + 7 * bw
    step = (high - low) / 511
    mass = np.zeros(1024)
    for value in x:
        at = (value - low) / step
        left = int(np.floor(at))
        mass[left] += (1 - (at - left)) / n
        mass[left + 1] += (at - left) / n
    distance = np.linspace(0, 2 * (high - low), 1024)
    distance[513:] = -distance[511:0:-1]
    kernel = norm.pdf(distance, scale=bw)
    smooth = np.maximum(np.fft.ifft(np.fft.fft(mass) * np.conj(np.fft.fft(kernel))).real[:512], 0)
    grid = np.linspace(x.min() - 3 * bw, x.max() + 3 * bw, 512)
    f = np.maximum(np.interp(grid, np.linspace(low, high, 512), smooth), np.finfo(float).eps)
    return -np.sum(f * np.log(f)) * (grid[1] - grid[0])


@given(SAMPLES)
@example(np.array([1e-33]))
@example(np.array([1.0, 2.0, 4.0]) * 1e-20)
@example(np.repeat([0.0, 1.0, 2**-23], [10, 1, 27]))
def test_entropy_is_the_definition(x):
    # Where values are huge beside their spread, the plain steps lose digits themselves.
    scale = max(np.ptp(x), 1e-3 * np.abs(x).max(), 1e-300)
    if np.ptp(x) > 0 and np.ptp(x) < 1e-3 * scale:
        return
    # Nearly equal values and one far off: a grid too coarse for them gives any number of nats, and 1e-9 of
    # half a million is beyond double precision.
    assert kde_entropy(x) == pytest.approx(plain_entropy(x), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("n", [2, 10, 1000])
def test_entropy_of_a_normal_sample_is_near_the_true_one(n):
    x = norm.ppf((np.arange(n) + 0.5) / n)
    assert kde_entropy(x) == pytest.approx(0.5 * np.log(2 * np.pi * np.e), abs=0.4 if n < 100 else 0.05)


@given(SAMPLES, st.floats(0.5, 4))
def test_scaling_adds_the_logarithm(x, factor):
    # Up to the mass beyond three bandwidths from the data, at most 0.27 %, which the grid leaves out. With
    # one value far off, the grid is too coarse for the others, and its sum is not 1 for that reason too.
    iqr = np.subtract(*np.quantile(x, [0.75, 0.25]))
    if 1e-2 < np.ptp(x) < 20 * iqr:
        assert kde_entropy(factor * x) == pytest.approx(kde_entropy(x) + np.log(factor), abs=0.005)


@given(SAMPLES)
def test_order_does_not_matter(x):
    assert kde_entropy(x[::-1]) == pytest.approx(kde_entropy(x), abs=1e-12) or np.ptp(x) == 0


@pytest.mark.parametrize("x", [[3.0], [0.0], [2.0, 2.0, 2.0], [0.0, 0.0]])
def test_constant_and_single_samples_have_a_finite_entropy(x):
    width = 0.9 * (abs(x[0]) or 1.0) * len(x) ** -0.2
    assert kde_entropy(x) == pytest.approx(np.log(width * np.sqrt(2 * np.pi * np.e)), abs=0.03)


@pytest.mark.parametrize(
    "x",
    [
        np.r_[np.arange(20) * 1e-200, 1.0],
        np.r_[np.arange(20) * 1e-310, 1.0],
        np.r_[np.arange(20) * 1e-300, 1e12],
        np.full(1000, 5e-324),
        1e8 + np.spacing(1e8) * np.r_[np.zeros(100_000), 1.0],
    ],
    ids=["narrow", "narrower", "wide and narrow", "no bandwidth", "two neighbours"],
)
def test_grids_of_any_coarseness_give_a_number(x):
    assert np.isfinite(kde_entropy(x))


@pytest.mark.parametrize("x", [[], [[1.0, 2.0]], [1.0, np.nan], [1.0, np.inf]])
def test_bad_samples_are_refused(x):
    with pytest.raises(ValueError, match="finite numbers"):
        kde_entropy(x)


@pytest.mark.parametrize("n_codes", [3, 126, 127, 128])
def test_entropies_of_a_partition_do_not_depend_on_the_others_to_the_last_bit(n_codes):
    rng = np.random.default_rng(n_codes)
    X = np.stack([rng.normal(size=400), rng.exponential(size=400) ** 4, rng.integers(4, size=400) * 1.0])
    labels = rng.integers(n_codes, size=(6, 400))
    labels[:, :2] = 0, n_codes - 1
    features = rng.random((6, 3)) < 0.7
    known = SortedFeatures.of(X)
    together = known.conditional_entropies(labels, features)
    for row, chosen, entropies in zip(labels, features, together, strict=True):
        [alone] = known.conditional_entropies(row[None], np.ones((1, 3), dtype=bool))
        np.testing.assert_array_equal(entropies[chosen], alone[chosen])
        assert np.isnan(entropies[~chosen]).all()


def test_features_are_measured_some_at_a_time_with_the_same_result(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 7))
    whole = BaggedClustering(3, n_replicas=20, random_state=0).fit(X)
    for values in (50, 100, 349, 350):  # one feature, two, all but one, all
        monkeypatch.setattr(replicas, "BLOCK_VALUES", values)
        parts = BaggedClustering(3, n_replicas=20, random_state=0).fit(X)
        np.testing.assert_array_equal(parts.replica_importances_, whole.replica_importances_)
