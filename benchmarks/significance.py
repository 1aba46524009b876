"""Size and power of the three tests behind `xcompare.significance`, and error rates of its verdicts.

    python benchmarks/significance.py                 # everything; about an hour on one core
    python benchmarks/significance.py --data 20       # fewer datasets of each kind
    python benchmarks/significance.py --only paper    # of: size, paper, quick

Rates are shares of features (or, for the quick look, of datasets) over independent draws of the data; the
standard error of a rate r is sqrt(r (1 - r) / number of datasets), or less. Tables go to stdout as Markdown.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from xcompare.bagging.partitions import bag_partitions, known
from xcompare.bagging.reference import p_more
from xcompare.hypotheses.one_gaussian import known_in_draws
from xcompare.hypotheses.own_groups import p_own_groups
from xcompare.hypotheses.shared_structure import p_shared
from xcompare.hypotheses.verdict import q_values, stand_out, verdicts

from xcompare.datasets import load_dataset

TESTS = ("shared", "own groups", "one Gaussian")


def normal(rng, n=100, p=5):
    return rng.normal(size=(n, p))


def correlated(rng):
    X = normal(rng)
    X[:, 1] = 0.9 * X[:, 0] + np.sqrt(1 - 0.81) * X[:, 1]
    return X


def groups(rng, n_features, apart):
    X = normal(rng)
    X[:, :n_features] += apart * rng.integers(2, size=(100, 1))
    return X


# Name: how to draw data, and the features of interest.
CASES = {
    "no clusters": (normal, slice(None)),
    "correlated pair, no clusters": (correlated, slice(0, 2)),
    "one feature alone makes clusters": (lambda rng: groups(rng, 1, 5), slice(0, 1)),
    "two features share clusters": (lambda rng: groups(rng, 2, 4), slice(0, 2)),
    "noise beside the two": (lambda rng: groups(rng, 2, 4), slice(2, None)),
    "uniform, no clusters": (lambda rng: rng.uniform(size=(100, 5)), slice(None)),
    "exponential, no clusters": (lambda rng: rng.exponential(size=(100, 5)), slice(None)),
    "lognormal, no clusters": (lambda rng: np.exp(normal(rng)), slice(None)),
    "t with 3 df, no clusters": (lambda rng: rng.standard_t(3, size=(100, 5)), slice(None)),
    "counts (Poisson 2), no clusters": (lambda rng: rng.poisson(2, (100, 5)).astype(float), slice(None)),
}
PAPER = ("illustrative", "overlap", "proportion", "correlation")


def p_values(X, n_clusters, rng, n_draws):
    """p-values of the three tests: (3, n_features)."""
    partitions = bag_partitions(X, n_clusters, rng)
    draws = known_in_draws(X, n_clusters, n_draws, rng)
    shared = p_shared(X, bag_partitions(X, n_clusters, rng), rng)
    return np.array([shared, p_own_groups(X), p_more(known(X, partitions), draws)])


def size_and_power(n_data, n_draws, n_clusters):
    """Share of the features of interest rejected at .05, by test."""
    print(f"\nRejected at .05; K = {n_clusters}, n = 100, p = 5, {n_data} datasets, {n_draws} draws\n")
    print(f"| data | {' | '.join(TESTS)} |\n| --- | --- | --- | --- |")
    for name, (make, features) in CASES.items():
        found = []
        for seed in range(n_data):
            rng = np.random.default_rng([seed, n_clusters])
            X = make(rng)
            found.append(p_values(X, n_clusters, rng, n_draws)[:, features])
        rates = (np.array(found) <= 0.05).mean(axis=(0, 2))
        print(f"| {name} | {' | '.join(f'{rate:.2f}' for rate in rates)} |", flush=True)


def paper_data(n_data, n_draws):
    """Verdicts on the simulated data of the paper, block by block."""
    words = ("makes clusters", "goes along with others", "noise")
    print(f"\nVerdicts (share of features) and q <= .05 by test; {n_data} datasets, {n_draws} draws\n")
    print(f"| data | block | {' | '.join(words)} | {' | '.join(TESTS)} |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in PAPER:
        rates: dict[str, list] = {}
        for seed in range(n_data):
            data = load_dataset(name, seed=seed)
            q = np.array(
                [q_values(p) for p in p_values(data.X, data.n_clusters, np.random.default_rng(seed), n_draws)]
            )
            said = np.array(verdicts(*q))
            for block in dict.fromkeys(data.groups):
                at = np.array([group == block for group in data.groups])
                shares = [(said[at] == word).mean() for word in words]
                rates.setdefault(block, []).append([*shares, *(q[:, at] <= 0.05).mean(axis=1)])
        for block, found in rates.items():
            means = " | ".join(f"{rate:.2f}" for rate in np.mean(found, axis=0))
            print(f"| {name} | {block} | {means} |", flush=True)


def quick_look(n_data):
    """How often the quick look of every comparison finds any feature to stand out, and which."""
    print(f"\nThe quick look: share of {n_data} datasets in which any feature stands out\n")
    print("| data | any feature | features of interest |\n| --- | --- | --- |")
    cases = {"normal(200, 6), K = 3": (lambda rng: normal(rng, 200, 6), slice(None), 3)}
    cases |= {f"{name}, K = 2": (*case, 2) for name, case in CASES.items() if name != "noise beside the two"}
    for name, (make, features, n_clusters) in cases.items():
        found = []
        for seed in range(n_data):
            rng = np.random.default_rng([seed, 9])
            X = make(rng)
            observed = known(X, bag_partitions(X, n_clusters, rng))
            found.append(stand_out(observed, known_in_draws(X, n_clusters, 40, rng), p_own_groups(X)))
        out = np.array(found)
        print(f"| {name} | {out.any(axis=1).mean():.2f} | {out[:, features].mean():.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=int, help="datasets of each kind (default: 100; 50 of the paper's)")
    parser.add_argument("--draws", type=int, help="draws from one Gaussian (default: 99; 20 a feature)")
    parser.add_argument("--only", choices=["size", "paper", "quick"])
    given = parser.parse_args()
    if given.only in (None, "size"):
        for n_clusters in (2, 4):
            size_and_power(given.data or 100, given.draws or 99, n_clusters)
    if given.only in (None, "quick"):
        quick_look(given.data or 100)
    if given.only in (None, "paper"):
        paper_data(given.data or 50, given.draws or 420)


if __name__ == "__main__":
    main()
