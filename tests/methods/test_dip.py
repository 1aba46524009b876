"""The dip: R's own numbers, the same with ties in both engines, and what has no dip."""

from pathlib import Path

import numpy as np
import pytest

from tests.samples import standardized
from xcompare import rbridge
from xcompare.methods import dip

ORACLES = Path(__file__).parents[1] / "data" / "r" / "oracles.R"


@pytest.mark.r("diptest")
@pytest.mark.parametrize("n", [4, 10, 73, 1000])
def test_without_ties_the_dip_is_that_of_r(n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4)) + [0, 2, 4, 8] * rng.integers(2, size=(n, 4))
    theirs = rbridge.call("r_dip", {"x": X}, script=ORACLES).values["dip"]
    np.testing.assert_allclose(dip(X).scores, theirs, rtol=0, atol=1e-14)


@pytest.mark.r("diptest")
@pytest.mark.parametrize("name", ["iris", "breast", "wine"])
def test_engines_agree_on_data_with_ties(name):
    X = standardized(name)
    found = [dip(X, engine=engine) for engine in ("python", "r")]
    np.testing.assert_allclose(found[0].scores, found[1].scores, rtol=0, atol=1e-12)
    assert found[1].software.startswith("diptest ")


@pytest.mark.parametrize("engine", ["python", pytest.param("r", marks=pytest.mark.r("diptest"))])
def test_what_has_no_dip_gets_the_smallest(engine):
    coin = np.arange(100) % 2.0
    X = np.column_stack([coin, np.zeros(100), np.linspace(0, 1, 100)])
    np.testing.assert_allclose(dip(X, engine=engine).scores, 1 / 200, atol=1e-9)
    np.testing.assert_array_equal(dip(X[:3], engine=engine).scores, 1 / 6)


def test_two_groups_far_apart_have_the_largest():
    groups = np.r_[np.linspace(0, 1, 500), np.linspace(1e6, 1e6 + 1, 500)]
    assert dip(groups[:, None]).scores[0] == pytest.approx(0.25, abs=0.001)
