"""Run the benchmarks; write benchmarks/results.md, two plots and the speed table of docs/scaling.md.

    python -m benchmarks [--check] [module ...]

The last results of each module are kept in benchmarks/measured.json, with the date, so modules may be run one
by one. ``--check`` runs the quick subset, writes nothing, and exits with status 1 if a ratio is worse than
twice its goal. Only ratios have goals, as seconds depend on the machine.
"""

import argparse
import importlib
import json
import os
import pkgutil
import platform
import subprocess
import sys
from dataclasses import asdict
from datetime import date
from pathlib import Path

import benchmarks
from benchmarks import Row

FOLDER = Path(__file__).parent
KEPT = FOLDER / "measured.json"
SPEED_PAGE = FOLDER.parent / "docs" / "scaling.md"
BEGIN, END = "<!-- speed: make bench -->", "<!-- end of speed -->"
ON_SPEED_PAGE = "bagged_clustering"
PACKAGES = ("xcompare", "numpy", "scipy", "scikit-learn", "numba", "joblib", "pyckmeans", "fgclustering")


def main() -> int:
    """Run the requested modules."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", help="modules of benchmarks/ (default: all)")
    parser.add_argument(
        "--check", action="store_true", help="quick subset; fail if a ratio is worse than twice its goal"
    )
    arguments = parser.parse_args()
    found = [name for _, name, _ in pkgutil.iter_modules(benchmarks.__path__) if name != "__main__"]
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[threads] = "1"  # read when a benchmark loads its libraries
    slipped = []
    for name in arguments.modules or found:
        module = importlib.import_module(f"benchmarks.{name}")
        if not hasattr(module, "run"):  # prints its own results
            if not arguments.check:
                subprocess.run([sys.executable, "-m", module.__name__], check=True)
            continue
        print(f"\n{module.TITLE}", flush=True)
        rows = module.run(arguments.check)
        print("\n".join(_table(rows)), flush=True)
        slipped += [row.case for row in rows if row.slipped]
        if not arguments.check:
            keep(name, module.TITLE, rows)
    if arguments.check:
        print(
            "\nworse than twice the goal: " + "; ".join(slipped)
            if slipped
            else "\nno ratio worse than twice its goal"
        )
        return int(bool(slipped))
    return 0


def keep(name: str, title: str, rows: list[Row]) -> None:
    """Store the results of a module, and update both pages and the plots."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept[name] = {
        "title": title,
        "measured": f"{date.today()}, {_processor()}, {os.cpu_count()} cores, {platform.system()},"
        f" Python {platform.python_version()}, "
        + ", ".join(f"{package} {version}" for package, version in _versions().items()),
        "rows": [asdict(row) for row in rows],
    }
    KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    (FOLDER / "results.md").write_text(page(kept))
    SPEED_PAGE.write_text(with_speed(SPEED_PAGE.read_text(), kept))
    _plots([row for module in kept.values() for row in _rows(module)])


def _rows(module: dict) -> list[Row]:
    """Stored rows of a module."""
    return [Row(**row) for row in module["rows"]]


def _table(rows: list[Row]) -> list[str]:
    """Rows as a Markdown table."""
    lines = ["| ratio | goal | case | peer | seconds | of the peer | note |", "| ---" * 7 + " |"]
    for row in rows:
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}" + (" x faster" if row.times_faster else "")
        goal = "" if row.goal is None else f"{row.goal:g}"
        ours, theirs = ("-" if s is None else f"{s:.2f}" for s in (row.ours, row.theirs))
        lines.append(f"| {ratio} | {goal} | {row.case} | {row.peer} | {ours} | {theirs} | {row.note} |")
    return lines


def page(kept: dict[str, dict]) -> str:
    """The results as a page."""
    lines = [
        "# Speed",
        "",
        "Written by `make bench`; each table gives its date and machine.",
        "",
        "A ratio is our processor time over the peer's, with one thread each, run alternately on one machine:"
        " smaller is better. `x faster` is the inverse: larger is better. Compilation by numba is not timed.",
        "",
        "![Ratio over rows](ratio_over_n.svg) ![Ratio over features](ratio_over_p.svg)",
    ]
    for _, module in sorted(kept.items()):
        lines += ["", f"## {module['title']}", "", f"{module['measured']}.", "", *_table(_rows(module))]
    return "\n".join(lines) + "\n"


def with_speed(text: str, kept: dict[str, dict]) -> str:
    """docs/scaling.md with the latest ratios to bare K-means."""
    before, _, rest = text.partition(BEGIN)
    lines = ["| data | all defaults | published setting | bare K-means |", "| ---" * 4 + " |"]
    rows = _rows(kept[ON_SPEED_PAGE]) if ON_SPEED_PAGE in kept else []
    for defaults in (row for row in rows if row.note == "defaults"):
        [published] = (row for row in rows if (row.case, row.note) == (defaults.case, "published"))
        ratios = " | ".join(f"{row.ratio:.1f} ({row.ours:.2f} s)" for row in (defaults, published))
        lines.append(f"| {defaults.case} | {ratios} | {defaults.theirs:.2f} s |")
    return "\n".join([before + BEGIN, *lines, END + rest.partition(END)[2]])


def _versions() -> dict[str, str]:
    """Versions of the installed packages."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    """Model name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def _plots(rows: list[Row]) -> None:
    """Plot the ratio over rows and over features."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "xcompare"  # reproducible files
    shaped = [row for row in rows if row.n and row.p and row.ratio and row.goal]
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
