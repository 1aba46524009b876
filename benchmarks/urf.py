"""URF: how many times faster the native forest is than randomForest, one thread each, same data and trees.

R's time is the one taken inside R, without the bridge. For comparison, growing scikit-learn's forest
(which follows other rules) on the same rows.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from xcompare import rbridge
from xcompare.datasets import load_dataset
from xcompare.methods import urf

N_TREES = 500
VARIANTS = [("gini", "oob"), ("permutation", "oob"), ("permutation", "paper")]


def blobs(n_samples: int = 2_000, n_features: int = 20, n_clusters: int = 5) -> np.ndarray:
    """Data in which 15 of the features tell the clusters apart."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_samples, n_features))
    X[:, :15] += 1.5 * random.normal(size=(n_clusters, 15))[random.integers(0, n_clusters, n_samples)]
    return X


def clocked(run: Callable[[], object]) -> float:
    """Seconds a call takes."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def sklearn_forest(X: np.ndarray, permuted: np.ndarray) -> None:
    """Grow scikit-learn's forest on the rows urf would use."""
    y = np.repeat([0, 1], len(X))
    RandomForestClassifier(N_TREES, max_features=2, random_state=0).fit(np.vstack([X, permuted]), y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small data only, fewer repeats")
    quick = parser.parse_args().quick
    reason = rbridge.why_unavailable(("randomForest",))
    if reason is not None:
        print(f"URF: not measured, {reason}")
        return
    datasets = {"wine": load_dataset("wine").X, "breast": load_dataset("breast").X}
    if not quick:
        datasets["2000 x 20"] = blobs()
    print(f"{'data':11}{'importance':20}{'python s':>10}{'R s':>8}{'ratio':>7}{'scikit-learn s':>16}")
    for name, X in datasets.items():
        permuted = np.random.default_rng(1).permuted(X, axis=0)
        for importance, protocol in VARIANTS:
            options = {
                "importance": importance,
                "protocol": protocol,
                "n_trees": N_TREES,
                "permuted": permuted,
            }
            python, r, sklearn = [], [], []
            for repeat in range(2 if quick else 4):  # in turns, so that a busy machine slows all
                python.append(clocked(lambda: urf(X, random_state=0, **options)))  # noqa: B023
                r.append(rbridge.call("xc_urf", {"x": X, **options}, seed=repeat).seconds)
                if importance == "gini":
                    sklearn.append(clocked(lambda: sklearn_forest(X, permuted)))  # noqa: B023
            # The first round starts R and warms caches.
            fast, slow = float(np.median(python[1:])), float(np.median(r[1:]))
            other = f"{np.median(sklearn[1:]):16.2f}" if sklearn else ""
            print(
                f"{name:11}{importance + ', ' + protocol:20}{fast:10.2f}{slow:8.2f}{slow / fast:7.2f}{other}"
            )
    rbridge.shutdown()


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
