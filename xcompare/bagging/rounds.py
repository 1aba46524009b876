"""A round of refined clustering, replica by replica: draw features by weight, cluster, and ask every feature.

Plain functions on plain data, so that any joblib backend can run them anywhere: what a replica gives depends
on its seed, the weights and the data alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from xcompare.bagging.centers import nearest_center
from xcompare.bagging.counting import counted_informations
from xcompare.bagging.information import without_density
from xcompare.bagging.kmeans import kmeans, random_starts
from xcompare.bagging.valley import valley
from xcompare.threads import keep_freed_memory, one_blas_thread

SHARE = 0.5  # of the features worth drawing, drawn for a replica
FEWEST = 2  # features drawn: one alone would always explain its own partition
FEW_VALUES = 10  # different values up to which a feature needs company; at least two per cluster
LEAST = 1e-12  # share of the largest weight that a feature keeps, so that all can be drawn
ROWS_PER_FEATURE = 10  # needed to know the covariance well enough to take it out
ROUNDING = 1e-9  # of how many are worth drawing, before it is rounded up
FLAT = 1e-6  # share of the largest variance below which a direction is left out


@dataclass(frozen=True, eq=False)
class Data:
    """Everything a worker needs to make replicas of one dataset."""

    points: np.ndarray  # (n_features, n_samples), standardised
    codes: list[np.ndarray]  # of each feature, to count its information by
    few: np.ndarray  # (n_features,), bool: features of few values
    n_clusters: int
    n_starts: int


class RoundReplicas(NamedTuple):
    """What the replicas of a round, or some of them, gave."""

    labels: np.ndarray  # (n_replicas, n_samples), codes 0..K-1
    features: np.ndarray  # (n_replicas, n_features), bool: drawn
    whitened: np.ndarray  # (n_replicas,), bool
    weights: np.ndarray  # (n_replicas,)
    information: np.ndarray  # (n_replicas, n_features), nats, of all features


def needs_company(points: np.ndarray, n_clusters: int) -> np.ndarray:
    """Which features, the rows of ``points``, have few values, or most rows at one."""
    few = max(FEW_VALUES, 2 * n_clusters)
    return without_density(points) | np.array([len(np.unique(x)) <= few for x in points])


def drawing(importances: np.ndarray, exponent: float) -> tuple[np.ndarray, int]:
    """How features are drawn: their weights, the largest 1, and how many at a time.

    The number is half of those worth drawing: the square of the sum of the weights over the sum of their
    squares, which is p for p equal weights and 1 if one has it all.

    Examples
    --------
    >>> drawing(np.array([1.0, 1.0, 1.0, 1.0, 0.5]), 1.0)
    (array([1. , 1. , 1. , 1. , 0.5]), 3)
    >>> drawing(np.array([1.0, 1.0, 1.0, 1.0, 0.5]), 4.0)[1]
    3
    """
    weights = importances**exponent
    largest = weights.max()
    weights = np.maximum(weights / largest, LEAST) if largest > 0 else np.ones_like(weights)
    worth = weights.sum() ** 2 / (weights**2).sum()
    return weights, max(FEWEST, int(np.ceil(SHARE * worth - ROUNDING)))


def make_round(data: Data, weights: np.ndarray, m: int, seeds: Sequence[int]) -> RoundReplicas:
    """Replicas from their seeds, in one thread: parallelism is across batches, and rounding stays put."""
    keep_freed_memory()
    n_features, n = data.points.shape
    labels = np.empty((len(seeds), n), dtype=np.int32)
    features = np.zeros((len(seeds), n_features), dtype=bool)
    white = np.empty(len(seeds), dtype=bool)
    quality = np.empty(len(seeds))
    with one_blas_thread():
        for b, seed in enumerate(seeds):
            rng = np.random.default_rng(seed)
            chosen = draw_by_weight(weights, m, data.few, rng)
            points, dense = data.points[chosen], ~data.few[chosen]
            white[b] = rng.random() < 0.5
            if white[b]:
                points = whitened(points, dense)
            counts = np.bincount(rng.integers(n, size=n), minlength=n)
            starts = random_starts(points, counts, data.n_clusters, data.n_starts, rng)
            centers = kmeans(points[None], counts[None], starts[None])
            labels[b] = nearest_center(points, centers)[0][0]
            features[b, chosen] = True
            # Where no valley is deep all count about alike. Between few values there always is one.
            quality[b] = 1 + valley(points[dense], labels[b]) ** 2
        information = counted_informations(data.codes, labels, data.n_clusters)
    return RoundReplicas(labels, features, white, quality, information)


def whitened(points: np.ndarray, dense: np.ndarray) -> np.ndarray:
    """Points in which no direction is longer than another; as they are if rows are too few to tell."""
    root = whitening(points, dense)
    return points if root is None else root @ points


def whitening(points: np.ndarray, dense: np.ndarray) -> np.ndarray | None:
    """What to multiply features with so that no direction is longer than another.

    K-means cuts what is long. Noise that hangs together is long, and so are clusters side by side along a
    diagonal.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    dense : ndarray of bool of shape (n_features,)
        The others have few values, and stay as they are.

    Returns
    -------
    ndarray of shape (n_features, n_features) or None
        The inverse root of the covariance, the symmetric one: each feature stays as near to itself as can
        be. None where there are fewer than ten rows per feature, or less than two features.
    """
    n_features, n = points.shape
    if n < ROWS_PER_FEATURE * n_features or dense.sum() < 2:
        return None
    variances, vectors = np.linalg.eigh(np.cov(points[dense]))
    kept = variances > FLAT * variances.max()
    root = np.eye(n_features)
    root[np.ix_(dense, dense)] = (vectors[:, kept] / np.sqrt(variances[kept])) @ vectors[:, kept].T
    return root


def draw_by_weight(weights: np.ndarray, m: int, few: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Features for a replica, ascending: ``m`` by their weights.

    Of the features of few values each stands aside in half of the replicas, to be judged by them.
    """
    order = np.argsort(rng.exponential(size=len(weights)) / weights)  # as if drawn one after the other
    aside = few & (rng.random(len(weights)) < 0.5)
    ready = order[~aside[order]]
    return np.sort((ready if ready.size else order[:1])[:m])


def round_importances(replicas: RoundReplicas, few: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Importances that a round of replicas gives; those of the round before where it tells nothing."""
    largest = np.where(replicas.features, replicas.information, 0.0).max(axis=1, keepdims=True)
    shares = np.minimum(replicas.information / np.where(largest > 0, largest, 1.0), 1.0)
    mass = replicas.weights[:, None] * ~(replicas.features & few)
    total = mass.sum(axis=0)
    means = np.divide((mass * shares).sum(axis=0), total, out=before.copy(), where=total > 0)
    # What chance gives is as often below 0 as above: only its mean is cut.
    return np.maximum(means, 0.0)
