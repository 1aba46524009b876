"""The bag as a method: long runs are said before they start."""

import pytest

from xcompare.methods import METHODS


@pytest.mark.parametrize("name", ["basic", "efron", "bbc"])
@pytest.mark.parametrize(
    ("shape", "options", "said"),
    [
        ((60_000, 8), {}, "clusters 100 replicas of 60,000 rows from 10 starts each, about 19 s a run"),
        ((60_000, 8), {"n_replicas": "auto"}, "clusters 100 replicas of 60,000 rows"),
        ((60_000, 8), {"n_init": 1}, ""),
        ((178, 13), {}, ""),
        ((100, 3_000), {}, ""),
        ((60_000, 8), {"n_replicas": "many"}, ""),  # the run itself will say what is wrong
    ],
)
def test_a_long_run_is_said_before_it_starts(name, shape, options, said):
    note = METHODS[name].slow(*shape, **options)
    assert note.startswith(said)
    assert bool(note) == bool(said)
