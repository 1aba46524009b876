"""A round of refined clustering, replica by replica: draw features by weight, cluster, and ask every feature.

Plain functions on plain data, so that any joblib backend can run them anywhere: what a replica gives depends
on its seed, the weights and the data alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from xcompare.bagging.information.discrete import discrete_information
from xcompare.bagging.information.mutual import without_density
from xcompare.bagging.kmeans.centers import nearest_center
from xcompare.bagging.kmeans.lloyd import kmeans, random_initializations
from xcompare.core.threads import one_blas_thread
from xcompare.refined.density_gap import density_gap

DRAWN_SHARE = 0.5  # of the features worth drawing, drawn for a replica
MIN_FEATURES = 2  # features drawn: one alone would always explain its own partition
EXPLORED = 4  # one replica in so many draws its features uniformly, in every round but the last
GAP_POWER = 2  # of 1 + gap squared: the weight of a replica
FEW_VALUES = 10  # different values up to which a feature needs company; at least two per cluster
MIN_WEIGHT = 1e-12  # share of the largest weight that a feature keeps, so that all can be drawn
ROWS_PER_FEATURE = 10  # needed to know the covariance well enough to take it out
ROUNDING = 1e-9  # of how many are worth drawing, before it is rounded up
MIN_VARIANCE = 1e-6  # share of the largest variance below which a direction is left out


@dataclass(frozen=True, eq=False)
class Data:
    """Everything a worker needs to make replicas of one dataset."""

    points: np.ndarray  # (n_features, n_samples), standardised
    codes: list[np.ndarray]  # of each feature, to count its information by
    few: np.ndarray  # (n_features,), bool: features of few values
    n_clusters: int
    n_init: int


class RoundReplicas(NamedTuple):
    """What the replicas of a round, or some of them, gave."""

    labels: np.ndarray  # (n_replicas, n_samples), codes 0..K-1
    features: np.ndarray  # (n_replicas, n_features), bool: drawn
    whitened: np.ndarray  # (n_replicas,), bool
    weights: np.ndarray  # (n_replicas,)
    information: np.ndarray  # (n_replicas, n_features), nats, of all features
    loadings: np.ndarray  # (n_replicas, n_features), of whitened replicas on their cut, squared, largest 1


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
    weights = np.maximum(weights / largest, MIN_WEIGHT) if largest > 0 else np.ones_like(weights)
    worth = weights.sum() ** 2 / (weights**2).sum()
    return weights, max(MIN_FEATURES, int(np.ceil(DRAWN_SHARE * worth - ROUNDING)))


def subspace_sizes(n_replicas: int, n_features: int) -> np.ndarray:
    """Subspace sizes of replicas that draw features uniformly: 2, 3, a quarter and a half of them, in turn.

    Small subspaces find a few relevant features among correlated noise, large ones many weak features.

    Examples
    --------
    >>> subspace_sizes(5, 20)
    array([ 2,  3,  5, 10,  2])
    """
    sizes = [2, 3, max(MIN_FEATURES, n_features // 4), max(MIN_FEATURES, -(-n_features // 2))]
    return np.minimum(np.resize(sizes, n_replicas), n_features)


def make_round(
    data: Data, weights: np.ndarray, m: int, seeds: Sequence[int], uniform: Sequence[int]
) -> RoundReplicas:
    """Replicas from their seeds, in one thread: parallelism is across batches, and rounding stays put.

    ``uniform`` holds a subspace size for each replica that draws its features uniformly, else 0: then it
    draws ``m`` by their weights.
    """
    n_features, n = data.points.shape
    labels = np.empty((len(seeds), n), dtype=np.int32)
    features = np.zeros((len(seeds), n_features), dtype=bool)
    quality = np.empty(len(seeds))
    loadings = np.zeros((len(seeds), n_features))
    with one_blas_thread():
        drawn = [
            _draw(data, weights, size or m, seed, bool(size))
            for seed, size in zip(seeds, uniform, strict=True)
        ]
        by_size: dict[int, list[int]] = {}
        for b, one in enumerate(drawn):
            by_size.setdefault(len(one.chosen), []).append(b)
        for some in by_size.values():  # K-means clusters replicas of one size together: fewer, larger steps
            points, counts, init = (
                np.stack([getattr(drawn[b], name) for b in some]) for name in ("points", "counts", "init")
            )
            labels[some] = nearest_center(points, kmeans(points, counts, init)[:, None])[0][:, 0]
        for b, one in enumerate(drawn):
            features[b, one.chosen] = True
            # Where no gap is deep all count about alike. Between few values there always is one.
            dense = ~data.few[one.chosen]
            quality[b] = (1 + density_gap(one.points[dense], labels[b]) ** 2) ** GAP_POWER
            if one.root is not None:
                loadings[b, one.chosen] = cut_loadings(one.points, labels[b], one.root)
        information = discrete_information(data.codes, labels, data.n_clusters)
    white = np.array([one.white for one in drawn])
    return RoundReplicas(labels, features, white, quality, information, loadings)


class _Drawn(NamedTuple):
    """What a replica draws before it clusters."""

    chosen: np.ndarray  # (m,), features
    white: bool  # whether to whiten them
    root: np.ndarray | None  # what whitens them, where there are rows enough
    points: np.ndarray  # (m, n_samples)
    counts: np.ndarray  # (n_samples,), how often each row was drawn
    init: np.ndarray  # (n_init, n_clusters, m)


def _draw(data: Data, weights: np.ndarray, m: int, seed: int, uniform: bool) -> _Drawn:
    """Features, rows and initial centres of a replica."""
    rng, n = np.random.default_rng(seed), data.points.shape[1]
    chosen = draw_by_weight(np.ones_like(weights) if uniform else weights, m, data.few, rng)
    points = data.points[chosen]
    white = bool(rng.random() < 0.5)
    root = whitening(points, ~data.few[chosen]) if white else None
    points = points if root is None else root @ points
    counts = np.bincount(rng.integers(n, size=n), minlength=n)
    init = random_initializations(points, counts, data.n_clusters, data.n_init, rng)
    return _Drawn(chosen, white, root, points, counts, init)


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
    kept = variances > MIN_VARIANCE * variances.max()
    root = np.eye(n_features)
    root[np.ix_(dense, dense)] = (vectors[:, kept] / np.sqrt(variances[kept])) @ vectors[:, kept].T
    return root


def cut_loadings(points: np.ndarray, labels: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Squared loadings of the features on the differences between cluster means, the largest 1.

    In whitened features a direction that separates clusters may need several features of which none alone
    carries information about the labels: as in linear discriminant analysis, the loadings show them.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
        Whitened.
    labels : ndarray of int of shape (n_samples,)
    root : ndarray of shape (n_features, n_features)
        What whitened them.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    sizes = np.bincount(labels)
    used = np.flatnonzero(sizes)
    means = np.stack([points[:, labels == k].mean(axis=1) for k in used])
    directions = (means - means.mean(axis=0)) @ root
    squares = sizes[used] @ np.square(directions)
    return squares / (squares.max() or 1.0)


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
    shares = np.where(replicas.loadings > 0, np.maximum(shares, replicas.loadings), shares)
    mass = replicas.weights[:, None] * ~(replicas.features & few)
    total = mass.sum(axis=0)
    means = np.divide((mass * shares).sum(axis=0), total, out=before.copy(), where=total > 0)
    # What chance gives is as often below 0 as above: only its mean is cut.
    return np.maximum(means, 0.0)
