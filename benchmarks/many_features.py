"""Where `refined` trails: many features, all a little relevant, in correlated modules.

    python -m benchmarks.many_features --draws 3

Development designs, not those of `xcompare bench --tiers 3`. AUC of the importances: `refined` as it is (mean
of all rounds but the first), the mean of all its rounds, the same with replicates of all features among those
that draw uniformly, and `efron`. Tables go to stdout as Markdown.
"""

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.metrics import roc_auc_score

from xcompare import BaggedClustering, RefinedClustering
from xcompare.refined import estimator

Drawn = tuple[np.ndarray, np.ndarray, int]  # data, relevant features, number of clusters


def modules(rng: np.random.Generator, strong: float = 1.5) -> Drawn:
    """12 modules of 15 correlated features, each raised in some of 6 clusters; the rest is noise.

    Noise: 8 modules of the same kind, and 200 independent features.
    """
    n, k, size = 400, 6, 15
    labels = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 4)))
    blocks, relevant = [], []
    for number in range(20):
        raised = rng.random(k) < 0.35 if number < 12 else np.zeros(k, dtype=bool)
        common, own = rng.normal(size=(n, 1)), rng.normal(size=(n, size))
        mean = strong * raised[labels][:, None] * rng.uniform(0.2, 1, size=size)
        blocks.append(mean + np.sqrt(0.5) * (common + own))
        relevant += [raised.any() and not raised.all()] * size
    return np.hstack([*blocks, rng.normal(size=(n, 200))]), np.array(relevant + [False] * 200), k


def modules_close(rng: np.random.Generator) -> Drawn:
    """The same, with smaller differences."""
    return modules(rng, strong=1.0)


def weak(rng: np.random.Generator) -> Drawn:
    """150 of 400 independent features differ a little between 5 clusters."""
    labels = rng.permutation(np.arange(300) % 5)
    X = rng.normal(size=(300, 400))
    X[:, :150] += (0.45 * rng.normal(size=(5, 150)))[labels]
    return X, np.arange(400) < 150, 5


DESIGNS: dict[str, Callable[[np.random.Generator], Drawn]] = {
    row.__name__: row for row in (modules, modules_close, weak)
}


def with_all_features(n_replicas: int, n_features: int) -> np.ndarray:
    """Subspace sizes of `refined`, and replicates with all features."""
    sizes = [2, 3, max(2, n_features // 4), max(2, -(-n_features // 2)), n_features]
    return np.minimum(np.resize(sizes, n_replicas), n_features)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=3)
    n_draws = parser.parse_args().draws
    warnings.simplefilter("ignore", UserWarning)
    usual = estimator.subspace_sizes
    print("| | refined | all rounds | all rounds, all features | efron |\n| --- | --- | --- | --- | --- |")
    for name, design in DESIGNS.items():
        found = []
        for draw in range(n_draws):
            X, relevant, k = design(np.random.default_rng(200 + draw))
            line = []
            for sizes in (usual, with_all_features):
                estimator.subspace_sizes = sizes
                rounds = RefinedClustering(k, random_state=draw).fit(X).round_importances_
                line += [rounds[1:].mean(axis=0), rounds.mean(axis=0)]
            estimator.subspace_sizes = usual
            efron = BaggedClustering(k, consensus="medoid", random_state=draw).fit(X)
            some = [line[0], line[1], line[3], efron.feature_importances_]
            found.append([roc_auc_score(relevant, importances) for importances in some])
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in np.mean(found, axis=0))} |", flush=True)


if __name__ == "__main__":
    main()
