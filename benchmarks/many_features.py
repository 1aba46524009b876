"""Where `refined` trails: many features, all a little relevant, in correlated modules.

    python -m benchmarks.many_features --draws 3

Development designs, not those of `xcompare bench --tiers 3`. AUC of the importances of the last round of
`refined`, of the last two, of `refined` as it is (all rounds but the first), and of `efron`. Tables go to
stdout as Markdown.
"""

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.metrics import roc_auc_score

from xcompare import BaggedClustering, RefinedClustering

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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=3)
    n_draws = parser.parse_args().draws
    warnings.simplefilter("ignore", UserWarning)
    print("| | last round | last two rounds | refined | efron |\n| --- | --- | --- | --- | --- |")
    for name, design in DESIGNS.items():
        found = []
        for draw in range(n_draws):
            X, relevant, k = design(np.random.default_rng(200 + draw))
            refined = RefinedClustering(k, random_state=draw).fit(X)
            rounds = refined.round_importances_
            efron = BaggedClustering(k, consensus="medoid", random_state=draw).fit(X)
            some = (
                rounds[-1],
                rounds[-2:].mean(axis=0),
                refined.feature_importances_,
                efron.feature_importances_,
            )
            found.append([roc_auc_score(relevant, importances) for importances in some])
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in np.mean(found, axis=0))} |", flush=True)


if __name__ == "__main__":
    main()
