"""A round of refined clustering: draw features by weight, cluster, and evaluate every feature.

Plain functions on plain data, for any joblib backend. A replicate depends on its seed, the weights and the
data alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xcompare.bagging.kmeans.centers import nearest_center
from xcompare.bagging.kmeans.lloyd import kmeans, random_initializations
from xcompare.bagging.resampling import draw_rows
from xcompare.core.threads import one_blas_thread
from xcompare.refined.data import Data
from xcompare.refined.density_gap import density_gap

DRAWN_SHARE = 0.5  # of the effective number of features, drawn per replicate
MIN_FEATURES = 2  # drawn: a single feature always explains its own partition
EXPLORED = 4  # one replicate in four draws features uniformly, except in the last round
EXCLUDED = 0.25  # share of the replicates without a feature of few values, to evaluate it on them
WITHOUT_FACTORS = 0.6  # share of the replicates that remove common factors, where there are any
GAP_POWER = 2  # of 1 + gap squared, in the weight of a replicate
MIN_WEIGHT = 1e-12  # relative to the largest, so that all features can be drawn
ROWS_PER_FEATURE = 10  # needed to estimate the covariance for whitening
ROUNDING = 1e-9  # tolerance before rounding up the number of features
MIN_VARIANCE = 1e-6  # relative to the largest, below which a direction is dropped


class RoundReplicas(NamedTuple):
    """Results of the replicates of a round or batch."""

    labels: np.ndarray  # (n_replicas, n_samples), codes 0..K-1
    features: np.ndarray  # (n_replicas, n_features), bool: drawn
    whitened: np.ndarray  # (n_replicas,), bool
    removed: np.ndarray  # (n_replicas,), number of common factors removed
    weights: np.ndarray  # (n_replicas,)
    information: np.ndarray  # (n_replicas, n_features), of all features, see `Data.information`
    loadings: np.ndarray  # (n_replicas, n_features), see `cut_loadings`; 0 if not whitened


def drawing(importances: np.ndarray, exponent: float) -> tuple[np.ndarray, int]:
    """Drawing weights of the features, the largest 1, and the number drawn per replicate.

    The number is half of the effective number of features: the squared sum of the weights over the sum of
    their squares, which is p for p equal weights and 1 for a single nonzero one.

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
    effective = weights.sum() ** 2 / (weights**2).sum()
    return weights, max(MIN_FEATURES, int(np.ceil(DRAWN_SHARE * effective - ROUNDING)))


def subspace_sizes(n_replicas: int, n_features: int) -> np.ndarray:
    """Subspace sizes of replicates that draw uniformly: 2, 3, a quarter and a half of the features, in turn.

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
    """Fit one replicate per seed, with one BLAS thread: parallelism is across batches.

    ``uniform`` holds the subspace size of each replicate that draws features uniformly; 0 for those that draw
    ``m`` features by weight.
    """
    n_features, n = data.untied.shape
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
            by_size.setdefault(len(one.points), []).append(b)
        for some in by_size.values():  # K-means on stacks of equal size
            points, counts, init = (
                np.stack([getattr(drawn[b], name) for b in some]) for name in ("points", "counts", "init")
            )
            labels[some] = nearest_center(points, kmeans(points, counts, init)[:, None])[0][:, 0]
        for b, one in enumerate(drawn):
            features[b, one.chosen] = True
            untied = data.untied_of(one.chosen, one.donors, one.removed)
            if one.root is not None:
                firsts = data.firsts(one.chosen)
                untied = one.root[np.ix_(firsts, firsts)] @ untied
                of_features = np.add.reduceat(cut_loadings(one.points, labels[b], one.root), firsts)
                loadings[b, one.chosen] = of_features / (of_features.max() or 1.0)
            quality[b] = (1 + density_gap(untied, labels[b]) ** 2) ** GAP_POWER
        information = data.together(data.information(labels))
    white = np.array([one.white for one in drawn])
    removed = np.array([one.removed for one in drawn])
    return RoundReplicas(labels, features, white, removed, quality, information, data.together(loadings))


class _Drawn(NamedTuple):
    """Features, rows and initial centres of a replicate."""

    chosen: np.ndarray  # (m,), features
    white: bool  # whether to whiten
    root: np.ndarray | None  # whitening matrix, None with too few rows
    points: np.ndarray  # (m_dimensions, n_samples)
    donors: np.ndarray | None  # (m, n_samples), rows that values are taken from; None: all are known
    counts: np.ndarray  # (n_samples,), how often each row was drawn
    init: np.ndarray  # (n_init, n_clusters, m_dimensions)
    removed: int  # common factors


def _draw(data: Data, weights: np.ndarray, m: int, seed: int, uniform: bool) -> _Drawn:
    """Draw the features, rows and initial centres of a replicate."""
    rng, n = np.random.default_rng(seed), data.points.shape[1]
    firsts = np.unique(data.unit)
    by = np.ones(len(firsts)) if uniform else weights
    chosen = data.drawn(firsts[draw_by_weight(by, m, data.few_units[firsts], rng)])
    removed = factors_removed(data.factors.n_factors, rng)
    white = bool(rng.random() < 0.5)
    rows = rng.integers(n, size=n) if data.row_weights is None else draw_rows(data.row_weights, rng)
    counts = np.bincount(rows, minlength=n)
    donors = data.donors(chosen, (seed, 1), counts)
    points = data.points_of(chosen, donors, removed)
    root = whitening(points, ~data.few[data.block[data.dimensions(chosen)]]) if white else None
    points = points if root is None else root @ points
    init = random_initializations(points, counts, data.n_clusters, data.n_init, rng)
    return _Drawn(chosen, white, root, points, donors, counts, init, removed)


def whitening(points: np.ndarray, dense: np.ndarray) -> np.ndarray | None:
    """Whitening matrix of the dense features.

    K-means splits along directions of large variance, such as correlated noise or elongated clusters.

    ``points`` of shape (n_features, n_samples). ``dense`` of shape (n_features,): the others have few values
    and are not transformed. Returns shape (n_features, n_features) or None: symmetric inverse square root of
    the covariance, which changes each feature least. None with fewer than ten rows per feature or fewer than
    two dense features.
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
    """Squared loadings of features on the differences between cluster means, the largest 1.

    After whitening, a direction that separates clusters may combine features that are uninformative on their
    own: as in linear discriminant analysis, the loadings identify them.

    ``labels`` of shape (n_samples,). ``points`` of shape (n_features, n_samples): whitened. ``root`` of shape
    (n_features, n_features): whitening matrix. Returns shape (n_features,).
    """
    sizes = np.bincount(labels)
    used = np.flatnonzero(sizes)
    means = np.stack([points[:, labels == k].mean(axis=1) for k in used])
    directions = (means - means.mean(axis=0)) @ root
    squares = sizes[used] @ np.square(directions)
    return squares / (squares.max() or 1.0)


def factors_removed(n_factors: int, rng: np.random.Generator) -> int:
    """Number of common factors that a replicate removes, if it does: any number is as likely."""
    return int(rng.integers(1, n_factors + 1)) if n_factors and rng.random() < WITHOUT_FACTORS else 0


def draw_by_weight(weights: np.ndarray, m: int, few: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Features of a replicate, ascending: ``m`` drawn by weight.

    Each feature with few values is excluded from a quarter of the replicates, to be evaluated on them.
    """
    order = np.argsort(
        rng.exponential(size=len(weights)) / weights
    )  # sequential sampling without replacement
    excluded = few & (rng.random(len(weights)) < EXCLUDED)
    eligible = order[~excluded[order]]
    return np.sort((eligible if eligible.size else order[:1])[:m])


def round_importances(replicas: RoundReplicas, few: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Importances from a round; those of the previous round for features without an estimate.

    Any feature explains a partition that it helped to make, so without a density gap such a replicate is no
    evidence for it. A feature with few values gets nothing from its own replicates. The others get their full
    weight if no feature has few values, and less the more have: otherwise they would outrank those that do.
    """
    largest = np.where(replicas.features, replicas.information, 0.0).max(axis=1, keepdims=True)
    shares = np.minimum(replicas.information / np.where(largest > 0, largest, 1.0), 1.0)
    shares = np.where(replicas.loadings > 0, np.maximum(shares, replicas.loadings), shares)
    weights = replicas.weights[:, None]
    mass = np.where(replicas.features, np.where(few, 0.0, weights - few.mean()), weights)
    total = mass.sum(axis=0)
    means = np.divide((mass * shares).sum(axis=0), total, out=before.copy(), where=total > 0)
    # Estimates of 0 scatter around 0: only their mean is clipped.
    return np.maximum(means, 0.0)
