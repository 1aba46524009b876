"""Fit an ensemble: draw replicates, cluster them, weight them, and estimate the information of each feature.

Plain functions on plain data, for any joblib backend. Replicates are clustered and weighted in batches; then
the information of features is estimated in blocks over all partitions, since replicates share clusters. Batch
sizes depend on the data alone, so that a replicate depends on its seed and not on the number of workers.

In a table with several kinds of features, or missing values, every replicate has points of its own: its
features may be several dimensions, and missing values are imputed once in its sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from xcompare.bagging.clusterers import cluster_with
from xcompare.bagging.dunn.index import dunn_indices
from xcompare.bagging.information.kinds import KindInformation
from xcompare.bagging.information.mutual import FeatureInformation, Information
from xcompare.bagging.kmeans.centers import nearest_center, nearest_of_many
from xcompare.bagging.kmeans.hamerly import hamerly_kmeans
from xcompare.bagging.kmeans.lloyd import LARGE, is_large, kmeans, random_initializations
from xcompare.bagging.redundancy import Groups, draw_features
from xcompare.bagging.resampling import Prior, Resampling, draw_replica
from xcompare.bagging.table import MixedTable
from xcompare.core.blocks import slices
from xcompare.core.threads import one_blas_thread

BATCH_REPLICAS, BATCH_VALUES = 25, 2**19  # maximum per batch
BLOCK_VALUES, BLOCK_ENTROPIES = 2**18, 2**22  # maximum per block of features

# Of several replicates: labels, features drawn, models and weights
Fitted = tuple[list[np.ndarray], list[np.ndarray], list[Any], list[float]]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Data and settings that workers need to fit replicates."""

    points: np.ndarray  # (n_features, n_samples), standardised
    information: Information
    n_clusters: int
    max_features: int
    groups: Groups  # of redundant features, at most one of which is drawn
    resampling: Resampling
    prior: Prior | None
    n_init: int
    quality_space: Literal["subspace", "full"]
    estimator: Any  # None for the built-in K-means
    row_weights: np.ndarray | None  # (n_samples,), None for equal weights
    table: MixedTable | None = None  # if some feature is not one complete dimension of the points
    imputation: int = 0  # which one of its missing values

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.points) if self.table is None else len(self.table.values)

    def by_dimension(self, of_features: np.ndarray) -> np.ndarray:
        """Values or masks of features, in the last axis, for the dimensions of the points."""
        return of_features if self.table is None else of_features[..., self.table.block]

    @property
    def batch_size(self) -> int:
        """Replicates per task; at least two with many rows, as every task has overhead."""
        n = self.points.shape[1]
        return max(1 if n < LARGE else 2, min(BATCH_REPLICAS, BATCH_VALUES // (self.max_features * n)))

    def feature_blocks(self, n_replicas: int) -> list[slice]:
        """Blocks of features, one per task."""
        n_features, n = self.n_features, self.points.shape[1]
        size = max(1, min(BLOCK_VALUES // n, BLOCK_ENTROPIES // (n_replicas * self.n_clusters)))
        return slices(n_features, size)


class Replicas(NamedTuple):
    """Results of the replicates."""

    labels: np.ndarray  # (n_replicas, n_samples), codes 0..K-1
    features: np.ndarray  # (n_replicas, n_features), bool
    models: list[Any]  # centres (n_clusters, m), FittedClusterer or None, to label new points
    weights: np.ndarray  # (n_replicas,)
    information: np.ndarray  # (n_replicas, n_features), nats, NaN where not drawn
    counted: np.ndarray  # (n_replicas, n_features), bool: plug-in estimate


def fit_replicas(ensemble: Ensemble, seeds: Sequence[int], parallel: Parallel) -> Replicas:
    """Fit one replicate per seed."""
    batches = (seeds[each] for each in slices(len(seeds), ensemble.batch_size))
    fit = _fit_points if ensemble.table is None else _fit_table
    fitted = parallel(delayed(fit)(ensemble, each) for each in batches)
    rows, masks, models, weights = (list(chain(*parts)) for parts in zip(*fitted, strict=True))
    labels, features = np.stack(rows), np.stack(masks)
    first, same = distinct_partitions(labels)
    drawn = np.zeros((len(first), features.shape[1]), dtype=bool)
    np.logical_or.at(drawn, same, features)  # by any replicate with this partition
    measured = parallel(
        delayed(_measure)(ensemble, block, labels[first], drawn[:, block])
        for block in ensemble.feature_blocks(len(seeds))
    )
    information, counted = (np.concatenate(parts, axis=1)[same] for parts in zip(*measured, strict=True))
    information[~features] = np.nan
    counted &= features
    if ensemble.table is not None:
        information = ensemble.table.scored_together(information)
    return Replicas(labels, features, models, np.array(weights), information, counted)


def distinct_partitions(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct partitions among several, whatever the numbers of their clusters.

    Replicates of well separated clusters find the same partition again and again: measuring each once makes a
    fit of 200 x 5,000 three times as fast.

    ``labels`` of shape (n_partitions, n_samples): codes from 0. Returns the index of the first of each, shape
    (n_distinct,), and for every partition which of these it is, shape (n_partitions,).

    Examples
    --------
    >>> distinct_partitions(np.array([[0, 1, 1], [0, 0, 1], [1, 0, 0]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    codes = np.arange(int(labels.max()) + 1)[:, None]
    known: dict[bytes, int] = {}
    first: list[int] = []
    same = np.empty(len(labels), dtype=np.intp)
    for i, row in enumerate(labels):
        members = row == codes
        starts = np.where(members.any(axis=1), members.argmax(axis=1), len(row))
        rank = np.argsort(np.argsort(starts, kind="stable"))  # clusters in the order of their first members
        same[i] = known.setdefault(rank[row].astype(np.int32).tobytes(), len(known))
        if same[i] == len(first):
            first.append(i)
    return np.array(first), same


@one_blas_thread()  # here and below: parallelism is across tasks, and rounding does not vary
def _fit_points(ensemble: Ensemble, seeds: Sequence[int]) -> Fitted:
    """Replicates that share their points."""
    labels, features, models = _cluster(ensemble, seeds)
    seen, centers = features, [model if isinstance(model, np.ndarray) else None for model in models]
    if ensemble.quality_space == "full":
        seen, centers = np.ones_like(features), [None] * len(seeds)
    weights = dunn_indices(ensemble.points, labels, seen, centers)
    return list(labels), list(features), models, weights.tolist()


def _cluster(ensemble: Ensemble, seeds: Sequence[int]) -> tuple[np.ndarray, np.ndarray, list[Any]]:
    """Draw replicates, cluster them and label the original points: labels, features drawn and models."""
    rngs = [np.random.default_rng(seed) for seed in seeds]
    chosen = np.stack(
        [draw_features(len(ensemble.points), ensemble.max_features, ensemble.groups, rng) for rng in rngs]
    )
    features = np.zeros((len(seeds), len(ensemble.points)), dtype=bool)
    np.put_along_axis(features, chosen, True, axis=1)
    large = is_large(ensemble.points.shape[1], ensemble.n_init, ensemble.n_clusters)
    if large and ensemble.resampling != "bbc" and ensemble.estimator is None:
        many = [_cluster_many(ensemble, each, rng) for each, rng in zip(chosen, rngs, strict=True)]
        return np.stack([row for _, row in many]), features, [centers for centers, _ in many]
    originals = ensemble.points[chosen]
    drawn = [
        draw_replica(ensemble.resampling, points, features, ensemble.prior, rng, ensemble.row_weights)
        for points, features, rng in zip(originals, chosen, rngs, strict=True)
    ]
    if ensemble.estimator is not None:
        found = [
            cluster_with(ensemble.estimator, ensemble.n_clusters, points, *replica, rng)
            for points, replica, rng in zip(originals, drawn, rngs, strict=True)
        ]
        return np.stack([labels for labels, _ in found]), features, [model for _, model in found]
    init = [
        random_initializations(atoms, counts, ensemble.n_clusters, ensemble.n_init, rng)
        for (atoms, counts), rng in zip(drawn, rngs, strict=True)
    ]
    atoms = originals if ensemble.resampling != "bbc" else np.stack([atoms for atoms, _ in drawn])
    centers = kmeans(atoms, np.stack([counts for _, counts in drawn]), np.stack(init))
    return nearest_center(originals, centers[:, None])[0][:, 0], features, list(centers)


def _cluster_many(
    ensemble: Ensemble, features: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Centres and labels of one replicate of many points, without copying the points."""
    _, counts = draw_replica(ensemble.resampling, ensemble.points, features, None, rng, ensemble.row_weights)
    init = random_initializations(
        ensemble.points, counts, ensemble.n_clusters, ensemble.n_init, rng, features
    )
    centers = hamerly_kmeans(ensemble.points, features, counts, init).centers
    return centers, nearest_of_many(ensemble.points, features, centers)


@one_blas_thread()
def _fit_table(ensemble: Ensemble, seeds: Sequence[int]) -> Fitted:
    """Replicates of a table, each with points of its own."""
    assert ensemble.table is not None
    replicas = [_fit_one(ensemble, ensemble.table, seed) for seed in seeds]
    labels, features, models, weights = map(list, zip(*replicas, strict=True))
    return labels, features, models, weights


def _fit_one(ensemble: Ensemble, table: MixedTable, seed: int) -> tuple[np.ndarray, np.ndarray, Any, float]:
    """Labels, features drawn, model and weight of one replicate of a table."""
    rng, donors = np.random.default_rng(seed), np.random.default_rng((seed, 1 + ensemble.imputation))
    chosen = draw_features(len(table.units), ensemble.max_features, ensemble.groups, rng)
    features = table.of_units(chosen)
    used = np.flatnonzero(features[table.block])
    if ensemble.resampling == "bbc":  # draws points, which must be complete
        points = table.imputed(features, donors)
        atoms, counts = draw_replica("bbc", points, used, ensemble.prior, rng, ensemble.row_weights)
    else:
        unknown = table.points[used]
        _, counts = draw_replica(ensemble.resampling, unknown, used, None, rng, ensemble.row_weights)
        atoms = points = table.imputed(features, donors, counts)
    model: Any
    if ensemble.estimator is not None:
        labels, model = cluster_with(ensemble.estimator, ensemble.n_clusters, points, atoms, counts, rng)
    else:
        init = random_initializations(atoms, counts, ensemble.n_clusters, ensemble.n_init, rng)
        model = kmeans(atoms[None], counts[None], init[None])[0]
        labels = nearest_center(points, model[None])[0][0]
    seen = points if ensemble.quality_space == "subspace" else ensemble.points
    everything = np.ones((1, len(seen)), dtype=bool)
    return labels, features, model, float(dunn_indices(seen, labels[None], everything, [None])[0])


@one_blas_thread()
def _measure(
    ensemble: Ensemble, block: slice, labels: np.ndarray, features: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Information of a block of features about all partitions, and where it is a plug-in estimate."""
    known: FeatureInformation | KindInformation
    if ensemble.table is not None:
        known = ensemble.table.information(ensemble.information, block)
    else:
        known = FeatureInformation.of(ensemble.points[block], ensemble.information)
    return known.mutual_information(labels, features)
