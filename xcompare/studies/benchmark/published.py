"""Tier 3: tests that others designed, rebuilt from their descriptions or read from installed packages.

Nothing is shipped but the names of the marker genes. Where a description leaves a value open, the docstring
says which one is ours. `published_results` has what the authors report.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy import stats

from xcompare.studies.benchmark.simulated import Parts, Random

PBMC_FILE = "datasets/10x_pbmc68k_reduced.h5ad"  # in scanpy's wheel
# Markers of ten types of blood cells (Azimuth; Levin 2018; Zheng 2017; scanpy) among the 765 genes.
MARKERS = """
BANK1 BTG1 CCL5 CCR10 CCR7 CD247 CD27 CD3D CD3E CD3G CD4 CD7 CD74 CD79A CD79B CD8A CD8B CLEC10A CST3
CST7 CTSS CXCR4 CYTL1 EGFL7 FCER1A FCER1G FCGR3A FCN1 FGFBP2 FTL G0S2 GATA2 GNLY GZMA GZMB GZMH GZMK
HLA-DMA HLA-DPA1 HLA-DPB1 HLA-DQA1 HLA-DQB1 HLA-DRA HLA-DRB1 IL1B IL32 IL7R KLRB1 KLRC1 KLRC2 LDHB
LGALS3 LTB LYZ MAL MS4A1 MZB1 NKG7 NOSIP PIK3IP1 PRF1 PRSS57 RGS10 S100A8 S100A9 S100B SPINK2 SPON2
TIGIT TNFRSF13B TYROBP XCL1 XCL2
""".split()  # noqa: SIM905
N_CLUSTERS, PER_CLUSTER, INFORMATIVE = 7, 200, 10  # of the simulations of Cluster LOCO
SEPARATION = {"gaussian": 2.0, "moons": 4.0}  # standard deviation of the centers


def pbmc68k(rng: Random) -> Parts:
    """700 blood cells and 765 genes, scaled; marker genes of the cell types are relevant."""
    X, genes, labels = _pbmc68k()
    relevant = np.isin(genes, MARKERS)
    return Parts(labels, X[:, relevant], X[:, ~relevant])


def cluster_loco(rng: Random, kind: str, p: int) -> Parts:
    """A simulation of He and Allen (2026): 7 clusters of 200 rows in 10 informative features.

    Clusters have random correlations (LKJ). Half of the noise is permuted copies of informative features,
    half Gaussian ("gamma": gamma). "gaussian": centers are Gaussian; their standard deviation of 2 is ours,
    the description has none. "moons": rings and moons in two features, and eight that rotate them at
    random in each cluster. "gamma": gamma distributions of shape 7 whose scales differ between the clusters.
    """
    labels = np.repeat(np.arange(N_CLUSTERS), PER_CLUSTER)
    make = {"gaussian": _gaussian, "moons": _moons, "gamma": _gamma}[kind]
    signal = np.vstack([make(rng, cluster) for cluster in range(N_CLUSTERS)])
    half = (p - INFORMATIVE) // 2
    copies = [rng.permutation(signal[:, rng.integers(INFORMATIVE)]) for _ in range(half)]
    size = (len(labels), p - INFORMATIVE - half)
    rest = rng.gamma(7.0, 1.0, size=size) if kind == "gamma" else rng.normal(size=size)
    return Parts(labels, signal, np.hstack([np.column_stack(copies), rest]))


def sparse_kmeans_design(rng: Random, mu: float, p: int, q: int = 50) -> Parts:
    """Section 3.3.1 of Witten and Tibshirani (2010): 3 classes of 20 rows that differ in q features.

    Their means are mu, -mu and 0.
    """
    labels = np.repeat(np.arange(3), 20)
    X = rng.normal(size=(60, p))
    X[:, :q] += mu * np.array([1.0, -1.0, 0.0])[labels][:, None]
    return Parts(labels, X[:, :q], X[:, q:])


def clustvarsel_example(rng: Random, n: int = 200) -> Parts:
    """The example of clustvarsel: two clusters in X1 and X2; X3 is X1 with noise, X4 and X5 are noise.

    X3 differs between the clusters, but says nothing beyond X1: by the authors' definition it is irrelevant.
    """
    labels = (rng.random(n) >= 0.5).astype(int)
    covariances = np.array([[[1.0, 0.5], [0.5, 1.0]], [[1.5, -0.7], [-0.7, 1.5]]])
    roots = np.linalg.cholesky(covariances)[labels]
    signal = 3.0 * labels[:, None] + np.einsum("nij,nj->ni", roots, rng.normal(size=(n, 2)))
    noise = [signal[:, 0] + rng.normal(size=n), rng.normal(1.5, 2, size=n), rng.normal(2, 1, size=n)]
    return Parts(labels, signal, np.column_stack(noise))


def _gaussian(rng: Random, cluster: int) -> np.ndarray:
    root = np.linalg.cholesky(_correlation(rng, INFORMATIVE, 1 / (cluster + 1)))
    center = SEPARATION["gaussian"] * rng.normal(size=INFORMATIVE)
    return center + rng.normal(size=(PER_CLUSTER, INFORMATIVE)) @ root.T


def _moons(rng: Random, cluster: int) -> np.ndarray:
    """A thin ring or a disc with a bite, stretched; then eight features that rotate it."""
    outer = np.sqrt(stats.chi2.ppf(0.95, df=2))
    ring = rng.random() < 0.5
    direction = rng.normal(size=2)
    bite = 0.418 * outer * direction / np.linalg.norm(direction)
    points = np.empty((0, 2))
    while len(points) < PER_CLUSTER:
        drawn = rng.normal(size=(10 * PER_CLUSTER, 2))
        radius = np.linalg.norm(drawn, axis=1)
        inner = radius >= 0.98 * outer if ring else np.linalg.norm(drawn - bite, axis=1) >= 0.976 * outer
        points = np.vstack([points, drawn[inner & (radius <= outer)]])
    root = np.linalg.cholesky(_correlation(rng, 2, 1 / (cluster + 1)))
    plane = SEPARATION["moons"] * rng.normal(size=2) + points[:PER_CLUSTER] @ root.T
    rotation = np.linalg.qr(rng.normal(size=(INFORMATIVE - 2, INFORMATIVE - 2)))[0][:, :2]
    return np.hstack([plane, plane @ rotation.T])


def _gamma(rng: Random, cluster: int) -> np.ndarray:
    """Gamma margins coupled by a Gaussian copula."""
    correlation = _correlation(rng, INFORMATIVE, 1 / (cluster + 1))
    latent = rng.normal(size=(PER_CLUSTER, INFORMATIVE)) @ np.linalg.cholesky(correlation).T
    signs = rng.choice([-1.0, 1.0], size=(N_CLUSTERS, INFORMATIVE))
    own = (signs - signs.mean(axis=0))[cluster]
    jitter = rng.normal(scale=0.05, size=INFORMATIVE)
    scale = np.exp(rng.normal(scale=0.3, size=INFORMATIVE) + rng.normal(scale=0.2) + 0.8 * own + jitter)
    return stats.gamma.ppf(stats.norm.cdf(latent).clip(1e-12, 1 - 1e-12), 7.0, scale=scale)


def _correlation(rng: Random, size: int, eta: float) -> np.ndarray:
    """A correlation matrix of the LKJ distribution, by the onion method (Lewandowski and others 2009)."""
    beta = eta + (size - 2) / 2
    found = np.eye(2)
    found[0, 1] = found[1, 0] = 2 * rng.beta(beta, beta) - 1
    for k in range(2, size):
        beta -= 0.5
        direction = rng.normal(size=k)
        direction *= np.sqrt(rng.beta(k / 2, beta)) / np.linalg.norm(direction)
        row = np.linalg.cholesky(found) @ direction
        found = np.block([[found, row[:, None]], [row[None], np.ones((1, 1))]])
    return (1 - 1e-6) * found + 1e-6 * np.eye(size)  # so that rounding leaves it positive definite


@cache
def _pbmc68k() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cells by genes, names of the genes, cell types; read without importing scanpy."""
    import h5py

    found = find_spec("scanpy")
    assert found is not None
    folder = Path(*(found.submodule_search_locations or ()))
    with h5py.File(folder / PBMC_FILE) as file:
        return file["X"][:].astype(float), file["var"]["index"].astype(str), file["obs"]["bulk_labels"]
