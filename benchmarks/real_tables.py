"""Missing values, columns with levels and gaps that depend on the clusters: what they do to importances.

    python -m benchmarks.real_tables              # 5 draws; some minutes
    python -m benchmarks.real_tables --draws 20 --only removed scenarios

Tables go to stdout as Markdown. The seeds (--seed) are not those the methods were developed on.
"""

import argparse
import os
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, roc_auc_score

from xcompare import BaggedClustering, load_dataset, rbridge
from xcompare.bagging.importance import shares_of_largest, usable_weights
from xcompare.bagging.information.discrete import discrete_information
from xcompare.bagging.information.kinds import KindInformation
from xcompare.bagging.uncertainty import weighted_mean
from xcompare.core.features import Feature
from xcompare.core.seeds import derive_seed
from xcompare.harness.preparation import prepare
from xcompare.methods import METHODS
from xcompare.methods.tables import run_on_table
from xcompare.results.export import frame_pipes
from xcompare.studies.benchmark.scenarios import SCENARIOS

DATASETS: dict[str, dict] = {
    "wine": {}, "illustrative": {}, "breast": {}, "breast, discrete": {"information": "discrete"}
}  # fmt: skip
SHARES = 0.1, 0.3
LEVELS = 2, 5, 10, 30
SCENARIOS_COMPARED = (
    "shared", "mixed_levels", "mixed_grades", "mixed_scales", "missing_random", "missing_by_value",
    "mixed_missing",
)  # fmt: skip
COMPARED = (
    "refined", "efron", "basic", "bbc", "urf_gini", "urf_perm", "cubt", "twkm", "fgkm", "ls", "mi_kmeans",
    "perm_kmeans",
)  # fmt: skip
BY_R = Path(__file__).parent / "real_tables.R"


def bagged(X: np.ndarray, n_clusters: int, seed: int, **settings: object) -> BaggedClustering:
    """The default model, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return BaggedClustering(n_clusters, random_state=seed, **settings).fit(X)


def removed_at_random(draws: int, seed: int) -> pd.DataFrame:
    """Values removed completely at random: importances and consensus against those of the complete data.

    What cannot be avoided stands beside: ``seeds``, the largest difference between two fits of the complete
    data; ``rows``, the largest if the partitions of the complete data are scored on the observed values; and
    the ARI if rows are assigned to the centres of the complete data by their observed values.
    """
    records = []
    for name, settings in DATASETS.items():
        data = load_dataset(name.partition(",")[0])
        X = np.asarray(data.X, dtype=float)
        for share in SHARES:
            for draw in range(draws):
                at = derive_seed(seed, name, share, draw)
                gaps = np.random.default_rng(at).random(X.shape) < share
                whole, other = (bagged(X, data.n_clusters, at + i, **settings) for i in (0, 1))
                found = bagged(np.where(gaps, np.nan, X), data.n_clusters, at, **settings)
                difference = np.abs(found.feature_importances_ - whole.feature_importances_)
                on_rows, assigned = observed_only(whole, X, gaps)
                seeds, rows = (
                    np.abs(one - whole.feature_importances_).max()
                    for one in (other.feature_importances_, on_rows)
                )
                aris = [adjusted_rand_score(data.labels, x) for x in (whole.labels_, found.labels_, assigned)]
                warned = float((found.missing_p_values_ < 0.05).mean())
                records.append((name, share, difference.mean(), difference.max(), seeds, rows, *aris, warned))
    columns = ["data", "missing", "mean difference", "largest", "seeds", "rows", "ARI complete",
               "ARI with gaps", "ARI known centers", "false warnings"]  # fmt: skip
    return pd.DataFrame(records, columns=columns).groupby(["data", "missing"], sort=False).mean()


def observed_only(model: BaggedClustering, X: np.ndarray, gaps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Importances and clusters of a model of complete data, if only the values without gaps are known."""
    values = np.where(gaps.T, np.nan, model._scale.apply(X))
    known = KindInformation.of(values, ["numeric"] * len(values), model.information)
    information = known.mutual_information(model.replica_labels_, model.replica_features_)[0]
    shares = shares_of_largest(information, model.cap, model._scale.constant)
    centers = model._scale.apply(model.cluster_centers_)
    squares = model.feature_importances_[:, None, None] * (values[:, :, None] - centers[:, None]) ** 2
    importances = weighted_mean(shares, usable_weights(model.replica_weights_)).mean
    return importances, np.nansum(squares, axis=0).argmin(axis=1)


def random_levels(draws: int, seed: int) -> pd.DataFrame:
    """Mean information of random columns about a random partition in three clusters, in nats.

    Null hypothesis: the column is independent of the clusters. ``limit`` is the correction for many rows.
    """
    records = []
    for n in (100, 1000):
        rng = np.random.default_rng(derive_seed(seed, "levels", n))
        labels = np.stack([rng.integers(3, size=n) for _ in range(draws)])
        for n_levels in LEVELS:
            codes = [rng.integers(n_levels, size=n) for _ in range(draws)]
            pairs = zip(codes, labels, strict=True)
            found = np.array(
                [
                    [discrete_information([x], y[None], 3, [exact])[0, 0] for exact in (True, False)]
                    for x, y in pairs
                ]
            )
            exact, limit = found.mean(axis=0)
            records.append({"rows": n, "levels": n_levels, "exact": exact, "limit": limit})
    return pd.DataFrame(records).set_index(["rows", "levels"])


def levels_among_clusters(draws: int, seed: int) -> pd.DataFrame:
    """Mean importance of one random column of so many levels beside three numbers that make clusters."""
    records = []
    for n_levels in LEVELS:
        importances = []
        for draw in range(draws):
            rng = np.random.default_rng(derive_seed(seed, "among", n_levels, draw))
            labels = np.repeat([0, 1, 2], 60)
            numbers = rng.normal(size=(180, 3)) + 3 * np.eye(3)[labels]
            X = np.column_stack([numbers, rng.integers(n_levels, size=180)])
            levels = Feature("levels", "nominal", tuple(map(str, range(n_levels))))
            model = bagged(X, 3, draw, columns=(Feature("a"), Feature("b"), Feature("c"), levels))
            importances.append([*model.feature_importances_, adjusted_rand_score(labels, model.labels_)])
        found = np.mean(importances, axis=0)
        records.append(
            {"levels": n_levels, "random column": found[3], "numbers": found[:3].mean(), "ARI": found[4]}
        )
    return pd.DataFrame(records).set_index("levels")


def gaps_of_clusters(draws: int, seed: int) -> pd.DataFrame:
    """Share of p-values below .05 of gaps at random (size), and twice as many in one cluster (power)."""
    wine = load_dataset("wine")
    records = []
    shares_missing = {
        "at random": (0.2, 0.2, 0.2), "at random in wine": (0.3, 0.3, 0.3), "by cluster": (0.3, 0.15, 0.15)
    }  # fmt: skip
    for kind, shares in shares_missing.items():
        p_values = []
        for draw in range(draws):
            rng = np.random.default_rng(derive_seed(seed, kind, draw))
            labels = np.repeat([0, 1, 2], 60)
            X = rng.normal(size=(180, 5)) + 3 * np.eye(5)[labels]
            if kind == "at random in wine":
                X, labels = np.array(wine.X, dtype=float), wine.labels
            X[rng.random(X.shape) < np.array(shares)[labels, None]] = np.nan
            p_values.append(bagged(X, 3, draw, n_replicas=50).missing_p_values_)
        rejected = np.ravel(p_values) < 0.05
        records.append({"gaps": kind, "tests": rejected.size, "rejected": rejected.mean()})
    return pd.DataFrame(records).set_index("gaps")


def by_scenario(draws: int, seed: int) -> pd.DataFrame:
    """AUC of the methods, and ARI of partitions, on tables whose features carry the same information.

    ``shared`` has complete numbers. Beside the methods, where R has the packages: medoids of Gower distances,
    and K-means on the components of FAMD, for complete tables.
    """
    records = []
    for name in SCENARIOS_COMPARED:
        for draw in range(draws):
            data = SCENARIOS[name].draw(derive_seed(seed, "tables", name, draw))
            kinds = data.kinds or ("numeric",) * len(data.relevant)
            levels = {f"x{j}": kind for j, kind in enumerate(kinds) if kind != "numeric"}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = prepare(data.X, data.n_clusters, data.labels, columns=levels)
            features = () if table.info.plain else table.info.features
            for method in COMPARED:
                row = METHODS[method]
                found = run_on_table(
                    row, table.X, 3, features, random_state=draw, engine="python", options={}
                )
                scores = found.scores if row.larger_is_better else -found.scores
                records.append((f"{method}, AUC", name, roc_auc_score(data.relevant, scores)))
                if found.labels is not None and method in ("refined", "efron"):
                    records.append((f"{method}, ARI", name, adjusted_rand_score(data.labels, found.labels)))
            for title, function, package in (
                ("Gower and medoids, ARI", "xc_gower_pam", "cluster"),
                ("FAMD and K-means, ARI", "xc_famd_kmeans", "FactoMineR"),
            ):
                mixed = len({*kinds}) > 1 and not np.isnan(data.X).any()
                if rbridge.why_unavailable((package,)) or (package == "FactoMineR" and not mixed):
                    continue
                arguments = {"x": data.X, "kinds": np.array(kinds), "k": 3}
                labels = rbridge.call(function, arguments, seed=draw, script=BY_R).values["labels"]
                records.append((title, name, adjusted_rand_score(data.labels, labels)))
    frame = pd.DataFrame(records, columns=["", "scenario", "value"])
    return frame.pivot_table("value", "", "scenario", sort=False)


def by_another_column(draws: int, seed: int) -> pd.DataFrame:
    """Gaps that depend on another column: one imputation per replicate against five by mice, averaged.

    ``difference`` is the mean over the features from the importances of the complete data.
    """
    records = []
    for draw in range(draws):
        at = derive_seed(seed, "another", draw)
        data = SCENARIOS["close"].draw(at)
        Z = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
        chance = 0.6 / (1 + np.exp(-2 * np.roll(Z, 1, axis=1)))
        chance[:, 0] = 0  # always observed
        X = np.where(np.random.default_rng(at).random(Z.shape) < chance, np.nan, data.X)
        whole = bagged(data.X, 3, draw)
        ways = {"complete": [bagged(data.X, 3, draw + 1000)], "resample": [bagged(X, 3, draw)]}
        if not rbridge.why_unavailable(("mice",)):
            arguments = {"x": X, "kinds": np.array(["numeric"] * X.shape[1]), "m": 5}
            filled = rbridge.call("xc_mice", arguments, seed=draw, script=BY_R).values["x"]
            ways["mice"] = [bagged(part, 3, draw) for part in np.split(filled, 5)]
        for way, models in ways.items():
            importances = np.mean([model.feature_importances_ for model in models], axis=0)
            ari = np.mean([adjusted_rand_score(data.labels, model.labels_) for model in models])
            difference = np.abs(importances - whole.feature_importances_).mean()
            auc = roc_auc_score(data.relevant, importances)
            records.append({"imputed": way, "AUC": auc, "difference": difference, "ARI": ari})
    return pd.DataFrame(records).groupby("imputed", sort=False).mean()


TABLES = {  # how many times the draws, and what makes the table
    "removed": (1, removed_at_random),
    "levels": (40, random_levels),
    "among": (4, levels_among_clusters),
    "gaps": (10, gaps_of_clusters),
    "scenarios": (1, by_scenario),
    "another": (2, by_another_column),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--seed", type=int, default=20_000)
    parser.add_argument("--only", nargs="+", default=[*TABLES], choices=[*TABLES])
    arguments = parser.parse_args()
    for name in arguments.only:
        times, make = TABLES[name]
        table = make(times * arguments.draws, arguments.seed)
        print(f"\n### {name}\n\n{frame_pipes(table.round(3).reset_index())}", flush=True)


if __name__ == "__main__":
    main()
