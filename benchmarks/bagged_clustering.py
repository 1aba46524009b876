"""BaggedClustering against as many bare scikit-learn K-means fits of the same shape, for docs/scaling.md.

    python -m benchmarks.bagged_clustering           # rewrites the table; some minutes
    python -m benchmarks.bagged_clustering --check   # quick subset; fails if a ratio is over twice its goal

With all defaults (the goal is theirs), and with the published settings: one initialization per replicate,
medoid consensus. Both sides run alternately in one thread of one process; processor time is measured, so that
other load matters little. "mid": cluster means have standard deviation 1.2 in 60% of the features; the rest
is noise.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from xcompare import BaggedClustering, load_dataset
from xcompare.core.standardization import standardize

PAGE = Path(__file__).parents[1] / "docs" / "scaling.md"
BEGIN, END = "<!-- speed: make bench -->", "<!-- end of speed -->"
PUBLISHED = {"n_init": 1, "consensus": "medoid", "redundancy": "ignore", "information": "kde"}


class Case(NamedTuple):
    """A dataset, bundled or simulated, and the goal of its ratio."""

    n: int
    p: int
    n_clusters: int
    n_replicas: int = 100
    goal: float = 4
    bundled: str = ""
    quick: bool = False

    @property
    def name(self) -> str:
        size = f"{self.n:,} x {self.p:,}"
        return f"{self.bundled}, {size}" if self.bundled else f"{size}, K={self.n_clusters}, mid"

    def data(self) -> np.ndarray:
        """Standardised data."""
        if self.bundled:
            return standardize(load_dataset(self.bundled).X)
        rng = np.random.default_rng(0)
        X = rng.normal(size=(self.n, self.p))
        signal = int(0.6 * self.p)
        centers = 1.2 * rng.normal(size=(self.n_clusters, signal))
        X[:, :signal] += centers[rng.integers(self.n_clusters, size=self.n)]
        return standardize(X)


class Timing(NamedTuple):
    """Processor seconds of a fit with each setting, and of bare fits."""

    case: str
    defaults: float
    published: float
    bare: float
    goal: float

    @property
    def slipped(self) -> bool:
        """Whether the ratio of the defaults is worse than its goal by more than a factor of two."""
        return self.defaults / self.bare > 2 * self.goal


CASES = [
    Case(178, 13, 3, bundled="wine", quick=True),
    Case(683, 9, 2, bundled="breast", quick=True),
    Case(1_000, 20, 5, quick=True),
    Case(10_000, 20, 5),
    Case(683, 50, 4, quick=True),
    Case(10_000, 20, 50, 20),
    Case(100_000, 20, 5, 20),
    Case(1_000, 1_000, 5, 50, goal=6),
    Case(200, 5_000, 3, 50, goal=6),
]


def seconds_of_fit(X: np.ndarray, case: Case, settings: dict) -> float:
    """Processor seconds of one fit."""
    model = BaggedClustering(case.n_clusters, n_replicas=case.n_replicas, random_state=0, **settings)
    start = time.process_time()
    model.fit(X)
    return time.process_time() - start


def seconds_of_bare_fits(X: np.ndarray, case: Case) -> float:
    """Processor seconds of the peer: one scikit-learn fit per replicate, on as many features."""
    rng = np.random.default_rng(0)
    seconds = 0.0
    for seed in range(case.n_replicas):
        rows = rng.integers(len(X), size=len(X))
        columns = np.sort(rng.permutation(X.shape[1])[:-1])
        replica = np.ascontiguousarray(X[rows][:, columns])
        start = time.process_time()
        KMeans(case.n_clusters, init="random", n_init=1, max_iter=50, random_state=seed).fit(replica)
        seconds += time.process_time() - start
    return seconds


def measure(case: Case) -> Timing:
    """The best of several rounds of each, in turns."""
    X, timed = case.data(), []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for _ in range(3 if X.size <= 100_000 else 1):
            fits = [seconds_of_fit(X, case, settings) for settings in ({}, PUBLISHED)]
            timed.append([*fits, seconds_of_bare_fits(X, case)])
    return Timing(case.name, *np.min(timed, axis=0).tolist(), case.goal)


def with_table(text: str, timings: Sequence[Timing]) -> str:
    """docs/scaling.md with these results."""
    before, _, rest = text.partition(BEGIN)
    lines = ["| data | all defaults | published setting | bare K-means |", "| ---" * 4 + " |"]
    for case, defaults, published, bare, _ in timings:
        ratios = " | ".join(f"{ours / bare:.1f} ({ours:.2f} s)" for ours in (defaults, published))
        lines.append(f"| {case} | {ratios} | {bare:.2f} s |")
    return "\n".join([before + BEGIN, *lines, END + rest.partition(END)[2]])


def main() -> int:
    """Measure, and rewrite the table or check the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="quick subset; fail if over twice a goal")
    check = parser.parse_args().check
    timings = []
    for case in CASES:
        if case.quick or not check:
            timings.append(measure(case))
            print(
                f"{timings[-1].defaults / timings[-1].bare:.2f} (goal {case.goal:g}): {case.name}", flush=True
            )
    if not check:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), timings), encoding="utf-8")
        return 0
    slipped = [timing.case for timing in timings if timing.slipped]
    print("worse than twice the goal: " + ("; ".join(slipped) or "none"))
    return int(bool(slipped))


if __name__ == "__main__":
    sys.exit(main())
