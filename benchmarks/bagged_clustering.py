"""BaggedClustering against the K-means fits it contains: B bare scikit-learn fits of the same shape.

Both sides run in one thread of one process; processor time is measured, so that other work on the machine
counts little. One initialization per replicate and the consensus from the replicates, as published. "mid":
60% of the features carry K Gaussian centres of sd 1.2, the rest is noise; "none": noise alone.

    python -m benchmarks bagged_clustering
"""

import time
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from benchmarks import Row
from xcompare import BaggedClustering, load_dataset

TITLE = "BaggedClustering beside bare K-means"


class Shape(NamedTuple):
    """A dataset to simulate, and the goal for it."""

    n: int
    p: int
    n_clusters: int
    n_replicas: int
    kind: str
    goal: float
    quick: bool = False


SHAPES = [
    Shape(1_000, 20, 5, 100, "mid", 1.5, quick=True),
    Shape(10_000, 20, 5, 100, "mid", 1.5),
    Shape(100_000, 20, 5, 20, "mid", 2),
    Shape(100_000, 20, 5, 20, "none", 2.5),
    Shape(10_000, 20, 50, 20, "mid", 2.5),
    Shape(683, 50, 4, 100, "mid", 2.5, quick=True),
    Shape(300, 300, 3, 100, "mid", 4, quick=True),
    Shape(10_000, 200, 5, 20, "mid", 2.5),
    Shape(1_000, 1_000, 5, 50, "mid", 4),
    Shape(200, 5_000, 3, 50, "mid", 5),
]


def simulated(shape: Shape) -> np.ndarray:
    """Standardised data of a shape."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(shape.n, shape.p))
    if shape.kind == "mid":
        signal = int(0.6 * shape.p)
        centers = 1.2 * rng.normal(size=(shape.n_clusters, signal))
        X[:, :signal] += centers[rng.integers(shape.n_clusters, size=shape.n)]
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def seconds_of_fit(X, n_clusters, n_replicas) -> float:
    """Processor seconds of one bag."""
    model = BaggedClustering(n_clusters, n_replicas=n_replicas, n_init=1, consensus="replica", random_state=0)
    start = time.process_time()
    model.fit(X)
    return time.process_time() - start


def seconds_of_bare_fits(X, n_clusters, n_replicas) -> float:
    """Processor seconds of the peer: one scikit-learn fit per replica, on as many features."""
    rng = np.random.default_rng(0)
    seconds = 0.0
    for seed in range(n_replicas):
        rows = rng.integers(len(X), size=len(X))
        columns = np.sort(rng.permutation(X.shape[1])[:-1])
        replica = np.ascontiguousarray(X[rows][:, columns])
        start = time.process_time()
        KMeans(n_clusters, init="random", n_init=1, max_iter=50, random_state=seed).fit(replica)
        seconds += time.process_time() - start
    return seconds


def beside(case, X, n_clusters, n_replicas, goal, rounds) -> Row:
    """The best of several rounds on each side, in turns."""
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(seconds_of_bare_fits(X, n_clusters, n_replicas))
        ours.append(seconds_of_fit(X, n_clusters, n_replicas))
    peer = f"{n_replicas} fits of KMeans"
    return Row(case, peer, min(ours), min(theirs), goal, n=X.shape[0], p=X.shape[1])


def shapes_beside(shapes: list[Shape]) -> list[Row]:
    """Bags of simulated data beside bare fits."""
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for shape in shapes:
            case = f"{shape.n:,} x {shape.p:,}, K={shape.n_clusters}, {shape.kind}"
            rounds = 3 if shape.n * shape.p <= 2_000_000 else 1
            X = simulated(shape)
            rows.append(beside(case, X, shape.n_clusters, shape.n_replicas, shape.goal, rounds))
            print(f"  {rows[-1].ratio:.2f}  {case}", flush=True)
    return rows


def run(quick: bool) -> list[Row]:
    """All shapes, or the cheap ones."""
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for name in ("wine", "breast"):
            data = load_dataset(name)
            X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0, ddof=1)
            n, p = X.shape
            rows.append(beside(f"{name}, {n} x {p}", X, data.n_clusters, 100, 1.3, rounds=5))
    return rows + shapes_beside([shape for shape in SHAPES if shape.quick or not quick])
