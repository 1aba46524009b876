"""BaggedClustering on a million rows beside bare K-means, and two workers beside one.

python -m benchmarks many_rows
"""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from sklearn.base import clone

from benchmarks import Row
from benchmarks.bagged_clustering import Shape, shapes_beside, simulated
from xcompare import BaggedClustering

TITLE = "BaggedClustering on many rows"
SHAPES = [Shape(1_000_000, 20, 5, 20, "mid", 2), Shape(1_000_000, 20, 5, 5, "none", 6)]


BAGS = {
    "20 replicas of one start": {"n_replicas": 20, "n_init": 1, "consensus": "replica"},
    "100 replicas of one start": {"n_replicas": 100, "n_init": 1, "consensus": "replica"},
    "as it comes": {},
}


def two_workers(n: int, bag: str) -> list[Row]:
    """How much sooner two workers are done, by the clock and by what the parent has to do alone.

    And how much two processes get done that share nothing but the machine: no two workers do more.
    """
    X = simulated(Shape(n, 20, 5, 20, "mid", 1.9))
    seconds, parent = {}, {}
    for n_jobs in (1, 2):
        model = BaggedClustering(5, **BAGS[bag], n_jobs=n_jobs, random_state=0)
        warm_up(model, X)
        processor = time.process_time()
        seconds[n_jobs] = seconds_to_fit(model, X)
        parent[n_jobs] = time.process_time() - processor
    alone = model.set_params(n_jobs=1)
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        list(processes.map(warm_up, [alone] * 2, [X] * 2))
        both = np.mean(list(processes.map(seconds_to_fit, [alone] * 2, [X] * 2)))
    case = f"two workers, {n:,} x 20, {bag}"
    shared = parent[2] + (parent[1] - parent[2]) / 2  # what workers took from the parent, in halves
    return [
        Row(case, "one worker", seconds[2], seconds[1], 1.9, times_faster=True, note="by the clock"),
        Row(case, "one worker", shared, parent[1], 1.9, times_faster=True,
            note=f"by processor time; {parent[2]:.2f} s of it in the parent"),
        Row(case, "one worker", both / 2, seconds[1], times_faster=True,
            note="two fits at once in unconnected processes, by the clock"),
    ]  # fmt: skip


def warm_up(model: BaggedClustering, X: np.ndarray) -> None:
    """Start the workers, and load their loops."""
    for _ in range(2):
        clone(model).set_params(n_replicas=20).fit(X)


def seconds_to_fit(model: BaggedClustering, X: np.ndarray) -> float:
    """How long a fit takes, by the clock."""
    clock = time.perf_counter()
    model.fit(X)
    return time.perf_counter() - clock


def run(quick: bool) -> list[Row]:
    """Minutes, so nothing where quick."""
    if quick:
        return []
    return [row for bag in BAGS for row in two_workers(100_000, bag)] + shapes_beside(SHAPES)
