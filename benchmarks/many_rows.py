"""BaggedClustering on a million rows against bare K-means, and two workers against one.

python -m benchmarks many_rows
"""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from benchmarks import Row
from benchmarks.bagged_clustering import Shape, shapes_beside, simulated
from xcompare import BaggedClustering

TITLE = "BaggedClustering on many rows"
SHAPES = [Shape(1_000_000, 20, 5, 20, "mid", 4), Shape(1_000_000, 20, 5, 5, "none", 6)]


class Work(NamedTuple):
    """Settings of a fit, and how often it is timed; short fits vary more."""

    options: dict
    rounds: int


SETTINGS = {
    "20 replicates, n_init=1": Work({"n_replicas": 20, "n_init": 1, "consensus": "medoid"}, 6),
    "100 replicates, n_init=1": Work({"n_replicas": 100, "n_init": 1, "consensus": "medoid"}, 4),
    "all defaults": Work({}, 3),
}


def two_workers(n: int, name: str) -> list[Row]:
    """Speed-up of two workers, in wall time and in processor time.

    The upper limit is that of two independent processes, which is also measured. All are timed alternately,
    and the best round of each counts, to reduce the effect of other load.
    """
    X, work = simulated(Shape(n, 20, 5, 20, "mid", 1.9)), SETTINGS[name]
    one, two = (BaggedClustering(5, **work.options, n_jobs=n_jobs, random_state=0) for n_jobs in (1, 2))
    timed = []
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        for model in (one, two):
            warm_up(model, X)
        list(processes.map(warm_up, [one] * 2, [X] * 2))
        for _ in range(work.rounds):
            apart = np.mean([clock for clock, _ in processes.map(seconds_to_fit, [one] * 2, [X] * 2)])
            timed.append((*seconds_to_fit(one, X), *seconds_to_fit(two, X), apart))
    alone, alone_processor, shared, parent, apart = np.min(timed, axis=0)
    case = f"two workers, {n:,} x 20, {name}"
    halves = parent + (alone_processor - parent) / 2  # work outside the parent is halved
    return [
        Row(case, "one worker", shared, alone, 1.9, times_faster=True, note="by the clock"),
        Row(case, "one worker", halves, alone_processor, 1.9, times_faster=True,
            note=f"by processor time; {parent:.2f} s of it in the parent"),
        Row(case, "one worker", apart / 2, alone, times_faster=True,
            note="two fits at once in unconnected processes, by the clock"),
    ]  # fmt: skip


def warm_up(model: BaggedClustering, X: np.ndarray) -> None:
    """Start the workers and compile their loops."""
    for _ in range(2):
        clone(model).set_params(n_replicas=20).fit(X)


def seconds_to_fit(model: BaggedClustering, X: np.ndarray) -> tuple[float, float]:
    """Wall time and processor time, of this process, of a fit."""
    clock, processor = time.perf_counter(), time.process_time()
    model.fit(X)
    return time.perf_counter() - clock, time.process_time() - processor


def run(quick: bool) -> list[Row]:
    """All rows; none if quick, as they take minutes."""
    if quick:
        return []
    return [row for name in SETTINGS for row in two_workers(100_000, name)] + shapes_beside(SHAPES)
