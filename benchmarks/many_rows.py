"""BaggedClustering on a million rows beside bare K-means, and two workers beside one.

python -m benchmarks many_rows
"""

import time

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
    """How much sooner two workers are done, by the clock and by what the parent has to do alone."""
    X = simulated(Shape(n, 20, 5, 20, "mid", 1.9))
    seconds, parent = {}, {}
    for n_jobs in (1, 2):
        model = BaggedClustering(5, **BAGS[bag], n_jobs=n_jobs, random_state=0)
        for _ in range(2):
            clone(model).set_params(n_replicas=20).fit(X)  # starts the workers, and loads their loops
        clock, processor = time.perf_counter(), time.process_time()
        model.fit(X)
        seconds[n_jobs], parent[n_jobs] = time.perf_counter() - clock, time.process_time() - processor
    case = f"two workers, {n:,} x 20, {bag}"
    shared = parent[2] + (parent[1] - parent[2]) / 2  # what workers took from the parent, in halves
    return [
        Row(case, "one worker", seconds[2], seconds[1], 1.9, times_faster=True, note="by the clock"),
        Row(case, "one worker", shared, parent[1], 1.9, times_faster=True,
            note=f"by processor time; {parent[2]:.2f} s of it in the parent"),
    ]  # fmt: skip


def run(quick: bool) -> list[Row]:
    """Minutes, so nothing where quick."""
    if quick:
        return []
    return [row for bag in BAGS for row in two_workers(100_000, bag)] + shapes_beside(SHAPES)
