"""FGKM and TWKM: how many times faster the native engine is than the R engine, same data, same start."""

import argparse
import time

import numpy as np

from xcompare import rbridge
from xcompare.methods import fgkm, twkm
from xcompare.standardize import standardize

N_FEATURES, N_CLUSTERS = 20, 5


def blobs(n_samples: int) -> np.ndarray:
    """Standardised data; 8 of the features tell the clusters apart."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_samples, N_FEATURES))
    X[:, :8] += 2 * random.normal(size=(N_CLUSTERS, 8))[random.integers(0, N_CLUSTERS, n_samples)]
    return standardize(X)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the smaller data only, fewer repeats")
    quick = parser.parse_args().quick
    reason = rbridge.why_unavailable()
    if reason is not None:
        print(f"weighted k-means: not measured, {reason}")
        return
    print(f"{'method':8}{'n':>8}{'iterations':>12}{'python ms':>11}{'R ms':>9}{'ratio':>8}  R engine")
    for n_samples in (2_000,) if quick else (2_000, 20_000):
        X = blobs(n_samples)
        options = {"eta": n_samples / 10, "init": X[:N_CLUSTERS]}  # an eta that leaves more than one feature
        for method in (fgkm, twkm):
            times: dict[str, list[float]] = {"python": [], "r": []}
            for repeat in range(4 if quick else 8):  # in turns, so that a busy machine slows both
                for engine, seconds in times.items():
                    began = time.perf_counter()
                    result = method(X, N_CLUSTERS, engine=engine, **options)
                    if repeat:  # the first starts R and warms caches
                        seconds.append(time.perf_counter() - began)
            python, r = (1e3 * float(np.median(seconds)) for seconds in times.values())
            print(
                f"{method.__name__:8}{n_samples:8}{result.details['n_iter']:12}"
                f"{python:11.1f}{r:9.1f}{r / python:8.1f}  {result.software}"
            )
    rbridge.shutdown()


if __name__ == "__main__":
    main()
