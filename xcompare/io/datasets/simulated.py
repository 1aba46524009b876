"""The simulated data of the paper."""

import numpy as np

from xcompare.io.datasets.dataset import Dataset


def illustrative(seed: int) -> Dataset:
    """Three Gaussian clusters of 99 points in X1..X3; X4..X6 are uniform noise on their ranges."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(3), 99)
    means = np.array([[0.0, 0.0, 1.0], [3.0, 3.0, 3.0], [3.0, 6.0, 5.0]])
    signal = means[labels] + rng.normal(size=(297, 3)) * np.sqrt([0.5, 0.1, 0.09])
    noise = [_uniform_like(signal[:, columns], 1, rng) for columns in ([0, 1], [0], [1])]
    return _dataset("illustrative", [signal, *noise], labels, ["signal", "noise", "noise", "noise"])


def overlap(seed: int) -> Dataset:
    """Four clusters of 30; three blocks of five features with increasing overlap; six noise features."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(4), 30)
    spreads = [0.2, 0.35, 0.5]
    blocks = [labels[:, None] + 1 + sd * rng.normal(size=(120, 5)) for sd in spreads]
    return _with_noise("overlap", blocks, spreads, 2, labels, rng)


def proportion(seed: int) -> Dataset:
    """Five clusters of 15, 20, 40, 30 and 15; two blocks of four features; eight noise features."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(5), [15, 20, 40, 30, 15])
    spreads = [0.25, 0.5]
    blocks = [labels[:, None] + 1 + sd * rng.normal(size=(120, 4)) for sd in spreads]
    return _with_noise("proportion", blocks, spreads, 4, labels, rng)


def correlation(seed: int) -> Dataset:
    """Four clusters of 30; three blocks of four correlated features; six noise features."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(4), 30)
    loading = np.array([1.0, 0.75, 0.25, 0.1])
    correlations = np.outer(loading, loading)
    np.fill_diagonal(correlations, 1.0)
    spreads = [0.25, 0.35, 0.45]
    blocks = [
        labels[:, None] + 1 + sd * rng.multivariate_normal(np.zeros(4), correlations, size=120)
        for sd in spreads
    ]
    return _with_noise("correlation", blocks, spreads, 2, labels, rng)


def _with_noise(name, blocks, spreads, n_noise, labels, rng) -> Dataset:
    """Append ``n_noise`` uniform features on the range of each block."""
    noise = [_uniform_like(block, n_noise, rng) for block in blocks]
    groups = [f"sd {sd:g}" for sd in spreads] + ["noise"] * len(noise)
    return _dataset(name, [*blocks, *noise], labels, groups)


def _uniform_like(block: np.ndarray, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Columns uniform on the joint range of the block."""
    return rng.uniform(block.min(), block.max(), size=(len(block), n_features))


def _dataset(name, parts, labels, groups) -> Dataset:
    """Join the parts; every column takes its part's group name."""
    X = np.hstack(parts)
    column_groups = tuple(
        group for part, group in zip(parts, groups, strict=True) for _ in range(part.shape[1])
    )
    relevant = np.array([group != "noise" for group in column_groups])
    names = tuple(f"X{j + 1}" for j in range(X.shape[1]))
    return Dataset(name, X, labels, names, int(labels.max()) + 1, relevant, column_groups)
