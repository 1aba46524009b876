"""Overhead of the harness: wine, every method, both engines if R is available.

Overhead is wall time times processes over the sum of unit times, including the start of processes and of R;
the target is 1.2. Run: python benchmarks/harness_overhead.py [runs]
"""

import sys
import tempfile
import time
from pathlib import Path

from joblib import cpu_count

import xcompare
from xcompare import rbridge

TARGET = 1.2


def main(n_runs: int = 20) -> None:
    wine = xcompare.load_dataset("wine")
    engine = "python" if rbridge.why_unavailable() else "both"
    jobs = cpu_count()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "wine.sqlite")
        started = time.perf_counter()
        found = xcompare.compare(wine, engine=engine, n_runs=n_runs, n_jobs=jobs, store=store)
        wall = time.perf_counter() - started
        started = time.perf_counter()
        xcompare.compare(wine, engine=engine, n_runs=n_runs, n_jobs=jobs, store=store)
        again = time.perf_counter() - started
    units = found.timings
    work = units["total"].sum()
    print(f"wine, {n_runs} runs, engine={engine}, {units['runs'].sum()} units on {jobs} processes")
    print(f"wall {wall:.1f} s, units {work:.1f} s, overhead {wall * jobs / work:.2f} (target {TARGET})")
    print(f"again from the store: {again:.2f} s; failed units: {found.failures['runs'].sum()}")
    print(units.sort_values("total", ascending=False).head(8).round(3).to_string())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
