"""Tier 1: simulated data with known relevant features; one function per design.

Every function takes a random generator and its parameters and returns `Parts`. Signal features differ between
clusters, alone or jointly with other signal features; noise is independent of the clusters.
"""

from typing import NamedTuple

import numpy as np

from xcompare import rbridge
from xcompare.core.features import FeatureKind
from xcompare.io.datasets import load_dataset

APART = 2.5  # standard deviations between the centres of neighbouring clusters, by default


class Parts(NamedTuple):
    """One draw of a scenario, before its columns are shuffled.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,) or None
        None: there are no clusters.
    signal : ndarray of shape (n_samples, n_signal)
        Relevant features.
    noise : ndarray of shape (n_samples, n_noise)
    unclear : ndarray of shape (n_samples, n_unclear) or None
        Features of unknown relevance, which do not count.
    kinds : tuple of {"numeric", "ordinal", "nominal"}
        Of the relevant features and the noise, which hold codes of levels if not numeric; empty if all are.
    """

    labels: np.ndarray | None
    signal: np.ndarray
    noise: np.ndarray
    unclear: np.ndarray | None = None
    kinds: tuple[FeatureKind, ...] = ()


Random = np.random.Generator


def shared(
    rng: Random, n: int = 200, n_signal: int = 3, n_noise: int = 7, k: int = 3, apart: float = APART
) -> Parts:
    """Gaussian clusters shared by all signal features."""
    labels = _labels(rng, n, k)
    return Parts(labels, cluster_features(rng, labels, n_signal, apart), rng.normal(size=(n, n_noise)))


def lone(rng: Random, n: int = 200, n_noise: int = 9, apart: float = 5.0) -> Parts:
    """Two groups in a single feature."""
    return shared(rng, n, 1, n_noise, k=2, apart=apart)


def correlated_noise(rng: Random, n: int = 200, n_noise: int = 7, correlation: float = 0.8) -> Parts:
    """Correlated noise, whose large variance attracts the splits of K-means."""
    labels, signal, noise, *_ = shared(rng, n, n_noise=n_noise)
    common = rng.normal(size=(n, 1))
    return Parts(labels, signal, np.sqrt(correlation) * common + np.sqrt(1 - correlation) * noise)


def heavy_tails(rng: Random, n: int = 200, n_noise: int = 7, df: float = 2.0) -> Parts:
    """Noise with Student's t distribution, hence outliers."""
    return shared(rng, n, n_noise=0)._replace(noise=rng.standard_t(df, size=(n, n_noise)))


def skewed(rng: Random, n: int = 200, n_noise: int = 7, sigma: float = 1.0) -> Parts:
    """Log-normal noise."""
    return shared(rng, n, n_noise=0)._replace(noise=rng.lognormal(0, sigma, size=(n, n_noise)))


def small_cluster(
    rng: Random, n: int = 200, share: float = 0.05, n_signal: int = 3, n_noise: int = 7, apart: float = 5.0
) -> Parts:
    """One cluster with nearly all rows, and one with few rows."""
    labels = (np.arange(n) < round(share * n)).astype(int)
    signal = rng.normal(size=(n, n_signal)) + apart * labels[:, None]
    return Parts(labels, signal, rng.normal(size=(n, n_noise)))


def diagonals(rng: Random, n: int = 200, n_noise: int = 6, length: float = 4.0, apart: float = 4.0) -> Parts:
    """Two elongated clusters along the diagonal; each single feature is unimodal."""
    labels = _labels(rng, n, 2)
    along, across = length * rng.normal(size=n), apart * (labels - 0.5) + 0.4 * rng.normal(size=n)
    signal = np.column_stack([along + across, along - across]) / np.sqrt(2)
    return Parts(labels, signal, rng.normal(size=(n, n_noise)))


def rings(rng: Random, n: int = 300, n_noise: int = 6, inner: float = 0.35, blur: float = 0.06) -> Parts:
    """A ring within a ring."""
    labels = _labels(rng, n, 2)
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(labels == 0, inner, 1.0)
    signal = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return Parts(labels, signal + blur * rng.normal(size=(n, 2)), rng.normal(size=(n, n_noise)))


def moons(rng: Random, n: int = 300, n_noise: int = 6, blur: float = 0.08) -> Parts:
    """Two interleaving half circles."""
    labels = _labels(rng, n, 2)
    angle = rng.uniform(0, np.pi, n)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    signal = np.where(labels[:, None] == 0, upper, [1.0, 0.5] - upper)
    return Parts(labels, signal + blur * rng.normal(size=(n, 2)), rng.normal(size=(n, n_noise)))


def discrete_noise(
    rng: Random, n: int = 200, n_noise: int = 7, n_discrete: int = 4, n_values: int = 2, apart: float = 1.5
) -> Parts:
    """Some noise features take few values, with equal probabilities."""
    labels, signal, noise, *_ = shared(rng, n, n_noise=n_noise, apart=apart)
    noise[:, :n_discrete] = rng.integers(n_values, size=(n, n_discrete))
    return Parts(labels, signal, noise)


def copies(rng: Random, n: int = 200, n_copies: int = 3, n_noise: int = 6, blur: float = 0.2) -> Parts:
    """Features that are redundant with a signal feature, and therefore relevant."""
    labels, signal, noise, *_ = shared(rng, n, n_noise=n_noise)
    near = signal[:, :1] + blur * rng.normal(size=(n, n_copies))
    return Parts(labels, np.hstack([signal, near]), noise)


def one_cluster_each(
    rng: Random, n: int = 240, n_signal: int = 3, n_noise: int = 7, apart: float = 4.0
) -> Parts:
    """Each signal feature separates one cluster from all others."""
    labels = _labels(rng, n, n_signal + 1)
    signal = rng.normal(size=(n, n_signal)) + apart * (labels[:, None] == np.arange(n_signal))
    return Parts(labels, signal, rng.normal(size=(n, n_noise)))


def unequal(rng: Random, n: int = 240, n_signal: int = 3, n_noise: int = 7) -> Parts:
    """Clusters of 60, 30 and 10% of the rows with standard deviations of 0.5, 1 and 2."""
    labels = np.repeat(np.arange(3), [round(0.6 * n), round(0.3 * n), n - round(0.6 * n) - round(0.3 * n)])
    places = _places(rng, 3, n_signal, 3.0)
    signal = places[labels] + np.array([0.5, 1.0, 2.0])[labels][:, None] * rng.normal(size=(n, n_signal))
    return Parts(labels, signal, rng.normal(size=(n, n_noise)))


def outliers(rng: Random, n: int = 200, n_noise: int = 7, share: float = 0.02, far: float = 10.0) -> Parts:
    """Noise features have outliers, in rows of any cluster."""
    labels, signal, noise, *_ = shared(rng, n, n_noise=n_noise)
    wrong = rng.uniform(size=noise.shape) < share
    return Parts(labels, signal, np.where(wrong, far * rng.choice([-1, 1], size=noise.shape), noise))


def paper(rng: Random, dataset: str) -> Parts:
    """A design of arXiv:2603.19840."""
    data = load_dataset(dataset, seed=int(rng.integers(2**31)))
    assert data.relevant is not None
    return Parts(data.labels, data.X[:, data.relevant], data.X[:, ~data.relevant])


def cluster_design(
    rng: Random, k: int = 3, separation: float = 0.21, n_signal: int = 4, n_noise: int = 4
) -> Parts:
    """A design of R's clusterGeneration: ellipsoidal clusters, rotated at random (Qiu and Joe 2006)."""
    design = {"n_clusters": k, "separation": separation, "n_informative": n_signal, "n_noisy": n_noise}
    found = rbridge.call("xc_cluster_design", design, seed=int(rng.integers(2**31 - 1))).values
    noisy = np.asarray(found["noisy"], dtype=bool)
    return Parts(np.asarray(found["labels"]).astype(int), found["x"][:, ~noisy], found["x"][:, noisy])


def nothing(rng: Random, n: int = 100, p: int = 6, kind: str = "correlated") -> Parts:
    """No clusters: unimodal distributions of several shapes."""
    noise = {
        "correlated": lambda: np.sqrt(0.5) * (rng.normal(size=(n, 1)) + rng.normal(size=(n, p))),
        "uniform": lambda: rng.uniform(size=(n, p)),
        "heavy": lambda: rng.standard_t(3, size=(n, p)),
        "skewed": lambda: rng.exponential(size=(n, p)),
        "counts": lambda: rng.poisson(2.0, size=(n, p)).astype(float),
        "log_counts": lambda: np.log1p(
            rng.poisson(np.exp(rng.normal(scale=0.6, size=(n, 1)) + rng.normal(size=p)))
        ),
        "binary": lambda: (rng.random((n, p)) < rng.uniform(0.2, 0.8, size=p)).astype(float),
        "grades": lambda: np.clip(
            np.round(3 + rng.normal(size=(n, 1)) * 0.7 + rng.normal(size=(n, p)) * 0.8), 1, 5
        ),
        "ball": lambda: _ball(rng, n, p),
        "mixed": lambda: np.column_stack(
            [
                rng.normal(size=n),
                rng.uniform(size=n),
                rng.exponential(size=n),
                rng.standard_t(3, size=n),
                rng.poisson(2.0, size=n),
                rng.random(n) < 0.5,
            ]
        ).astype(float),
        "gaussian": lambda: rng.normal(size=(n, p)),
    }[kind]()
    return Parts(None, np.empty((n, 0)), noise)


def _ball(rng: Random, n: int, p: int) -> np.ndarray:
    points = rng.normal(size=(n, p))
    return points / np.linalg.norm(points, axis=1, keepdims=True) * rng.random((n, 1)) ** (1 / p)


def _labels(rng: Random, n: int, k: int) -> np.ndarray:
    """Clusters of equal size, rows in random order."""
    return rng.permutation(np.arange(n) % k)


def _places(rng: Random, k: int, n_features: int, apart: float) -> np.ndarray:
    """Cluster centres: equally spaced in every feature, in a random order for each."""
    steps = apart * (np.arange(k) - (k - 1) / 2)
    return np.column_stack([rng.permutation(steps) for _ in range(n_features)])


def cluster_features(rng: Random, labels: np.ndarray, n_features: int, apart: float) -> np.ndarray:
    """Gaussian features whose cluster centres are equally spaced."""
    places = _places(rng, int(labels.max()) + 1, n_features, apart)
    return places[labels] + rng.normal(size=(len(labels), n_features))
