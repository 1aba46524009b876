"""Simulated tables with columns of several kinds, and with missing values.

Each is a variant of the scenario "shared": three relevant features of ten, three clusters of 200 rows. A
relevant feature of any kind carries the same information about the clusters as one there, 0.763 nats, so that
a method can be compared with itself on numbers.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from xcompare.core.features import FeatureKind
from xcompare.studies.benchmark.simulated import Parts, Random, cluster_features, shared

KEPT = 0.9195  # share of the rows whose level is one of their cluster
LEVELS_EACH = 2  # levels of each cluster
GRADES_APART = 2.818  # between the cluster centres of what is cut into five grades
CUTS = np.array([-1.0, -0.5, 0.5, 1.0]) * GRADES_APART
N_GRADES = len(CUTS) + 1
NOISE_LEVELS = 2, 5, 10, 30  # of random categories, in turn
GAPS = 0.2  # share of missing values
STEEPNESS = 1.0  # change of the log of its probability, for each standard deviation


def table(
    rng: Random,
    n: int = 200,
    signal: Sequence[FeatureKind] = ("numeric",) * 3,
    noise: Sequence[FeatureKind] = ("numeric",) * 7,
    units: tuple[int, int] = (0, 0),
    gaps: Literal["none", "random", "by_value"] = "none",
) -> Parts:
    """Features of these kinds; numbers in units of 10 to a power of this range.

    ``gaps`` in every feature: at random, or more of the larger values (of levels: of later ones).
    """
    labels, signals, noises, *_ = shared(rng, n, len(signal), len(noise))
    assert labels is not None
    for j, kind in enumerate(signal):
        if kind == "nominal":
            signals[:, j] = rng.permutation(3 * LEVELS_EACH)[_own_levels(rng, labels)]
        elif kind == "ordinal":
            signals[:, j] = np.digitize(cluster_features(rng, labels, 1, GRADES_APART)[:, 0], CUTS)
    n_levels = iter(NOISE_LEVELS * len(noise))
    for j, kind in enumerate(noise):
        if kind != "numeric":
            noises[:, j] = rng.integers(N_GRADES if kind == "ordinal" else next(n_levels), size=n)
    kinds = (*signal, *noise)
    X = np.hstack([signals, noises])
    X = X * 10 ** np.where([kind == "numeric" for kind in kinds], rng.uniform(*units, size=len(kinds)), 0.0)
    chance = np.full(X.shape, 0.0 if gaps == "none" else GAPS)
    if gaps == "by_value":
        odds = np.exp(STEEPNESS * (X - X.mean(axis=0)) / X.std(axis=0))
        chance *= odds / odds.mean(axis=0)
    X = np.where(rng.random(X.shape) < chance, np.nan, X)
    return Parts(labels, X[:, : len(signal)], X[:, len(signal) :], kinds=kinds)


def _own_levels(rng: Random, labels: np.ndarray) -> np.ndarray:
    """A level of the cluster of each row, or sometimes of another."""
    moved = (labels + rng.integers(1, 3, size=len(labels))) % 3
    own = np.where(rng.random(len(labels)) < KEPT, labels, moved)
    return own * LEVELS_EACH + rng.integers(LEVELS_EACH, size=len(labels))
