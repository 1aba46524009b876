"""BaggedClustering against the K-means fits it contains: B bare scikit-learn fits of the same shape.

Both sides run in one thread; processor time is measured, the best of several rounds, so that other work on
the machine does not count. Prints the ratio for each dataset, how time grows with n, peak memory, and how
much sooner two workers are done.

    python benchmarks/bagged_clustering.py [--quick]
"""

import argparse
import resource
import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from xcompare import BaggedClustering, load_dataset

N_FEATURES, N_CLUSTERS = 20, 5


def measured(name):
    """Measured data, standardised."""
    data = load_dataset(name)
    return (data.X - data.X.mean(axis=0)) / data.X.std(axis=0, ddof=1), data.n_clusters


def simulated(kind, n):
    """Clusters as in the paper (overlap, with noise features), well separated ones, or none at all."""
    rng = np.random.default_rng(0)
    if kind == "blobs":
        X = make_blobs(n, N_FEATURES, centers=N_CLUSTERS, random_state=0)[0]
    elif kind == "paper":
        center = np.repeat(np.arange(N_CLUSTERS), n // N_CLUSTERS)[:, None]
        signal = [center + sd * rng.normal(size=(n, 5)) for sd in (0.2, 0.35, 0.5)]
        X = np.hstack([*signal, rng.uniform(-1, N_CLUSTERS, size=(n, 5))])
    else:
        X = rng.normal(size=(n, N_FEATURES))
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1), N_CLUSTERS


def bare_kmeans(X, n_clusters, n_init, n_replicas):
    """The peer: one scikit-learn fit per replica, on as many features."""
    rng = np.random.default_rng(0)
    for seed in range(n_replicas):
        rows = rng.integers(len(X), size=len(X))
        columns = rng.permutation(X.shape[1])[:-1]
        replica = X[np.ix_(rows, columns)]
        start = time.process_time()
        KMeans(n_clusters, init="random", n_init=n_init, max_iter=50, random_state=seed).fit(replica)
        yield time.process_time() - start


def seconds_of_fit(X, n_clusters, resampling, n_replicas):
    """Processor seconds of one fit."""
    model = BaggedClustering(
        n_clusters, resampling=resampling, n_replicas=n_replicas, standardize=False, random_state=0
    )
    start = time.process_time()
    model.fit(X)
    return time.process_time() - start


def compare(title, X, n_clusters, resampling, n_replicas, rounds):
    """Print the ratio for one dataset and scheme; return the seconds of our fit."""
    n_init = 20 if resampling == "bbc" else 1
    ours = min(seconds_of_fit(X, n_clusters, resampling, n_replicas) for _ in range(rounds))
    theirs = min(sum(bare_kmeans(X, n_clusters, n_init, n_replicas)) for _ in range(rounds))
    print(
        f"{title:<16} {resampling:<6} B={n_replicas:<4} xcompare {ours:8.3f} s   scikit-learn {theirs:8.3f} s"
        f"   ratio {ours / theirs:5.2f}",
        flush=True,
    )
    return ours


def speed_up_of_two_workers(n_replicas):
    """Print how much sooner two workers finish a large fit; wall-clock time, workers already started."""
    X, n_clusters = simulated("paper", 20_000)
    seconds = {}
    for n_jobs in (1, 2):
        model = BaggedClustering(n_clusters, n_replicas=n_replicas, n_jobs=n_jobs, random_state=0)
        model.fit(X[:1000])
        start = time.perf_counter()
        model.fit(X)
        seconds[n_jobs] = time.perf_counter() - start
    print(
        f"two workers, n=20000: {seconds[1]:.2f} s with one, {seconds[2]:.2f} s with two, "
        f"{seconds[1] / seconds[2]:.2f} times as fast"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer replicas of the large datasets")
    quick = parser.parse_args().quick
    with threadpool_limits(1):
        for name in ("wine", "breast"):
            for resampling in ("basic", "efron", "bbc"):
                compare(name, *measured(name), resampling, 100, rounds=3)
        for kind in ("blobs", "paper", "no clusters"):
            times = {}
            for n in (1_000, 10_000, 100_000):
                n_replicas = 10 if quick and n > 1_000 else 100
                seconds = compare(f"{kind} {n}", *simulated(kind, n), "efron", n_replicas, rounds=1)
                times[n] = seconds / n_replicas
            growth = np.log(times[100_000] / times[1_000]) / np.log(100)
            print(f"{kind}: time grows as n^{growth:.2f} from 1,000 to 100,000")
        speed_up_of_two_workers(10 if quick else 100)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory of this run {peak:.2f} GiB")


if __name__ == "__main__":
    main()
