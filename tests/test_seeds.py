"""Seeds come from identity."""

from hypothesis import given
from hypothesis import strategies as st

from xcompare.seeds import derive_seed

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
