"""Run the benchmarks side by side, and write benchmarks/results.md and two plots.

    python -m benchmarks [--quick] [--check] [module ...]

``--check`` runs the quick subset, writes nothing, and ends with status 1 when a ratio is worse than twice its
goal. Seconds are never held against anything: they are the machine's.
"""

import argparse
import importlib
import os
import pkgutil
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path

import benchmarks
from benchmarks import Row

FOLDER = Path(__file__).parent
PACKAGES = ("xcompare", "numpy", "scipy", "scikit-learn", "joblib", "pyckmeans", "fgclustering")


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", help="modules of benchmarks/; all when none is named")
    parser.add_argument("--quick", action="store_true", help="the cheap rows only")
    parser.add_argument("--check", action="store_true", help="quick; fail where a ratio slipped")
    arguments = parser.parse_args()
    found = [name for _, name, _ in pkgutil.iter_modules(benchmarks.__path__) if name != "__main__"]
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[threads] = "1"  # one thread on every side; read when a benchmark loads its libraries
    measured: dict[str, list[Row]] = {}
    for name in arguments.modules or found:
        module = importlib.import_module(f"benchmarks.{name}")
        if not hasattr(module, "run"):  # it prints what it finds
            if not arguments.check:
                subprocess.run([sys.executable, "-m", module.__name__], check=True)
            continue
        print(f"\n{module.TITLE}", flush=True)
        measured[module.TITLE] = module.run(arguments.quick or arguments.check)
        print("\n".join(_table(measured[module.TITLE])), flush=True)
    rows = [row for some in measured.values() for row in some]
    if arguments.check:
        slipped = [row.case for row in rows if row.slipped]
        print("\nslipped: " + "; ".join(slipped) if slipped else "\nno ratio worse than twice its goal")
        return int(bool(slipped))
    if not arguments.modules:
        (FOLDER / "results.md").write_text(_page(measured, arguments.quick))
        _plots(rows)
    return 0


def _table(rows: list[Row]) -> list[str]:
    """Rows as a Markdown table, ratio first."""
    lines = ["| ratio | goal | case | peer | seconds | of the peer | note |", "| ---" * 7 + " |"]
    for row in rows:
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}" + (" x faster" if row.times_faster else "")
        goal = "" if row.goal is None else f"{row.goal:g}"
        ours, theirs = ("-" if s is None else f"{s:.2f}" for s in (row.ours, row.theirs))
        lines.append(f"| {ratio} | {goal} | {row.case} | {row.peer} | {ours} | {theirs} | {row.note} |")
    return lines


def _page(measured: dict[str, list[Row]], quick: bool) -> str:
    """The results as a page."""
    versions = ", ".join(f"{name} {version}" for name, version in _versions().items())
    lines = [
        "# How fast",
        "",
        f"Written by `make bench`{' (quick)' if quick else ''} on {date.today()}; {_processor()},"
        f" {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}. {versions}.",
        "",
        "A ratio is our processor time over the peer's, in the same process, one thread each: less is better."
        " Where it says `x faster`, more is better.",
        "",
        "![Ratio over rows](ratio_over_n.svg) ![Ratio over features](ratio_over_p.svg)",
    ]
    for title, rows in measured.items():
        lines += ["", f"## {title}", "", *_table(rows)]
    return "\n".join(lines) + "\n"


def _versions() -> dict[str, str]:
    """Versions of what was measured, where installed."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    """What kind of processor this is."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def _plots(rows: list[Row]) -> None:
    """Ratio over rows and over features, one point a row."""
    from matplotlib.figure import Figure

    shaped = [row for row in rows if row.n is not None and row.p is not None and row.ratio is not None]
    for name, label in (("n", "rows"), ("p", "features")):
        figure = Figure(figsize=(4.5, 3), layout="constrained")
        axes = figure.subplots()
        axes.loglog([getattr(r, name) for r in shaped], [r.ratio for r in shaped], "o", label="measured")
        axes.loglog([getattr(r, name) for r in shaped], [r.goal for r in shaped], "_", label="goal")
        axes.set(xlabel=label, ylabel="cost in bare K-means fits")
        axes.legend()
        figure.savefig(FOLDER / f"ratio_over_{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    sys.exit(main())
