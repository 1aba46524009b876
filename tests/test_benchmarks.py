"""What a benchmark's row says, when a ratio has slipped, and what is made of the rows that are kept."""

import json
from dataclasses import asdict

import pytest

from benchmarks import Row, harsh_designs, judgement_designs
from benchmarks.__main__ import KEPT, SPEED_PAGE, page, with_speed

KEPT_ROWS = {
    "bagged_clustering": {
        "title": "Bags",
        "measured": "2026-11-16, a machine",
        "rows": [
            asdict(Row("wine", "K-means", 3.0, 2.0, goal=1.3, note="defaults")),
            asdict(Row("wine", "K-means", 1.0, 2.0, note="published")),
            asdict(Row("two workers", "one", 1.0, 2.0, goal=1.9, times_faster=True)),
            asdict(Row("a peer that is not installed", "K-means", 3.0, None, goal=1.3)),
        ],
    }
}


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


def test_the_page_says_ratios_first_and_when_they_were_measured():
    lines = page(KEPT_ROWS).splitlines()
    assert "2026-11-16, a machine." in lines
    assert "| 1.50 | 1.3 | wine | K-means | 3.00 | 2.00 | defaults |" in lines
    assert "| 2.00 x faster | 1.9 | two workers | one | 1.00 | 2.00 |  |" in lines
    assert "| - | 1.3 | a peer that is not installed | K-means | 3.00 | - |  |" in lines


def test_only_the_speed_table_is_rewritten():
    before = "before\n<!-- speed: make bench -->\nold\n<!-- end of speed -->\nafter\n"
    written = with_speed(before, KEPT_ROWS)
    assert written.startswith("before\n<!-- speed: make bench -->\n| data |")
    assert written.endswith("| wine | 1.5 (3.00 s) | 0.5 (1.00 s) | 2.00 s |\n<!-- end of speed -->\nafter\n")
    assert with_speed(written, KEPT_ROWS) == written


def test_the_pages_are_made_of_what_is_kept():
    kept = json.loads(KEPT.read_text())
    assert with_speed(SPEED_PAGE.read_text(), kept) == SPEED_PAGE.read_text()
    assert (KEPT.parent / "results.md").read_text() == page(kept)


def test_no_design_with_clusters_has_the_name_of_one_without():
    names = [
        name
        for module in (harsh_designs, judgement_designs)
        for part in (module.DESIGNS, module.NULLS)
        for name in part
    ]
    assert len(names) == len(set(names))
