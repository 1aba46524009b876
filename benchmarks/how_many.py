"""Accuracy of `xcompare.choose_k`, compared with silhouette, gap statistic and mclust.

    python -m benchmarks.how_many              # 2 draws of each design; some minutes
    python -m benchmarks.how_many --draws 10
    python -m benchmarks.how_many --designs realistic
    python -m benchmarks.how_many --designs harsh   # strong nuisance (benchmarks/harsh_designs.py)

Judgement and realistic designs have round, elongated, unequal, skewed and uniform clusters about five
standard deviations apart, some with irrelevant features. No author of the designs had seen the package.
mclust's BIC is computed if installed. Tables go to stdout as Markdown.
"""

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

import xcompare
from benchmarks import harsh_designs, judgement_designs, realistic_designs
from xcompare import rbridge
from xcompare.core.seeds import derive_seed
from xcompare.core.standardization import standardize
from xcompare.results.export import frame_pipes

KS = range(2, 11)
KDESIGNS = judgement_designs.KDESIGNS | realistic_designs.KDESIGNS
N_REFERENCES = 20  # of the gap statistic
MCLUST = Path(__file__).parent / "mclust_choice.R"


def by_silhouette(X: np.ndarray) -> int:
    """The number with the largest mean silhouette width; never one."""
    widths = [silhouette_score(X, KMeans(k, n_init=5, random_state=0).fit_predict(X)) for k in KS]
    return KS[int(np.argmax(widths))]


def by_gap(X: np.ndarray, rng: np.random.Generator) -> int:
    """The gap statistic of Tibshirani, Walther and Hastie (2001), with their uniform reference and rule."""

    def log_within(Y: np.ndarray) -> np.ndarray:
        return np.log([KMeans(k, n_init=3, random_state=0).fit(Y).inertia_ for k in (1, *KS)])

    low, high = X.min(axis=0), X.max(axis=0)
    references = np.array([log_within(rng.uniform(low, high, size=X.shape)) for _ in range(N_REFERENCES)])
    gap = references.mean(axis=0) - log_within(X)
    error = references.std(axis=0) * np.sqrt(1 + 1 / N_REFERENCES)
    enough = gap[:-1] >= gap[1:] - error[1:]
    return (1, *KS)[int(enough.argmax())] if enough.any() else KS[-1]


def by_mclust(X: np.ndarray) -> float:
    """The number with the best BIC of mclust's mixtures."""
    if rbridge.why_unavailable(("mclust",)) is not None:
        return np.nan
    return float(rbridge.call("xc_mclust_choice", {"x": X}, script=MCLUST).values["value"][0])


def drawn(name: str, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """One draw of a design, and its number of clusters."""
    if name in KDESIGNS:
        return KDESIGNS[name](rng)
    if name in harsh_designs.NULLS:
        return np.asarray(harsh_designs.NULLS[name](rng), float), 1
    X, labels, _ = harsh_designs.DESIGNS[name](rng)
    return X, len(np.unique(labels))


def chosen(name: str, draw: int, seed: int) -> dict:
    """Choices of all criteria for one draw of a design."""
    rng = np.random.default_rng(derive_seed(seed, "how many", name, draw))
    X, truth = drawn(name, rng)
    X = X[:, X.std(axis=0) > 0]
    scaled = standardize(X)
    return {
        "design": name,
        "K": truth,
        "choose_k": xcompare.choose_k(X, n_jobs=1, progress=False).best,
        "silhouette": by_silhouette(scaled),
        "gap": by_gap(scaled, rng),
        "mclust": by_mclust(scaled),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2, help="draws per design (default: 2)")
    parser.add_argument("--designs", choices=["judgement", "realistic", "harsh"], default="judgement")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    names = {
        "judgement": [*judgement_designs.KDESIGNS],
        "realistic": [*realistic_designs.KDESIGNS],
        "harsh": [*harsh_designs.DESIGNS, *harsh_designs.NULLS],
    }[given.designs]
    work = [(name, draw, given.seed) for name in names for draw in range(given.draws)]
    found = pd.DataFrame(Parallel(n_jobs=-1, batch_size=1)(delayed(chosen)(*one) for one in work))
    criteria = ["choose_k", "silhouette", "gap", "mclust"]
    right = found[criteria].eq(found["K"], axis=0).where(found[criteria].notna())
    for by in ("K", "design"):
        lines = right.groupby(found[by], sort=False).mean()
        lines.loc["**all**"] = right.mean()
        print("\n" + frame_pipes(lines.map("{:.2f}".format).reset_index(), str))


if __name__ == "__main__":
    main()
