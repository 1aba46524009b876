"""Choice of the defaults ``n_init`` and ``consensus`` of BaggedClustering.

For each case (known clusters, known informative features) and number of initializations: the AUC of the
importances; their largest difference from those with ten initializations, compared with another seed; the
adjusted Rand index of the weighted consensus, the medoid partition (as published) and one K-means with 20
initializations; and the processor time. Means over draws, and over all cases.

    python -m benchmarks.default_starts --draws 2
    python -m benchmarks.default_starts --max-features 0.5
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

N_INIT = (1, 2, 3, 5, 10)
Draw = tuple[
    np.ndarray, np.ndarray, np.ndarray, int
]  # data, clusters, informative features, number of clusters


def one_alone(rng: np.random.Generator) -> Draw:
    """Two clusters 4 standard deviations apart in one feature; five noise features."""
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


def several(
    n_clusters: int, n: int, n_informative: int, n_features: int, gap: float, unequal_sizes: bool = False
) -> Callable[[np.random.Generator], Draw]:
    """More clusters, of equal or random sizes, whose means differ in the first features."""

    def draw(rng: np.random.Generator) -> Draw:
        sizes = (
            rng.dirichlet(np.full(n_clusters, 2.0)) if unequal_sizes else np.full(n_clusters, 1 / n_clusters)
        )
        labels = rng.choice(n_clusters, n, p=sizes)
        X = rng.normal(size=(n, n_features))
        X[:, :n_informative] += gap * rng.normal(size=(n_clusters, n_informative))[labels]
        return X, labels, np.arange(n_features) < n_informative, n_clusters

    return draw


def everywhere(rng: np.random.Generator) -> Draw:
    """Two clusters 0.9 standard deviations apart in each of 20 features."""
    labels = np.arange(200) % 2
    return rng.normal(size=(200, 20)) + 0.9 * labels[:, None], labels, np.arange(20) < 20, 2


def dataset(name: str) -> Callable[[np.random.Generator], Draw]:
    """The paper's generators, and bundled real data, of which no feature is known to be noise."""

    def draw(rng: np.random.Generator) -> Draw:
        data = load_dataset(name, seed=int(rng.integers(2**31)))
        informative = np.ones(data.X.shape[1], dtype=bool) if data.relevant is None else data.relevant
        return data.X, data.labels, informative, data.n_clusters

    return draw


CASES: dict[str, Callable[[np.random.Generator], Draw]] = {
    "one feature alone and 5 noise": one_alone,
    "4 of 60": some_of_many(4, 60, 2.0),
    "5 of 50": some_of_many(5, 50, 2.0),
    "4 of 12": some_of_many(4, 12, 2.0),
    "unequal sizes 4 of 10": unequal,
    "illustrative": dataset("illustrative"),
    "overlap": dataset("overlap"),
    "proportion": dataset("proportion"),
    "a little in each of 20": everywhere,
    "wine": dataset("wine"),
    "breast": dataset("breast"),
    "iris": dataset("iris"),
    "K=8, 6 of 16": several(8, 400, 6, 16, 2.0),
    "K=8, unequal sizes": several(8, 400, 6, 16, 2.0, unequal_sizes=True),
    "K=5, 12 of 20": several(5, 1000, 12, 20, 1.2),
    "K=20, 8 of 12": several(20, 800, 8, 12, 2.5),
    "K=12, unequal sizes": several(12, 600, 5, 8, 3.0, unequal_sizes=True),
    "K=4, 3 of 30": several(4, 200, 3, 30, 2.5),
}


def measure(case: str, draw: int, max_features: float | None) -> list[dict]:
    """One row per number of initializations, and one with another seed."""
    X, labels, informative, n_clusters = CASES[case](np.random.default_rng([draw, len(case)]))
    plain = KMeans(n_clusters, init="random", n_init=20, random_state=draw).fit(standardize(X))
    fits = {str(n): (n, draw) for n in N_INIT} | {"10, another seed": (10, draw + 1000)}
    models, seconds = {}, {}
    for name, (n_init, seed) in fits.items():
        model = BaggedClustering(n_clusters, n_init=n_init, max_features=max_features, random_state=seed)
        started = time.process_time()
        models[name] = model.fit(X)
        seconds[name] = time.process_time() - started
    most = models["10"].feature_importances_
    return [
        {
            "case": case,
            "n_init": name,
            "auc": np.nan if informative.all() else roc_auc_score(informative, model.feature_importances_),
            "difference": np.abs(model.feature_importances_ - most).max(),
            "weighted": adjusted_rand_score(labels, model.labels_),
            "replica": adjusted_rand_score(labels, model.replica_labels_[model.consensus_index_]),
            "kmeans": adjusted_rand_score(labels, plain.labels_),
            "seconds": seconds[name],
        }
        for name, model in models.items()
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--max-features", type=float, default=None)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    draws = [(case, draw) for case in CASES for draw in range(chosen.draws)]
    rows = pd.DataFrame([row for one in draws for row in measure(*one, chosen.max_features)])
    print(rows.groupby(["case", "n_init"], sort=False).mean().round(3).to_string())
    print(rows.drop(columns="case").groupby("n_init", sort=False).mean().round(3).to_string())


if __name__ == "__main__":
    main()
