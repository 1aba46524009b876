"""The p-values of the dip test are those of R's diptest."""

from pathlib import Path

import numpy as np
import pytest

from xcompare import rbridge
from xcompare.hypotheses.own_groups import p_own_groups

pytestmark = pytest.mark.r
SCRIPT = Path(__file__).parents[1] / "data" / "r" / "oracles.R"


@pytest.fixture(autouse=True)
def needs_diptest():
    reason = rbridge.why_unavailable(["diptest"])
    if reason is not None:
        pytest.skip(reason)


@pytest.mark.parametrize("n", [7, 10, 20, 73, 500, 6000])
def test_p_values_are_theirs(n):
    rng = np.random.default_rng(n)
    apart = [0, 2.5, 3, 5]
    X = np.column_stack(
        [rng.uniform(size=n), *(rng.normal(size=n) + d * rng.integers(2, size=n) for d in apart)]
    )
    theirs = rbridge.call("r_dip", {"x": X}, script=SCRIPT).values["p_value"]
    np.testing.assert_allclose(p_own_groups(X), theirs, atol=1e-6)
