"""Laplacian Score and CUBT: how many times faster the native engine is than the R engine, same data."""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from xcompare import rbridge
from xcompare.methods import cubt, laplacian_score
from xcompare.standardize import standardize

N_FEATURES, N_CLUSTERS = 20, 4


def blobs(n_samples: int) -> np.ndarray:
    """Standardised data; 8 of the features tell the clusters apart."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_samples, N_FEATURES))
    X[:, :8] += 2 * random.normal(size=(N_CLUSTERS, 8))[random.integers(0, N_CLUSTERS, n_samples)]
    return standardize(X)


def in_turns(run: Callable, engines: tuple[str, ...], repeats: int) -> list[float]:
    """Median milliseconds of each engine, run in turns so that a busy machine slows all of them."""
    times: dict[str, list[float]] = {engine: [] for engine in engines}
    for repeat in range(repeats + 1):
        for engine, seconds in times.items():
            began = time.perf_counter()
            run(engine=engine)
            if repeat:  # the first starts R and warms caches
                seconds.append(time.perf_counter() - began)
    return [1e3 * float(np.median(seconds)) for seconds in times.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repeats, no large data")
    quick = parser.parse_args().quick
    repeats = 5 if quick else 11
    X = blobs(2_000)
    runs = {
        "laplacian_score": partial(laplacian_score, X),
        "laplacian_score, 5 nearest": partial(laplacian_score, X, graph=("knn", 5)),
        "laplacian_score, nearest 10%": partial(laplacian_score, X, graph=("proportion", 0.1)),
        "laplacian_score, radius 5": partial(laplacian_score, X, graph=("radius", 5.0)),
        "cubt": partial(cubt, X, n_clusters=N_CLUSTERS),
    }
    reason = rbridge.why_unavailable()
    print(f"{'n = 2,000, p = 20':30}{'python ms':>11}{'R ms':>9}{'ratio':>8}")
    for name, run in runs.items():
        if reason is None:
            python, r = in_turns(run, ("python", "r"), repeats)
            print(f"{name:30}{python:11.1f}{r:9.1f}{r / python:8.1f}")
        else:
            print(f"{name:30}{in_turns(run, ('python',), repeats)[0]:11.1f}{'-':>9}{'-':>8}")
    if reason is not None:
        print(f"R was not measured: {reason}")
    if not quick:
        X = blobs(20_000)
        large = {
            "laplacian_score": partial(laplacian_score, X),
            "laplacian_score, 5 nearest": partial(laplacian_score, X, graph=("knn", 5)),
            "cubt": partial(cubt, X, n_clusters=N_CLUSTERS),
        }
        print("n = 20,000, p = 20 (R would need n x n matrices)")
        for name, run in large.items():
            print(f"{name:30}{in_turns(run, ('python',), 1)[0]:11.1f}")
    rbridge.shutdown()


if __name__ == "__main__":
    main()
