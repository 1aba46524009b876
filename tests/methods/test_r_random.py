"""R's uniform numbers, drawn without R."""

from itertools import islice

import numpy as np
import pytest

from xcompare import rbridge
from xcompare.methods.weighted_kmeans.iteration import r_uniforms

RUNIF = "xc_runif <- function(n) list(u = stats::runif(n))\n"


def test_first_numbers_of_a_known_seed():
    assert list(islice(r_uniforms(42), 3)) == [  # set.seed(42); runif(3) in R 4.2.2
        0.91480604349635541,
        0.93707541329786181,
        0.28613953478634357,
    ]


@pytest.mark.r
@pytest.mark.parametrize("seed", [0, 1, 2, 42, 123456789, 2**31 - 1])
def test_same_stream_as_r(seed, tmp_path):
    script = tmp_path / "runif.R"
    script.write_text(RUNIF)
    ours = list(islice(r_uniforms(seed), 2000))  # past two refreshes of the 624 words
    np.testing.assert_array_equal(
        ours, rbridge.call("xc_runif", {"n": 2000}, script=script, seed=seed).values["u"]
    )
