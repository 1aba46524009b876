"""Seeds come from identity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcompare.core.seeds import as_seed, derive_seed

NAMES = st.lists(st.one_of(st.text(max_size=8), st.integers(0, 100)), max_size=4)


@given(base=st.integers(0, 2**40), parts=NAMES)
def test_in_the_range_of_numpy_and_r(base, parts):
    assert 0 <= derive_seed(base, *parts) < 2**31 - 1
    assert derive_seed(base, *parts) == derive_seed(base, *parts)


def test_every_part_matters_and_parts_do_not_run_together():
    seeds = {
        derive_seed(0, "wine", "efron", 1),
        derive_seed(1, "wine", "efron", 1),
        derive_seed(0, "wine", "efron", 2),
        derive_seed(0, "wine", "bbc", 1),
        derive_seed(0, "wineefron", 1),
        derive_seed(0, "wine", "efron1"),
    }
    assert len(seeds) == 6


def test_fixed_for_ever():
    """A stored run must find its seeds again in later versions."""
    assert derive_seed(0, "wine", "efron", 3) == 1100968988


def test_a_random_state_is_a_seed():
    assert [as_seed(0), as_seed(np.int64(7)), as_seed(2**31 - 1)] == [0, 7, 2**31 - 1]
    generator, same = np.random.default_rng(1), np.random.default_rng(1)
    first = as_seed(generator)
    assert first == as_seed(same)
    assert as_seed(generator) != first
    assert len({as_seed(None) for _ in range(20)}) > 1


@pytest.mark.parametrize("wrong", [-1, 2**31, 1.0, "1", True])
def test_what_is_no_random_state(wrong):
    with pytest.raises(ValueError, match=f"random_state must be .* or None; got {wrong!r}"):
        as_seed(wrong)
