"""Bags as methods: long runs are said before they start."""

import pytest

from xcompare.methods import METHODS


@pytest.mark.parametrize("name", ["basic", "efron", "bbc"])
@pytest.mark.parametrize(
    ("shape", "options", "said"),
    [
        ((200_000, 8, 3), {}, "takes about 19 s per run on 200,000 rows and 8 features; fewer replicates"),
        ((200_000, 8, 6), {}, "takes about 38 s per run on 200,000 rows and 8 features; fewer replicates"),
        ((200_000, 8, 3), {"n_init": 1}, ""),
        ((178, 13, 3), {}, ""),
        ((100, 3_000, 3), {}, ""),
        ((100, 3_000, 8), {}, "takes about"),
        ((200_000, 8, 3), {"n_replicas": "many"}, ""),  # the run itself will say what is wrong
    ],
)
def test_a_long_run_is_said_before_it_starts(name, shape, options, said):
    note = METHODS[name].why_slow("python", shape[:2], shape[2], options)
    assert note.startswith(said)
    assert bool(note) == bool(said)


@pytest.mark.parametrize(
    ("shape", "options", "said"),
    [
        ((200_000, 8, 3), {}, "takes about 29 s per run on 200,000 rows and 8 features; fewer replicates"),
        ((60_000, 8, 3), {"rounds": 1}, ""),
        ((100, 3_000, 8), {}, ""),
        ((60_000, 8, 3), {"rounds": 2.5}, ""),  # the run itself will say what is wrong
    ],
)
def test_so_is_a_long_run_in_rounds(shape, options, said):
    note = METHODS["refined"].why_slow("python", shape[:2], shape[2], options)
    assert note.startswith(said)
    assert bool(note) == bool(said)
