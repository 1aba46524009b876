"""How many K-means starts a replica should have by default, and what the consensus should be made of.

For each case (known clusters, known features that make them) and number of starts: the area under the ROC
curve of the importances, the adjusted Rand index of the consensus with the clusters (by importance, and as
published the nearest replica), and the processor time of a fit, relative to the first number of starts.
Beside them the index of one K-means with 20 starts, which the consensus should not fall behind. Means over
draws.

    python benchmarks/default_starts.py --draws 8
    python benchmarks/default_starts.py --starts 10 --resampling bbc
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, roc_auc_score

from xcompare import BaggedClustering, load_dataset
from xcompare.core.standardization import standardize

STARTS = "1,3,10,20"
SHARES = (None, 0.5)
Draw = tuple[
    np.ndarray, np.ndarray, np.ndarray, int
]  # data, clusters, informative features, number of clusters


def one_alone(rng: np.random.Generator) -> Draw:
    """Two clusters 4 standard deviations apart in one feature; five of noise."""
    labels = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 6))
    X[:, 0] += 4 * labels
    return X, labels, np.arange(6) < 1, 2


def some_of_many(n_informative: int, n_features: int, gap: float) -> Callable[[np.random.Generator], Draw]:
    """Three clusters whose means differ in the first features; all others are noise."""

    def draw(rng: np.random.Generator) -> Draw:
        labels = np.arange(150) % 3
        X = rng.normal(size=(150, n_features))
        X[:, :n_informative] += gap * rng.normal(size=(3, n_informative))[labels]
        return X, labels, np.arange(n_features) < n_informative, 3

    return draw


def unequal(rng: np.random.Generator) -> Draw:
    """Four clusters of 20, 40, 80 and 160 rows, in four of ten features."""
    labels = np.repeat(np.arange(4), [20, 40, 80, 160])
    X = rng.normal(size=(300, 10))
    X[:, :4] += 2.5 * rng.normal(size=(4, 4))[labels]
    return X, labels, np.arange(10) < 4, 4


def everywhere(rng: np.random.Generator) -> Draw:
    """Two clusters 0.9 standard deviations apart in each of 20 features."""
    labels = np.arange(200) % 2
    return rng.normal(size=(200, 20)) + 0.9 * labels[:, None], labels, np.arange(20) < 20, 2


def bundled(name: str) -> Callable[[np.random.Generator], Draw]:
    """Real data; no feature is known to be noise."""

    def draw(_: np.random.Generator) -> Draw:
        data = load_dataset(name)
        return data.X, data.labels, np.ones(data.X.shape[1], dtype=bool), data.n_clusters

    return draw


def generated(name: str) -> Callable[[np.random.Generator], Draw]:
    """The paper's generators."""

    def draw(rng: np.random.Generator) -> Draw:
        data = load_dataset(name, seed=int(rng.integers(2**31)))
        return data.X, data.labels, np.asarray(data.relevant), data.n_clusters

    return draw


CASES: dict[str, Callable[[np.random.Generator], Draw]] = {
    "one feature alone and 5 noise": one_alone,
    "4 of 60": some_of_many(4, 60, 2.0),
    "5 of 50": some_of_many(5, 50, 2.0),
    "4 of 12": some_of_many(4, 12, 2.0),
    "unequal sizes 4 of 10": unequal,
    "illustrative": generated("illustrative"),
    "overlap": generated("overlap"),
    "proportion": generated("proportion"),
    "a little in each of 20": everywhere,
    "wine": bundled("wine"),
    "breast": bundled("breast"),
    "iris": bundled("iris"),
}


def measure(case: str, draw: int, resampling: str, starts: list[int]) -> list[dict]:
    """One row per number of starts and share of features drawn."""
    X, labels, informative, n_clusters = CASES[case](np.random.default_rng([draw, len(case)]))
    plain = KMeans(n_clusters, init="random", n_init=20, random_state=draw).fit(standardize(X))
    rows = []
    for share in SHARES:
        for n_init in starts:
            model = BaggedClustering(
                n_clusters, resampling=resampling, n_init=n_init, max_features=share, random_state=draw
            )
            started = time.process_time()
            model.fit(X)
            seconds = time.process_time() - started
            nearest = model.replica_labels_[model.consensus_index_]
            rows.append(
                {
                    "case": case,
                    "max_features": "p - 1" if share is None else f"{share} p",
                    "n_init": n_init,
                    "auc": np.nan
                    if informative.all()
                    else roc_auc_score(informative, model.feature_importances_),
                    "weighted": adjusted_rand_score(labels, model.labels_),
                    "replica": adjusted_rand_score(labels, nearest),
                    "kmeans": adjusted_rand_score(labels, plain.labels_),
                    "seconds": seconds,
                }
            )
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--resampling", default="efron", choices=["basic", "efron", "bbc"])
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--starts", default=STARTS, help=f"starts to try (default: {STARTS})")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    for case in chosen.cases.split(","):
        starts = [int(number) for number in chosen.starts.split(",")]
        rows = [row for draw in range(chosen.draws) for row in measure(case, draw, chosen.resampling, starts)]
        table = pd.DataFrame(rows).groupby(["case", "max_features", "n_init"], sort=False).mean()
        table["time"] = table["seconds"] / table.groupby("max_features")["seconds"].transform("first")
        print(table.drop(columns="seconds").round(2).to_string(), flush=True)


if __name__ == "__main__":
    main()
