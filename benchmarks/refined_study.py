"""Accuracy of `refined` by two of its constants.

    python -m benchmarks.refined_study --only factors --draws 1

- averaged: AUC of the importances by number of last rounds averaged, and their scatter between two seeds.
- factors: the AUC by the share of replicates that remove common factors, on tables that have some.

On the simulated and real data of `xcompare bench` and the designs of `benchmarks.harsh_designs`, with other
seeds than the leaderboard; means over draws.
"""

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.harsh_designs import DESIGNS
from xcompare import RefinedClustering
from xcompare.refined import rounds as refinement
from xcompare.studies.benchmark.scenarios import SCENARIOS

AVERAGED, SHARES = (1, 2, 3, 4, 5), (0.0, 0.3, 0.6)
LARGEST = 1_000_000  # values of a table


def tables(n_draws: int) -> Iterator[tuple[str, np.ndarray, int, np.ndarray, np.ndarray]]:
    """Kind of design, data, number of clusters, relevant features, and features that count."""
    for draw in range(n_draws):
        for row in SCENARIOS.values():
            if row.tier < 3 and not row.empty and row.why_left_out is None:
                data = row.draw(70_000 + draw)
                numeric = {"numeric", *data.kinds} == {"numeric"} and not np.isnan(data.X).any()
                if numeric and data.X.size <= LARGEST:
                    counted = np.array(data.groups) != "unclear"
                    yield f"tier {row.tier}", data.X, data.n_clusters, data.relevant, counted
        for number, make in enumerate(DESIGNS.values()):
            X, labels, relevant = make(np.random.default_rng((70_000 + draw, number)))
            yield "harsh", X.astype(float), len(np.unique(labels)), relevant, np.ones(len(relevant), bool)


def averaged(n_draws: int) -> None:
    """AUC and scatter between seeds, by the number of rounds averaged."""
    found = []
    for kind, X, k, relevant, counted in tables(n_draws):
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
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--only", choices=["averaged", "factors"])
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    for part in (averaged, factors):
        if chosen.only in (None, part.__name__):
            part(chosen.draws)


if __name__ == "__main__":
    main()
