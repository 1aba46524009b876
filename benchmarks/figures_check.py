"""List measured numbers of README and docs that are older than the code they measure: ``make figures-check``.

Each number is followed by its source: a command in backticks, a comma, a date. The date is compared with the
last commit to the code that the command measures. Read-only.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
METHODS = ("xcompare/bagging", "xcompare/refined", "xcompare/methods")
# What each command measures.
MEASURES = {
    "xcompare reproduce all": METHODS,
    "xcompare validate": (*METHODS, "xcompare/rbridge", "r_scripts"),
    "xcompare compare wine --engine both --runs 20": (*METHODS, "xcompare/harness", "r_scripts"),
    "python -m benchmarks.bagged_clustering": ("xcompare/bagging",),
    "make leaderboard": (*METHODS, "xcompare/inference"),
    "python -m benchmarks.cells": ("xcompare/sc.py", "xcompare/methods/measures.py", "benchmarks/cells.py"),
    "python -m benchmarks.validated --draws 40 --with-clusters 10": (
        "xcompare/inference",
        "benchmarks/validated.py",
    ),
    "python -m benchmarks.many_features": (*METHODS, "benchmarks/many_features.py"),
    "xcompare bench pbmc68k --draws 2": METHODS,
    "xcompare bench loco_gaussian_1000 loco_moons_1000 loco_gamma_1000 --draws 5": METHODS,
    "python -m benchmarks.refined_study --only factors --draws 1": (
        "xcompare/refined",
        "benchmarks/refined_study.py",
    ),
    "python -m benchmarks.answer": (*METHODS, "xcompare/inference", "benchmarks/answer.py"),
    "python -m benchmarks.real_tables": (*METHODS, "benchmarks/real_tables.py"),
    "python -m benchmarks.how_many": (*METHODS, "xcompare/inference", "benchmarks/how_many.py"),
    "python -m benchmarks.default_starts --draws 1": ("xcompare/bagging", "benchmarks/default_starts.py"),
}


def dated(text: str) -> list[tuple[str, str]]:
    """Commands and the dates that follow them.

    Examples
    --------
    >>> dated("By `make bench`, 2026-11-18, and `make test`.")
    [('make bench', '2026-11-18')]
    """
    return re.findall(r"`([^`\n]+)`,\s(\d{4}-\d\d-\d\d)", text)


def last_change(paths: tuple[str, ...]) -> str:
    """Day of the last commit to any of these files and folders."""
    command = ["git", "log", "-1", "--format=%cs", "--", *paths]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def outdated() -> list[str]:
    """One line per number that is older than its code."""
    lines = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for command, date in dated(page.read_text(encoding="utf-8")):
            changed = last_change(MEASURES[command])
            if date < changed:
                lines.append(f"{page.relative_to(ROOT)}: {command}, {date}; its code changed on {changed}")
    return lines


if __name__ == "__main__":
    print("\n".join(outdated()) or "no number is older than its code")
