"""R's uniform numbers, drawn without R."""

from types import SimpleNamespace

import numpy as np
import pytest

from xcompare import rbridge
from xcompare.methods.weighted_kmeans.r_random import RRandom

RUNIF = "xc_runif <- function(n) list(u = stats::runif(n))\n"


def test_first_numbers_of_a_known_seed():
    random = RRandom(42)  # set.seed(42); runif(3) in R 4.2.2
    assert [random.uniform() for _ in range(3)] == [
        0.91480604349635541,
        0.93707541329786181,
        0.28613953478634357,
    ]


def test_numbers_stay_inside_the_unit_interval():
    random = RRandom(0)
    random._twister = SimpleNamespace(random_raw=iter([0, 2**32 - 1]).__next__)
    assert random.uniform() > 0
    assert random.uniform() < 1


@pytest.mark.parametrize("seed", [2**31, -(2**31)])
def test_seed_r_does_not_take(seed):
    with pytest.raises(ValueError, match=f"got {seed}"):
        RRandom(seed)


@pytest.mark.r
@pytest.mark.parametrize("seed", [0, 1, 2, 42, 123456789, 2**31 - 1])
def test_same_stream_as_r(seed, tmp_path):
    script = tmp_path / "runif.R"
    script.write_text(RUNIF)
    random = RRandom(seed)
    ours = [random.uniform() for _ in range(2000)]  # past two refreshes of the 624 words
    np.testing.assert_array_equal(
        ours, rbridge.call("xc_runif", {"n": 2000}, script=script, seed=seed).values["u"]
    )
