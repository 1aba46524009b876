"""Feature selection by the protocol of FSEVAL, on labelled sets in a folder.

    python -m benchmarks.feature_selection FOLDER --methods refined,variance,random
    python -m benchmarks.feature_selection FOLDER --only COIL20,lung_small

Each method ranks the features of the data, standardised as in `compare`, with the number of classes. K-means
(10 seeds) runs on the first 5% of the raw features; its normalised mutual information (NMI) with the classes
and its accuracy after the best matching of clusters and classes are averaged. The folder holds MATLAB files
with ``X`` and ``Y``, as those of scikit-feature (https://github.com/jundongl/scikit-feature), which are not
part of this package.

Reported are means over the sets, and the difference to random features with a 95% interval over the sets
(Student's); and how much the selected features say about the classes (mean eta squared) and how redundant
they are (mean absolute correlation of the first 300). Published means at 5% over 22 sets (arXiv:2605.22973):
LIDFS .357, Laplacian .352, SCFS .349, random .333, variance .315.
"""

import argparse
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from scipy.io import loadmat
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.metrics import confusion_matrix, normalized_mutual_info_score

from xcompare.core.seeds import derive_seed
from xcompare.core.standardization import standardize
from xcompare.core.threads import one_thread
from xcompare.methods import METHODS
from xcompare.methods.single_feature_measures import eta_squared

SEEDS = 10  # of K-means, as in FSEVAL
REPEATS = 3  # of stochastic methods; 10 in FSEVAL
SHARE = 0.05  # of the features, selected
OTHERS = ["accuracy", "eta_squared", "redundancy"]


def labelled(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Data and class codes of a MATLAB file."""
    found = loadmat(path)
    return np.asarray(found["X"], dtype=float), np.unique(np.ravel(found["Y"]), return_inverse=True)[1]


def judge(X: np.ndarray, classes: np.ndarray) -> tuple[float, float]:
    """NMI and accuracy of K-means, means over the seeds."""
    found = []
    for seed in range(SEEDS):
        labels = KMeans(int(classes.max()) + 1, n_init="auto", random_state=seed).fit_predict(X)
        table = confusion_matrix(classes, labels)
        matched = table[linear_sum_assignment(-table)].sum()
        found.append((normalized_mutual_info_score(classes, labels), matched / len(X)))
    nmi, accuracy = np.mean(found, axis=0)
    return float(nmi), float(accuracy)


def measure(name: str, X: np.ndarray, classes: np.ndarray, methods: list[str], share: float = SHARE) -> list:
    """Results of all methods on one set."""
    varying = np.ptp(X, axis=0) > 0
    standardised = standardize(X[:, varying])
    about = np.zeros(X.shape[1])
    about[varying] = eta_squared(standardised, classes, None, None)
    rows = []
    for method in methods:
        row = METHODS[method]
        for repeat in range(REPEATS if row.stochastic else 1):
            seed = derive_seed(0, name, method, repeat)
            scores = np.full(X.shape[1], -np.inf)
            with one_thread():
                found = row.run(
                    standardised, int(classes.max()) + 1, random_state=seed, engine=row.engines[0]
                )
            scores[varying] = found.scores if row.larger_is_better else -found.scores
            order = np.argsort(-scores, kind="stable")
            chosen = order[: max(2, ceil(share * X.shape[1]))]
            with one_thread():
                nmi, accuracy = judge(X[:, chosen], classes)
            alike = np.abs(np.corrcoef(X[:, chosen[:300]].T))[~np.eye(min(len(chosen), 300), dtype=bool)]
            rows.append((name, method, nmi, accuracy, about[chosen].mean(), alike.mean()))
    return rows


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Means over the sets, and the differences to random features with intervals."""
    rows = []
    nmi = results.groupby(["set", "method"])["nmi"].mean().unstack()
    means = results.groupby(["set", "method"])[OTHERS].mean().groupby("method").mean()
    for method in nmi.mean().sort_values(ascending=False).index:
        paired = (nmi[method] - nmi["random"]).dropna() if "random" in nmi else pd.Series(dtype=float)
        reach = stats.t.ppf(0.975, len(paired) - 1) * paired.sem() if len(paired) > 1 else np.nan
        middle = paired.mean()
        rows.append((method, nmi[method].mean(), middle, middle - reach, middle + reach, *means.loc[method]))
    return pd.DataFrame(rows, columns=["method", "nmi", "over_random", "low", "high", *OTHERS])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--methods", default="refined,efron,ls,spec,sparse_kmeans,variance,random")
    parser.add_argument("--only", help="names of sets, separated by commas (default: all)")
    chosen = parser.parse_args()
    methods = [name.strip() for name in chosen.methods.split(",")]
    rows: list = []
    for path in sorted(chosen.folder.glob("*.mat")):
        if chosen.only and path.stem not in chosen.only.split(","):
            continue
        X, classes = labelled(path)
        rows += measure(path.stem, X, classes, methods)
        print(path.stem, X.shape, flush=True)
    if not rows:
        parser.error(f"no .mat files in {chosen.folder}")
    results = pd.DataFrame(rows, columns=["set", "method", "nmi", *OTHERS])
    print(results.groupby(["set", "method"])["nmi"].mean().unstack().round(3).to_string())
    print(summary(results).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
