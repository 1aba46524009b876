"""Tier 2: real data with labels, and appended noise.

An original feature is relevant if its distribution differs between the labelled classes (Kruskal-Wallis test,
q-value at most .01). The other original features do not count, as they may define clusters that are not
labelled. Appended features are noise: Gaussian, uniform, binary, and permuted copies of original features. A
permuted copy of a multimodal feature would still have clusters, so only continuous, unimodal features
(dip test, p > .05) are copied.
"""

from functools import cache

import numpy as np
from scipy.stats import kruskal
from sklearn.datasets import load_breast_cancer, load_digits

from xcompare import rbridge
from xcompare.inference.answer import q_values
from xcompare.inference.unimodality import dip_p_values
from xcompare.io.datasets import load_dataset
from xcompare.studies.benchmark.simulated import Parts, Random

LEVEL = 0.01  # largest q-value of a relevant feature
MOST_NOISE = 20  # appended features, by default
FEW_VALUES = 20  # a feature with more distinct values is continuous


def bundled(rng: Random, dataset: str) -> Parts:
    """A bundled dataset."""
    data = load_dataset(dataset)
    assert data.labels is not None
    return with_noise(rng, data.X, data.labels)


def wdbc(rng: Random) -> Parts:
    """Breast cancer, diagnostic (scikit-learn)."""
    return with_noise(rng, *load_breast_cancer(return_X_y=True))


def digits(rng: Random, n: int = 600) -> Parts:
    """The first rows of the handwritten digits (scikit-learn)."""
    X, labels = load_digits(return_X_y=True)
    return with_noise(rng, X[:n], labels[:n])


def from_r(
    rng: Random,
    package: str,
    table: str,
    label: str | tuple[str, ...],
    drop: tuple[str, ...] = (),
    most_variable: int | None = None,
    n_noise: int | None = None,
) -> Parts:
    """A table of an R package, optionally restricted to the features with the largest variance."""
    X, labels = _table(package, table, label, drop)
    if most_variable is not None:
        X = X[:, np.sort(np.argsort(-X.var(axis=0))[:most_variable])]
    return with_noise(rng, X, labels, n_noise)


def with_noise(rng: Random, X: np.ndarray, labels: np.ndarray, n_noise: int | None = None) -> Parts:
    """Original features, split by whether the classes differ in them, and appended noise.

    ``X`` of shape (n_samples, n_features) and ``labels`` of shape (n_samples,). ``n_noise``: None: as many as
    original features, from 4 to 20.
    """
    X = X[:, np.ptp(X, axis=0) > 0]
    codes = np.unique(labels, return_inverse=True)[1]
    classes = [codes == k for k in range(codes.max() + 1)]
    relevant = q_values(np.array([kruskal(*(x[rows] for rows in classes)).pvalue for x in X.T])) <= LEVEL
    count = n_noise or int(np.clip(X.shape[1], 4, MOST_NOISE))
    return Parts(codes, X[:, relevant], _noise(rng, X, count), X[:, ~relevant])


def _noise(rng: Random, X: np.ndarray, count: int) -> np.ndarray:
    """Columns of every type in turn."""
    n = len(X)
    continuous = np.array([len(np.unique(column)) > FEW_VALUES for column in X.T])
    one_peak = np.flatnonzero(continuous & (dip_p_values(X) > 0.05))
    kinds = [
        lambda: rng.normal(size=n),
        lambda: rng.uniform(size=n),
        lambda: rng.permutation(np.arange(n) % 2).astype(float),
    ]
    if len(one_peak):
        kinds.append(lambda: rng.permutation(X[:, rng.choice(one_peak)]))
    return np.column_stack([kinds[i % len(kinds)]() for i in range(count)])


@cache
def _table(package: str, table: str, label: str | tuple[str, ...], drop: tuple[str, ...]):
    """Features and classes; cached."""
    arguments = {"package": package, "name": table, "label": np.atleast_1d(label), "drop": list(drop)}
    found = rbridge.call("xc_labelled_data", arguments).values
    return np.asarray(found["x"], dtype=float), np.array(found["labels"])
