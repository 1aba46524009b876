"""Every measured number names the command that made it, with a date, and the check knows its code."""

from pathlib import Path

from benchmarks.figures_check import MEASURES, dated

ROOT = Path(__file__).parents[1]


def test_every_command_has_a_date_somewhere_and_is_known():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    found = {command for page in pages for command, _ in dated(page.read_text(encoding="utf-8"))}
    assert found == set(MEASURES)


def test_the_code_it_measures_exists():
    for paths in MEASURES.values():
        for path in paths:
            assert (ROOT / path).exists(), path
