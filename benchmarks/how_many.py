"""How often `xcompare.choose_k` is right: the paper's data, other clusters, and noise of several shapes.

    python benchmarks/how_many.py                  # everything; hours on one core
    python benchmarks/how_many.py --data 5         # fewer datasets of each kind
    python benchmarks/how_many.py --only noise     # of: paper, clusters, noise

For each kind of data: how often each criterion, and most of them, choose the true number, and more than one.
The standard error of a rate r is sqrt(r (1 - r) / number of datasets). Tables go to stdout as Markdown.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from xcompare.bagging.choice import choose
from xcompare.bagging.criteria import CRITERIA, criteria_and_draws

from xcompare.datasets import load_dataset

KS = range(2, 8)
SIMULATED = ("illustrative", "overlap", "proportion", "correlation")
REAL = ("wine", "breast", "iris")


def blobs(rng, n_clusters, apart, n_features, n_noise=0, n=100):
    """Spherical clusters at random places, some features without any."""
    labels = np.arange(n) % n_clusters
    centers = rng.normal(size=(n_clusters, n_features))
    centers *= apart / min(np.linalg.norm(a - b) for i, a in enumerate(centers) for b in centers[:i])
    return np.hstack([rng.normal(size=(n, n_features)) + centers[labels], rng.normal(size=(n, n_noise))])


def correlated(rng):
    return rng.multivariate_normal(np.zeros(5), 0.3 * np.eye(5) + 0.7, size=100)


CLUSTERS = {
    "2 clusters, 5 sd apart": (2, lambda rng: blobs(rng, 2, 5, 4)),
    "3 clusters, 5 sd apart, 4 noise features": (3, lambda rng: blobs(rng, 3, 5, 4, 4)),
    "4 clusters, 5 sd apart": (4, lambda rng: blobs(rng, 4, 5, 4)),
    "6 clusters, 6 sd apart": (6, lambda rng: blobs(rng, 6, 6, 5, n=150)),
    "2 clusters, 3 sd apart": (2, lambda rng: blobs(rng, 2, 3, 4)),
}
NOISE = {
    "normal": (1, lambda rng: rng.normal(size=(100, 5))),
    "normal, correlated (.7)": (1, correlated),
    "t, 3 degrees of freedom": (1, lambda rng: rng.standard_t(3, size=(100, 5))),
    "exponential": (1, lambda rng: rng.exponential(size=(100, 5))),
    "uniform": (1, lambda rng: rng.uniform(size=(100, 5))),
}


def choices(X, seed):
    """What each criterion and most of them choose, and seconds of processor time."""
    started = time.process_time()
    found = [criteria_and_draws(X, k, seed) for k in KS]
    observed, draws = zip(*found, strict=True)
    choice = choose(list(KS), np.array(observed), np.stack(draws, axis=1))
    return [*choice.choices, choice.best], time.process_time() - started


def table(title, cases):
    """A line per kind of data: shares that choose the true number, and what was chosen most."""
    print(f"\n{title}\n\n| data | true | {' | '.join((*CRITERIA, 'most'))} | most chose | seconds |")
    print("| --- " * (len(CRITERIA) + 5) + "|")
    for name, (truth, datasets) in cases.items():
        found, took = zip(*(choices(X, seed) for seed, X in enumerate(datasets)), strict=True)
        right = (np.array(found) == truth).mean(axis=0)
        numbers, counts = np.unique([row[-1] for row in found], return_counts=True)
        chose = ", ".join(f"{k}: {n}" for k, n in zip(numbers, counts, strict=True))
        rates = " | ".join(f"{rate:.2f}" for rate in right)
        print(f"| {name} | {truth} | {rates} | {chose} | {np.mean(took):.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=int, default=50, help="datasets of each kind (default: 50)")
    parser.add_argument("--only", choices=["paper", "clusters", "noise"])
    given = parser.parse_args()
    seeds = range(given.data)
    if given.only in (None, "paper"):
        drawn = {
            name: (load_dataset(name).n_clusters, [load_dataset(name, seed=seed).X for seed in seeds])
            for name in SIMULATED
        }
        real = {name: (load_dataset(name).n_clusters, [load_dataset(name).X]) for name in REAL}
        table(f"The data of the paper, {given.data} draws of each that is simulated, and iris", drawn | real)
    for part, kinds in (("clusters", CLUSTERS), ("noise", NOISE)):
        if given.only in (None, part):
            made = {
                name: (truth, [make(np.random.default_rng([seed, 7])) for seed in seeds])
                for name, (truth, make) in kinds.items()
            }
            table(f"{part.capitalize()}, {given.data} datasets of each", made)


if __name__ == "__main__":
    main()
