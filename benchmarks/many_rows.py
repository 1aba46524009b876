"""BaggedClustering on a million rows beside bare K-means, and two workers beside one.

python -m benchmarks many_rows
"""

import time

from benchmarks import Row
from benchmarks.bagged_clustering import Shape, shapes_beside, simulated
from xcompare import BaggedClustering

TITLE = "BaggedClustering on many rows"
SHAPES = [Shape(1_000_000, 20, 5, 20, "mid", 2), Shape(1_000_000, 20, 5, 5, "none", 6)]


def two_workers(n: int, n_replicas: int) -> list[Row]:
    """How much sooner two workers are done, by the clock and by what the parent has to do alone."""
    X = simulated(Shape(n, 20, 5, n_replicas, "mid", 1.9))
    seconds, parent = {}, {}
    for n_jobs in (1, 2):
        model = BaggedClustering(
            5, n_replicas=n_replicas, n_init=1, consensus="replica", n_jobs=n_jobs, random_state=0
        )
        for _ in range(2):
            model.fit(X)  # starts the workers, and loads their loops
        clock, processor = time.perf_counter(), time.process_time()
        model.fit(X)
        seconds[n_jobs], parent[n_jobs] = time.perf_counter() - clock, time.process_time() - processor
    case = f"two workers, {n:,} x 20"
    shared = parent[2] + (parent[1] - parent[2]) / 2  # what workers took from the parent, in halves
    return [
        Row(case, "one worker", seconds[2], seconds[1], 1.9, times_faster=True, note="by the clock"),
        Row(case, "one worker", shared, parent[1], 1.9, times_faster=True,
            note=f"by processor time; {parent[2]:.2f} s of it in the parent"),
    ]  # fmt: skip


def run(quick: bool) -> list[Row]:
    """Minutes, so nothing where quick."""
    return [] if quick else [*two_workers(100_000, 20), *shapes_beside(SHAPES)]
