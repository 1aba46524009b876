"""Results as tables, on terminals of any width."""

import io

import numpy as np
import pytest
from rich.console import Console

from xcompare.cli import tables
from xcompare.results.significance import Significance
from xcompare.results.table import TableRow


def screen(width, **options):
    return Console(file=io.StringIO(), width=width, **options)


def column(title, scores, *, larger=True):
    scores = np.array([scores], dtype=float)
    return title, TableRow(title, title, "python", larger, "none", np.arange(1), scores, scores, True, "")


def shown(console, names, columns, **options):
    console.print(tables.score_tables(names, columns, console, **{"order": names, **options}))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_every_column_is_shown_at_any_width(width):
    names = [f"feature number {j}" for j in range(13)]
    scores = np.linspace(0, 1, 13)
    columns = [column(f"method{j} ↑\nPython", scores) for j in range(22)]
    text = shown(screen(width), names, columns)
    assert max(map(len, text.splitlines())) <= width
    for j in range(22):
        assert f"method{j} ↑" in text
    assert text.count("1.00  1") == 22


def test_twenty_features_unless_all_are_asked_for():
    names = [f"x{j}" for j in range(100)]
    one = column("a ↑", np.arange(100) / 99)
    text = shown(screen(80), names, [one], order=names[::-1])
    assert [line.split()[0] for line in text.splitlines()[2:22]] == [f"x{99 - j}" for j in range(20)]
    assert "x79 " not in text
    assert "and 80 more features, which rank lower overall (--all shows them)" in text
    every = shown(screen(80), names, [one], order=names[::-1], every=True)
    assert "x0 " in every
    assert "more features" not in every


def test_failed_column_is_dashes_and_ties_line_up():
    columns = [
        column("a ↑", [0.5, 0.5, 1.0]),
        column("b ↓", np.full(3, np.nan), larger=False),
    ]
    lines = shown(screen(80), ["x", "y", "z"], columns).splitlines()
    assert lines[2].split() == ["x", "▄", "0.50", "2/3", "-"]
    assert lines[4].split() == ["z", "█", "1.00", "1", "-"]
    assert lines[2].index("2/3") + 2 == lines[4].rindex("1")


def test_a_longer_bar_is_more_important_whichever_way_the_score_reads():
    one = column("ls ↓", [0.7, 1.0, 0.85], larger=False)
    lines = shown(screen(80), ["x", "y", "z"], [one]).splitlines()
    assert lines[2].split() == ["x", "█", "0.70", "1"]
    assert lines[3].split() == ["y", "1.00", "3"]
    assert lines[4].split() == ["z", "▄", "0.85", "2"]


def test_the_most_important_features_are_coloured():
    one = column("a ↓", [0.1, 0.9, 0.5, 0.6], larger=False)
    text = shown(screen(80, force_terminal=True, color_system="standard"), list("wxyz"), [one])
    coloured = [line[0] for line in text.splitlines() if "\x1b[32m" in line or "\x1b[1;32m" in line]
    assert coloured == ["w", "y", "z"]


def test_no_negative_zero():
    assert tables._judgement({"ari_mean": -0.003, "fm_mean": 0.5}) == ("0.00", "0.50")


@pytest.mark.parametrize("every", [False, True])
def test_significance_of_many_features_is_20_lines(every):
    p_values = np.r_[np.full(30, 1e-6), np.ones(270)]
    importance = np.linspace(1, 0, 300)
    names = tuple(f"gene {j}" for j in range(300))
    found = Significance("data", names, "found", 0.001, importance, p_values, np.ones(300))
    console = screen(80)
    console.print(tables.significance_table(found, every=every))
    text = console.file.getvalue()
    assert sum(line.startswith("gene ") for line in text.splitlines()) == (300 if every else 20)
    rest = "and 280 more features: 270 noise, 10 relevant (--all shows them)"
    assert (rest in text) != every
