"""Accuracy of `refined`, and the effect of its rounds.

    python -m benchmarks.refined_study                    # everything; about half an hour on one core
    python -m benchmarks.refined_study --only truth --draws 2

On the simulated scenarios of `xcompare bench`, means over draws; tables go to stdout as Markdown.

- truth: AUC of the importances and adjusted Rand index of the partition, compared with `efron` as published
  (one initialization), `efron` by default, and one K-means with 20 initializations.
- rounds: the AUC by number of rounds, for several exponents.
- averaged: the AUC by number of last rounds averaged, and the scatter of importances between two seeds.
- factors: the AUC by the share of replicates that remove common factors, on tables that have some.

The last two also use the real data of `xcompare bench` and the designs of `benchmarks.harsh_designs`; their
seeds are not those of the leaderboard.

`benchmarks.answer` measures false positives on data without clusters.
"""

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, roc_auc_score

from benchmarks.harsh_designs import DESIGNS
from xcompare import BaggedClustering, RefinedClustering
from xcompare.core.standardization import standardize
from xcompare.refined import rounds as refinement
from xcompare.studies.benchmark import mixed
from xcompare.studies.benchmark.scenarios import SCENARIOS

CASES = {
    name: row
    for name, row in SCENARIOS.items()
    if row.tier == 1 and not row.r_packages and row.make is not mixed.table  # complete numbers
}
PUBLISHED = {"n_init": 1, "information": "kde", "redundancy": "ignore", "consensus": "medoid"}
HARD = ("lone", "correlated_noise", "few_of_60", "diagonals", "small_cluster", "close", "unequal", "rings")
EXPONENTS, ROUNDS = (0.0, 1.0, 2.0, 4.0), (1, 2, 3, 5, 8)
AVERAGED, SHARES = (1, 2, 3, 4, 5), (0.0, 0.3, 0.6)
LARGEST = 1_000_000  # values of a table


def truth(n_draws: int) -> None:
    """AUC and ARI of `refined`, two ensembles and K-means."""
    print("| | refined | published | efron | K-means |\n| --- | --- | --- | --- | --- |")
    for name, row in CASES.items():
        if row.empty:
            continue
        found = []
        for draw in range(n_draws):
            data = row.draw(draw)
            k = data.n_clusters
            models = (
                RefinedClustering(k, random_state=draw),
                BaggedClustering(k, random_state=draw, **PUBLISHED),
                BaggedClustering(k, random_state=draw),
            )
            scores = []
            for model in models:
                model.fit(data.X)
                scores.append(roc_auc_score(data.relevant, model.feature_importances_))
                scores.append(adjusted_rand_score(data.labels, model.labels_))
            plain = KMeans(k, init="random", n_init=20, random_state=draw).fit(standardize(data.X))
            found.append([*scores, adjusted_rand_score(data.labels, plain.labels_)])
        a, b, c, d, e, f, g = (f"{number:.2f}" for number in np.mean(found, axis=0))
        print(f"| {name} | {a}, {b} | {c}, {d} | {e}, {f} | {g} |", flush=True)


def rounds(n_draws: int) -> None:
    """AUC by number of rounds and exponent: mean over cases, and the worst case."""
    print(f"\n| exponent | {' | '.join(f'{r} rounds' for r in ROUNDS)} |\n| --- {'| --- ' * len(ROUNDS)}|")
    for exponent in EXPONENTS:
        found = np.empty((len(HARD), n_draws, len(ROUNDS)))
        for at, name in enumerate(HARD):
            for draw in range(n_draws):
                data = CASES[name].draw(draw)
                model = RefinedClustering(
                    data.n_clusters, rounds=max(ROUNDS), exponent=exponent, random_state=draw
                ).fit(data.X)
                after = model.round_importances_[np.array(ROUNDS) - 1]
                found[at, draw] = [roc_auc_score(data.relevant, importances) for importances in after]
        by_case = found.mean(axis=1)
        texts = (f"{m:.3f} ({w:.2f})" for m, w in zip(by_case.mean(axis=0), by_case.min(axis=0), strict=True))
        print(f"| {exponent:g} | {' | '.join(texts)} |", flush=True)


def tables(n_draws: int) -> Iterator[tuple[str, np.ndarray, int, np.ndarray, np.ndarray]]:
    """Kind of design, data, number of clusters, relevant features, and features that count."""
    for draw in range(n_draws):
        for row in SCENARIOS.values():
            if row.tier < 3 and not row.empty and row.why_left_out is None:
                data = row.draw(70_000 + draw)
                if not any(kind != "numeric" for kind in data.kinds) and not np.isnan(data.X).any():
                    counted = np.array(data.groups) != "unclear"
                    yield f"tier {row.tier}", data.X, data.n_clusters, data.relevant, counted
        for number, make in enumerate(DESIGNS.values()):
            X, labels, relevant = make(np.random.default_rng((70_000 + draw, number)))
            yield "harsh", X.astype(float), len(np.unique(labels)), relevant, np.ones(len(relevant), bool)


def averaged(n_draws: int) -> None:
    """AUC and scatter between seeds, by the number of rounds averaged."""
    found = []
    for kind, X, k, relevant, counted in tables(n_draws):
        if X.size > LARGEST:
            continue
        two = [RefinedClustering(k, random_state=seed).fit(X).round_importances_ for seed in (0, 1)]
        for number in AVERAGED:
            a, b = (importances[-number:].mean(axis=0) for importances in two)
            auc = np.mean([roc_auc_score(relevant[counted], one[counted]) for one in (a, b)])
            found.append((kind, number, auc, np.sqrt(np.square(a - b).mean() / 2)))
    frame = pd.DataFrame(found, columns=["designs", "averaged", "AUC", "scatter"])
    print(frame.groupby(["designs", "averaged"]).mean().unstack(0).round(4).to_string())


def factors(n_draws: int) -> None:
    """AUC by the share of replicates without common factors, where there are any."""
    found = []
    usual = refinement.WITHOUT_FACTORS
    for kind, X, k, relevant, counted in tables(n_draws):
        if X.size > LARGEST:
            continue
        for share in SHARES[::-1]:
            refinement.WITHOUT_FACTORS = share
            model = RefinedClustering(k, n_jobs=1, random_state=0).fit(X)
            if share == SHARES[-1] and not model.round_removed_.any():
                break
            auc = roc_auc_score(relevant[counted], model.feature_importances_[counted])
            found.append((kind, share, auc))
    refinement.WITHOUT_FACTORS = usual
    frame = pd.DataFrame(found, columns=["designs", "share", "AUC"])
    print(frame.groupby(["designs", "share"])["AUC"].agg(["mean", "min", "size"]).round(3).to_string())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, help="draws per case (default: 4 for truth, else 3)")
    parser.add_argument("--only", choices=["truth", "rounds", "averaged", "factors"])
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    for part, usual in ((truth, 4), (rounds, 3), (averaged, 3), (factors, 3)):
        if chosen.only in (None, part.__name__):
            part(chosen.draws or usual)


if __name__ == "__main__":
    main()
