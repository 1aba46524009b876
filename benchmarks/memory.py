"""Peak memory of fits and of comparisons, each in a process of its own: the tables of docs/scaling.md.

    python -m benchmarks.memory fits                              # BaggedClustering, four shapes
    python -m benchmarks.memory methods 100000 20                 # every native method through compare
    python -m benchmarks.memory methods 1000000 20 efron,dip      # some of them
    python -m benchmarks.memory reads 1000000 20                  # files of three formats

Growth of the resident memory from just before the call to its peak, over the size of the data in double
precision, which the caller holds already. The memory of workers does not count.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings
from datetime import date
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from xcompare.harness.memory import watch_memory

FITS = [
    (100_000, 20, 1),
    (100_000, 20, 2),
    (10_000, 200, 1),
    (10_000, 200, 2),
    (200, 5000, 1),
    (1_000_000, 20, 1),
]
LIMIT = 900  # seconds of processor time of a method


def simulated(n_samples: int, n_features: int) -> np.ndarray:
    """Five clusters in the first half of the features, two standard deviations apart."""
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=n_samples)
    centers = 2 * rng.normal(size=(5, n_features))
    X = rng.normal(size=(n_samples, n_features))
    for feature in range(n_features // 2):
        X[:, feature] += centers[labels, feature]
    return X


def fit(X: np.ndarray, n_jobs: int) -> None:
    """Fit an ensemble with the defaults."""
    from xcompare import BaggedClustering

    BaggedClustering(5, n_jobs=n_jobs, random_state=0).fit(X)


def compare(X: np.ndarray, method: str) -> None:
    """Run one method once."""
    import xcompare

    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + LIMIT, resource.RLIM_INFINITY))
    found = xcompare.compare(X, 5, methods=method, n_runs=1, n_jobs=1, progress=False)
    for message in found.failures["message"]:
        print(message, end=" ")


def read(path: str) -> None:
    """Read a table; ``path`` ends with its format."""
    import xcompare

    xcompare.read_table(path)


def write(folder: str, name: str, X: np.ndarray) -> list[str]:
    """Write a table in three formats; returns their paths."""
    frame = pd.DataFrame(X, columns=[f"v{j}" for j in range(X.shape[1])])
    paths = [f"{folder}/{name}.{kind}" for kind in ("parquet", "feather", "csv")]
    frame.to_parquet(paths[0])
    frame.to_feather(paths[1])
    frame.to_csv(paths[2], index=False)
    return paths


def measure(kind: str, n_samples: int, n_features: int, what: str) -> None:
    """Print one row, from this process."""
    warnings.simplefilter("ignore")

    def run(X: np.ndarray) -> None:
        if kind == "read":
            read(what if len(X) == n_samples else what.replace("large.", "small."))
        else:
            fit(X, int(what)) if kind == "fit" else compare(X, what)

    run(simulated(300, 5))  # imports and workers; small, as memory that is used again does not count
    X = np.empty((n_samples, n_features)) if kind == "read" else simulated(n_samples, n_features)
    taken = watch_memory()
    clock, processor = time.perf_counter(), time.process_time()
    run(X)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    grown = taken()
    who = {"fit": f"BaggedClustering, n_jobs={what}", "read": what.rpartition(".")[2]}.get(kind, what)
    times = "" if grown is None else f"{grown * 2**20 / X.nbytes:.1f}"
    row = (f"{n_samples:,} x {n_features:,}", who, times, f"{grown:,.0f}", f"{processor:.0f}", f"{clock:.0f}")
    print(f"| {' | '.join(row)} |", flush=True)


def main() -> None:
    """Print the requested table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["fits", "methods", "reads", "fit", "method", "read"])
    parser.add_argument("rest", nargs="*")
    given = parser.parse_args()
    if given.kind in ("fit", "method", "read"):
        n_samples, n_features, what = given.rest
        measure(given.kind, int(n_samples), int(n_features), what)
        return
    print(f"Measured {date.today()}: python -m benchmarks.memory {given.kind} {' '.join(given.rest)}\n")
    print(
        "| data | what | times the data | MiB | processor s | clock s |",
        "| --- | --- | --: | --: | --: | --: |",
        sep="\n",
        flush=True,
    )
    with TemporaryDirectory() as folder:
        for case in cases(given.kind, given.rest, folder):
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.memory", *case], capture_output=True, text=True
            )
            print(
                done.stdout.strip()
                or f"| {case} | stopped: {(done.stderr.strip().splitlines() or ['killed'])[-1]} |",
                flush=True,
            )


def cases(kind: str, rest: list[str], folder: str) -> list[list[str]]:
    """Arguments of each measurement."""
    if kind == "fits":
        return [["fit", *map(str, case)] for case in FITS]
    if kind == "reads":
        write(folder, "small", simulated(300, 5))
        paths = write(folder, "large", simulated(int(rest[0]), int(rest[1])))
        return [["read", rest[0], rest[1], path] for path in paths]
    from xcompare.methods import METHODS

    names = (
        rest[2].split(",") if len(rest) > 2 else [m.name for m in METHODS.values() if "python" in m.engines]
    )
    return [["method", rest[0], rest[1], name] for name in names]


if __name__ == "__main__":
    main()
