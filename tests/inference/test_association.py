"""Association with labels made without the feature: moments and level by permutation."""

import numpy as np
import pytest

from xcompare.inference.association import _chi_square, association_p_value

MARGINS = [((10,) * 7, (25, 30, 15)), ((40, 20, 5, 5), (60, 10)), ((6,) * 12, (30, 42))]


@pytest.mark.parametrize(("rows", "columns"), MARGINS)
def test_mean_and_variance_over_permutations(rows, columns):
    rng = np.random.default_rng(0)
    codes, labels = (np.repeat(np.arange(len(some)), some) for some in (rows, columns))
    drawn = [_chi_square(rng.permutation(codes), labels)[0] for _ in range(4000)]
    _, mean, variance = _chi_square(codes, labels)
    assert np.mean(drawn) == pytest.approx(mean, rel=0.05)
    assert np.var(drawn) == pytest.approx(variance, rel=0.15)


@pytest.mark.parametrize("kind", ["normal", "exponential", "counts", "binary", "heavy"])
def test_a_feature_that_is_independent_is_rejected_in_5_of_100(kind):
    rng = np.random.default_rng(1)
    draw = {
        "normal": lambda: rng.normal(size=90),
        "exponential": lambda: rng.exponential(size=90),
        "counts": lambda: rng.poisson(2.0, size=90).astype(float),
        "binary": lambda: rng.integers(2, size=90).astype(float),
        "heavy": lambda: rng.standard_t(2, size=90),
    }[kind]
    labels = np.repeat([0, 1, 2], [50, 25, 15])
    p_values = np.array([association_p_value(draw(), labels) for _ in range(1500)])
    assert 0.03 <= np.mean(p_values <= 0.05) <= 0.07
    assert np.mean(p_values <= 0.005) <= 0.012


def test_what_differs_is_found_also_in_spread_alone():
    rng = np.random.default_rng(2)
    labels = np.arange(200) % 2
    assert association_p_value(rng.normal(size=200) + 1.5 * labels, labels) < 1e-6
    assert association_p_value(rng.normal(size=200) * (1 + 4 * labels), labels) < 1e-6


@pytest.mark.parametrize(
    ("x", "labels"), [(np.zeros(20), np.arange(20) % 2), (np.arange(20.0), np.zeros(20, int))]
)
def test_what_does_not_vary_is_not_associated(x, labels):
    assert association_p_value(x, labels) == 1
