"""BaggedClustering against as many bare scikit-learn K-means fits of the same shape.

With all defaults, and with the published settings: one initialization per replicate, medoid consensus. Both
sides run alternately in one thread of one process; processor time is measured, so that other load matters
little. "mid": cluster means have standard deviation 1.2 in 60% of the features, the rest is noise; "none":
noise only.

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
    """A dataset to simulate, and its goal."""

    n: int
    p: int
    n_clusters: int
    n_replicas: int
    kind: str
    goal: float
    quick: bool = False


SHAPES = [
    Shape(1_000, 20, 5, 100, "mid", 4, quick=True),
    Shape(10_000, 20, 5, 100, "mid", 4),
    Shape(683, 50, 4, 100, "mid", 4, quick=True),
    Shape(10_000, 20, 50, 20, "mid", 4),
    Shape(100_000, 20, 5, 20, "mid", 4),
    Shape(1_000, 1_000, 5, 50, "mid", 6),
    Shape(200, 5_000, 3, 50, "mid", 6),
]
PUBLISHED = {"n_init": 1, "consensus": "medoid", "redundancy": "ignore", "information": "kde"}


def simulated(shape: Shape) -> np.ndarray:
    """Standardised data of a shape."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(shape.n, shape.p))
    if shape.kind == "mid":
        signal = int(0.6 * shape.p)
        centers = 1.2 * rng.normal(size=(shape.n_clusters, signal))
        X[:, :signal] += centers[rng.integers(shape.n_clusters, size=shape.n)]
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def seconds_of_fit(X, n_clusters, n_replicas, settings) -> float:
    """Processor seconds of one fit."""
    model = BaggedClustering(n_clusters, n_replicas=n_replicas, random_state=0, **settings)
    start = time.process_time()
    model.fit(X)
    return time.process_time() - start


def seconds_of_bare_fits(X, n_clusters, n_replicas) -> float:
    """Processor seconds of the peer: one scikit-learn fit per replicate, on as many features."""
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


def beside(case, X, n_clusters, n_replicas, goal, rounds) -> list[Row]:
    """The best of several rounds of each, in turns: at all defaults (the goal is theirs) and as published."""
    timed = []
    for _ in range(rounds):
        fits = [seconds_of_fit(X, n_clusters, n_replicas, settings) for settings in ({}, PUBLISHED)]
        timed.append([*fits, seconds_of_bare_fits(X, n_clusters, n_replicas)])
    defaults, published, bare = np.min(timed, axis=0).tolist()
    peer, shape = f"{n_replicas} fits of KMeans", {"n": X.shape[0], "p": X.shape[1]}
    rows = [
        Row(case, peer, defaults, bare, goal, note="defaults", **shape),
        Row(case, peer, published, bare, note="published"),
    ]
    print(f"  {rows[0].ratio:.2f} {rows[1].ratio:.2f}  {case}", flush=True)
    return rows


def shapes_beside(shapes: list[Shape]) -> list[Row]:
    """Fits to simulated data against bare fits."""
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for shape in shapes:
            case = f"{shape.n:,} x {shape.p:,}, K={shape.n_clusters}, {shape.kind}"
            rounds = 3 if shape.n * shape.p <= 100_000 else 1
            rows += beside(case, simulated(shape), *shape[2:4], shape.goal, rounds)
    return rows


def run(quick: bool) -> list[Row]:
    """All shapes, or the quick ones."""
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for name in ("wine", "breast"):
            data = load_dataset(name)
            X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0, ddof=1)
            n, p = X.shape
            rows += beside(f"{name}, {n} x {p}", X, data.n_clusters, 100, 4, rounds=3)
    return rows + shapes_beside([shape for shape in SHAPES if shape.quick or not quick])
