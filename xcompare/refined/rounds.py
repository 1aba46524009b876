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
from xcompare.core.blocks import slices
from xcompare.core.threads import one_blas_thread
from xcompare.refined.data import RefinedData
from xcompare.refined.density_gap import cluster_means, density_gap

DRAWN_SHARE = 0.5  # of the effective number of features, drawn per replicate
MIN_FEATURES = 2  # drawn: a single feature always explains its own partition
EXPLORED = 4  # one replicate in four draws features uniformly, except in the last round
EXCLUDED = 0.25  # share of the replicates without a feature of few values, to evaluate it on them
WITHOUT_FACTORS = 0.6  # share of the replicates that remove common factors, where there are any
GAP_POWER = 2  # of 1 + gap squared, in the weight of a replicate
MIN_WEIGHT = 1e-12  # relative to the largest, so that all features can be drawn
ROWS_PER_FEATURE = 10  # needed to estimate the covariance for whitening
STACK_VALUES = 2**20  # fitted at a time
ROUNDING = 1e-9  # tolerance before rounding up the number of features
MIN_VARIANCE = 1e-6  # relative to the largest, below which a direction is dropped


class RoundReplicas(NamedTuple):
    """Results of the replicates of a round or batch."""

    labels: np.ndarray  # (n_replicas, n_samples), codes 0..K-1
    features: np.ndarray  # (n_replicas, n_features), bool: drawn
    whitened: np.ndarray  # (n_replicas,), bool
    removed: np.ndarray  # (n_replicas,), number of common factors removed
    symmetric: np.ndarray  # (n_replicas,), bool: with skewed features made symmetric
    weights: np.ndarray  # (n_replicas,)
    information: np.ndarray  # (n_replicas, n_features), of all features, see `RefinedData.information`
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
    data: RefinedData, weights: np.ndarray, m: int, seeds: Sequence[int], uniform: Sequence[int]
) -> RoundReplicas:
    """Fit one replicate per seed, with one BLAS thread: parallelism is across batches.

    ``uniform`` holds the subspace size of each replicate that draws features uniformly; 0 for those that draw
    ``m`` features by weight. Replicates of equal size are fitted as one stack.
    """
    n_features, n = data.scales[0].untied.shape
    labels = np.empty((len(seeds), n), dtype=np.int32)
    features = np.zeros((len(seeds), n_features), dtype=bool)
    gaps = np.empty(len(seeds))
    loadings = np.zeros((len(seeds), n_features))
    with one_blas_thread():
        drawn = [
            _draw(data, weights, size or m, seed, bool(size))
            for seed, size in zip(seeds, uniform, strict=True)
        ]
        stacks: dict[tuple[int, int], list[int]] = {}
        for b, one in enumerate(drawn):
            stacks.setdefault((len(data.dimensions(one.chosen)), len(one.chosen)), []).append(b)
        for (size, _), stack in stacks.items():
            for part in slices(len(stack), max(1, STACK_VALUES // (size * n))):
                some = np.array(stack[part])
                chosen = np.stack([drawn[b].chosen for b in some])
                features[some[:, None], chosen] = True
                labels[some], gaps[some], loadings[some[:, None], chosen] = _fit(
                    data, chosen, [drawn[b] for b in some]
                )
        information = data.together(data.information(labels))
    return RoundReplicas(
        labels,
        features,
        np.array([one.white for one in drawn]),
        np.array([one.removed for one in drawn]),
        np.array([one.scale > 0 for one in drawn]),
        (1 + gaps**2) ** GAP_POWER,
        information,
        data.together(loadings),
    )


class _Drawn(NamedTuple):
    """Features and rows of a replicate."""

    chosen: np.ndarray  # (m,), features
    white: bool  # whether to whiten
    donors: np.ndarray | None  # (m, n_samples), rows that values are taken from; None: all are known
    counts: np.ndarray  # (n_samples,), how often each row was drawn
    removed: int  # common factors
    scale: int  # of the points
    rng: np.random.Generator  # for the initial centres


def _draw(data: RefinedData, weights: np.ndarray, m: int, seed: int, uniform: bool) -> _Drawn:
    """Draw the features and rows of a replicate."""
    rng, n = np.random.default_rng(seed), data.scales[0].expected.shape[1]
    by = np.ones(len(data.firsts)) if uniform else weights
    chosen = data.drawn(data.firsts[draw_by_weight(by, m, data.few_units[data.firsts], rng)])
    scale = int(rng.integers(len(data.scales))) if len(data.scales) > 1 else 0
    removed = factors_removed(data.scales[scale].factors.n_factors, rng)
    white = bool(rng.random() < 0.5)
    rows = rng.integers(n, size=n) if data.row_weights is None else draw_rows(data.row_weights, rng)
    counts = np.bincount(rows, minlength=n)
    donors = data.donors(chosen, (seed, 1), counts)
    return _Drawn(chosen, white, donors, counts, removed, scale, rng)


def _fit(
    data: RefinedData, chosen: np.ndarray, drawn: Sequence[_Drawn]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cluster replicates of equal size, ``chosen`` of shape (n_replicas, m), and evaluate the partitions.

    Returns ``labels`` of shape (n_replicas, n_samples); ``gaps`` of shape (n_replicas,); ``loadings`` of
    shape (n_replicas, m), see `cut_loadings`; 0 if not whitened.
    """
    views = [(one.chosen, one.donors, one.removed, one.scale) for one in drawn]
    points = np.stack([data.points_of(*view) for view in views])
    untied = np.stack([data.untied_of(*view) for view in views])
    dense = np.stack([data.dense[data.dimensions(features)] for features in chosen])
    white = np.flatnonzero([one.white for one in drawn] & can_be_whitened(dense, points.shape[2]))
    roots = whitening(points[white], dense[white])
    firsts = np.stack([data.first_dimensions(chosen[b]) for b in white]) if white.size else chosen[:0]
    points[white] = roots @ points[white]
    which = np.arange(len(white))[:, None, None]
    untied[white] = roots[which, firsts[:, :, None], firsts[:, None]] @ untied[white]
    init = np.stack(
        [
            random_initializations(some, one.counts, data.n_clusters, data.n_init, one.rng)
            for some, one in zip(points, drawn, strict=True)
        ]
    )
    counts = np.stack([one.counts for one in drawn])
    labels = nearest_center(points, kmeans(points, counts, init)[:, None])[0][:, 0]
    loadings = np.zeros(chosen.shape)
    of_dimensions = cut_loadings(points[white], labels[white], roots)
    for b, squares, at in zip(white, of_dimensions, firsts, strict=True):
        of_features = np.add.reduceat(squares, at)
        loadings[b] = of_features / (of_features.max() or 1.0)
    return labels, density_gap(untied, labels), loadings


def can_be_whitened(dense: np.ndarray, n_samples: int) -> np.ndarray:
    """Whether there are ten rows per feature, and two dense features; ``dense`` as in `whitening`."""
    return (np.count_nonzero(dense, axis=-1) >= 2) & (n_samples >= ROWS_PER_FEATURE * dense.shape[-1])


def whitening(points: np.ndarray, dense: np.ndarray) -> np.ndarray:
    """Whitening matrix of the dense features.

    K-means splits along directions of large variance, such as correlated noise or elongated clusters.

    ``points`` of shape (..., n_features, n_samples). ``dense`` of shape (..., n_features): the others have
    few values and are not transformed. Returns shape (..., n_features, n_features): symmetric inverse square
    root of the covariance, which changes each feature least.
    """
    centered = points - points.mean(axis=-1, keepdims=True)
    covariances = centered @ centered.swapaxes(-1, -2) / (points.shape[-1] - 1)
    transformed = dense[..., None] & dense[..., None, :]
    variances, vectors = np.linalg.eigh(np.where(transformed, covariances, np.eye(points.shape[-2])))
    kept = variances > MIN_VARIANCE * variances.max(axis=-1, keepdims=True)
    scale = np.where(kept, 1 / np.sqrt(np.where(kept, variances, 1)), 0)
    return (vectors * scale[..., None, :]) @ vectors.swapaxes(-1, -2)


def cut_loadings(points: np.ndarray, labels: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Squared loadings of features on the differences between cluster means, the largest 1.

    After whitening, a direction that separates clusters may combine features that are uninformative on their
    own: as in linear discriminant analysis, the loadings identify them.

    ``labels`` of shape (..., n_samples). ``points`` of shape (..., n_features, n_samples): whitened. ``root``
    of shape (..., n_features, n_features): whitening matrix. Returns shape (..., n_features).
    """
    member, means = cluster_means(points, labels, int(labels.max(initial=0)) + 1)
    sizes = member.sum(axis=-1)
    used = (sizes > 0)[..., None]
    center = means.sum(axis=-2, keepdims=True, where=used) / used.sum(axis=-2, keepdims=True)
    directions = (means - center) @ root
    squares = (sizes[..., None, :] @ np.square(directions))[..., 0, :]
    return squares / np.maximum(squares.max(axis=-1, keepdims=True), np.finfo(float).tiny)


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
