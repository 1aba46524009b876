"""What a benchmark's row says, and when a ratio has slipped."""

import pytest

from benchmarks import Row


@pytest.mark.parametrize(
    ("row", "ratio", "slipped"),
    [
        (Row("a fit", "K-means", 3.0, 2.0, goal=1.5), 1.5, False),
        (Row("a fit", "K-means", 6.2, 2.0, goal=1.5), 3.1, True),
        (Row("a method", "R", 2.0, 8.0, goal=5, times_faster=True), 4.0, False),
        (Row("a method", "R", 4.0, 8.0, goal=5, times_faster=True), 2.0, True),
        (Row("no goal", "R", 4.0, 8.0), 0.5, False),
        (Row("a peer that is not installed", "R", 4.0, None, goal=1), None, False),
    ],
)
def test_a_ratio_worse_than_twice_its_goal_has_slipped(row, ratio, slipped):
    assert row.ratio == (None if ratio is None else pytest.approx(ratio))
    assert row.slipped is slipped
