"""Bags as methods: long runs are said before they start."""

import pytest

from xcompare.methods import METHODS


@pytest.mark.parametrize("name", ["basic", "efron", "bbc"])
@pytest.mark.parametrize(
    ("shape", "options", "said"),
    [
        (
            (200_000, 8, 3),
            {},
            "fits 100 replicates of 200,000 rows with 3 initializations each, up to 19 s per run",
        ),
        (
            (200_000, 8, 6),
            {},
            "fits 100 replicates of 200,000 rows with 3 initializations each, up to 38 s per run",
        ),
        ((200_000, 8, 3), {"n_init": 1}, ""),
        ((178, 13, 3), {}, ""),
        ((100, 3_000, 3), {}, ""),
        ((100, 3_000, 8), {}, "fits 100 replicates of 100 rows"),
        ((200_000, 8, 3), {"n_replicas": "many"}, ""),  # the run itself will say what is wrong
    ],
)
def test_a_long_run_is_said_before_it_starts(name, shape, options, said):
    note = METHODS[name].slow(*shape, **options)
    assert note.startswith(said)
    assert bool(note) == bool(said)


@pytest.mark.parametrize(
    ("shape", "options", "said"),
    [
        (
            (200_000, 8, 3),
            {},
            "fits 300 replicates of 200,000 rows with 3 initializations each, up to 29 s per run",
        ),
        ((60_000, 8, 3), {"rounds": 1}, ""),
        ((100, 3_000, 8), {}, ""),
        ((60_000, 8, 3), {"rounds": 2.5}, ""),  # the run itself will say what is wrong
    ],
)
def test_so_is_a_long_run_in_rounds(shape, options, said):
    note = METHODS["refined"].slow(*shape, **options)
    assert note.startswith(said)
    assert bool(note) == bool(said)
