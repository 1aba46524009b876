"""Error rates and power of tests of features for clusters found in the same data (`explain(validate=)`).

    python -m benchmarks.validated                # 100 draws without clusters, 20 with; about 15 minutes
    python -m benchmarks.validated --draws 5      # a short version

Labels come from K-means on all rows. `naive` is the analysis of variance of these labels on the same rows.
Two designs with clusters follow published ones: three clusters on an equilateral triangle with sides of
delta standard deviations, of Chen and Gao (2024, doi:10.1093/biostatistics/kxae046, the tests of CADET), and
two cell types with Poisson counts and log fold changes in a tenth of the genes, of Neufeld et al. (2024,
doi:10.1093/biostatistics/kxac047, countsplit). The standard error of a rate r over d draws and p features
is at most sqrt(r (1 - r) / d), as the features of a draw share their labels.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from sklearn.feature_selection import f_classif

from xcompare.core.seeds import derive_seed
from xcompare.inference.reclustering import Reclustering
from xcompare.inference.validated import validated_features
from xcompare.results.export import frame_pipes

LEVEL = 0.05


def correlated(rng, n: int, p: int, rho: float) -> np.ndarray:
    """Gaussian rows with equal correlations."""
    return np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1 - rho) * rng.normal(size=(n, p))


def autoregressive(rng, n: int, p: int, rho: float) -> np.ndarray:
    """Gaussian rows, correlations falling with the distance of two columns."""
    gaps = np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    return rng.normal(size=(n, p)) @ np.linalg.cholesky(rho**gaps).T


def triangle(rng, delta: float, p: int = 10, rho: float = 0.0, n: int = 150) -> np.ndarray:
    """Three clusters on an equilateral triangle in the first and the last feature."""
    X = autoregressive(rng, n, p, rho)
    corner = np.arange(n) % 3
    X[:, 0] += delta / 2 * np.array([-1, 0, 1])[corner]
    X[:, -1] += delta * np.sqrt(3) / 2 * (corner == 1)
    return X


def cell_types(rng, fold: float, rate: float, n: int = 200, p: int = 50) -> np.ndarray:
    """Two cell types, Poisson counts; the first tenth of the genes differ by a log fold change."""
    rates = np.full((n, p), np.log(rate))
    rates[:, : p // 10] += fold * (np.arange(n) % 2)[:, None]
    return rng.poisson(np.exp(rates)).astype(float)


# Each draw gives a table and which features differ between the clusters that exist.
NULLS = {
    "Gaussian, 10 features": lambda rng: rng.normal(size=(200, 10)),
    "Gaussian, correlation .5": lambda rng: correlated(rng, 200, 10, 0.5),
    "Gaussian, autoregressive .8": lambda rng: autoregressive(rng, 150, 10, 0.8),
    "Gaussian, 2 features, 500 rows": lambda rng: rng.normal(size=(500, 2)),
    "Poisson, rate 5": lambda rng: rng.poisson(5.0, size=(200, 10)).astype(float),
    "Poisson, rates .2 to 10": lambda rng: rng.poisson(np.geomspace(0.2, 10, 30), size=(200, 30)).astype(
        float
    ),
    "negative binomial, size 2": lambda rng: rng.negative_binomial(2, 2 / 7, size=(200, 10)).astype(float),
    "lognormal": lambda rng: np.exp(rng.normal(size=(200, 10))),
    "lognormal, correlation .5": lambda rng: np.exp(correlated(rng, 200, 10, 0.5)),
    "t with 3 degrees of freedom": lambda rng: rng.standard_t(3, size=(200, 10)),
    "uniform": lambda rng: rng.uniform(size=(200, 10)),
}
ENDS = np.arange(10) % 9 == 0
CLUSTERS = {
    **{f"triangle, delta {d}": (lambda rng, d=d: triangle(rng, d), ENDS, 3) for d in (3, 4, 5, 6, 8)},
    **{
        f"triangle, delta {d}, autoregressive .5": (lambda rng, d=d: triangle(rng, d, rho=0.5), ENDS, 3)
        for d in (4, 6, 8)
    },
    **{
        f"cell types, rate {r}, log fold change {f}": (
            lambda rng, f=f, r=r: cell_types(rng, f, r), np.arange(50) < 5, 2,
        )
        for r, f in ((3, 0.5), (3, 1.0), (3, 1.5), (25, 0.25), (25, 0.5))
    },
    "lognormal, two shifted by 3": (
        lambda rng: np.exp(0.5 * rng.normal(size=(200, 10)))
        + 3 * np.outer(np.arange(200) % 2, np.arange(10) < 2), np.arange(10) < 2, 2,
    ),
}  # fmt: skip


def tested(name: str, draw: int, seed: int) -> list[dict]:
    """Rates of one draw: the naive test, and the validated one."""
    drawn = derive_seed(seed, "validated", name, draw)
    rng = np.random.default_rng(drawn)
    if name in NULLS:
        X, k = NULLS[name](rng), 2 + draw % 3
        differs = np.zeros(X.shape[1], bool)
    else:
        make, differs, k = CLUSTERS[name]
        X = make(rng)
    model = KMeans(k, n_init=10, random_state=0)
    labels = model.fit_predict(X)
    found = validated_features(X, labels, Reclustering.of(model), drawn)
    p_values = {"naive": f_classif(X, labels)[1], "validated": found.p_values}
    return [
        {
            "design": name,
            "device": found.device,
            "test": test,
            "size": (p[~differs] <= LEVEL).mean(),
            "power": (p[differs] <= LEVEL).mean() if differs.any() else np.nan,
        }
        for test, p in p_values.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100, help="draws per design without clusters")
    parser.add_argument("--with-clusters", type=int, default=20, help="draws per design with clusters")
    parser.add_argument("--designs", default="", help="only designs whose names contain this")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    work = [(name, draw) for name in NULLS for draw in range(given.draws)]
    work += [(name, draw) for name in CLUSTERS for draw in range(min(given.with_clusters, given.draws))]
    work = [(name, draw) for name, draw in work if given.designs in name]
    found = Parallel(n_jobs=given.jobs)(delayed(tested)(*one, given.seed) for one in work)
    table = pd.DataFrame([line for lines in found for line in lines])
    rates = table.groupby(["design", "test"], sort=False)[["size", "power"]].mean().unstack("test")
    devices = table.groupby("design", sort=False)["device"].agg(
        lambda some: ", ".join(f"{name} {share:.0%}" for name, share in some.value_counts(True).items())
    )
    columns = [(what, test) for what in ("size", "power") for test in ("validated", "naive")]
    names = ["size", "naive size", "power", "naive power"]
    shown = rates[columns].set_axis(names, axis=1).map(lambda v: "" if np.isnan(v) else f"{v:.3f}")
    print(frame_pipes(pd.concat([devices, shown], axis=1).reset_index()))


if __name__ == "__main__":
    main()
