"""The work of a bag: draw, cluster, weigh, and measure what each feature tells about the partitions.

Plain functions on plain data, so that any joblib backend can run them anywhere. Replicates are clustered in
batches; the first of them decides how the quality of all is computed. Then the partitions are weighted in
batches, and blocks of features are measured against all partitions: replicates that found the same cluster
share the work. Batch sizes depend on the data alone, so that a replicate depends on its seed and not on the
number of workers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from joblib import Parallel, delayed

from xcompare.bagging.clusterers import cluster_with
from xcompare.bagging.dunn.index import DunnStrategy, choose_strategy
from xcompare.bagging.information.distinct_clusters import DistinctClusters
from xcompare.bagging.information.mutual import FeatureInformation, Information
from xcompare.bagging.kmeans.centers import nearest_center, nearest_of_many
from xcompare.bagging.kmeans.hamerly import kmeans_of_many
from xcompare.bagging.kmeans.lloyd import LARGE, is_large, kmeans, random_starts
from xcompare.bagging.redundancy import Groups, draw_features
from xcompare.bagging.replica_weights import OtherQuality, Quality
from xcompare.bagging.resampling import Prior, Resampling, draw_replica
from xcompare.core.threads import one_blas_thread

BATCH_REPLICAS, BATCH_VALUES = 25, 2**19  # at most so many replicas, or values of data, at a time
BLOCK_VALUES, BLOCK_ENTROPIES = 2**18, 2**22  # features of so many values, with so many entropies, at a time


@dataclass(frozen=True, eq=False)
class Bag:
    """Everything a worker needs to make replicas of one dataset."""

    points: np.ndarray  # (n_features, n_samples), standardised
    information: Information
    n_clusters: int
    max_features: int
    groups: Groups  # of features a replica draws at most one of
    resampling: Resampling
    prior: Prior | None
    n_starts: int
    quality: Quality
    quality_space: Literal["subspace", "full"]
    estimator: Any  # None for the built-in K-means
    row_weights: np.ndarray | None  # (n_samples,), None for all alike

    @property
    def batch_size(self) -> int:
        """How many replicas are worked on at a time: of many rows two, as any task takes milliseconds."""
        n = self.points.shape[1]
        return max(1 if n < LARGE else 2, min(BATCH_REPLICAS, BATCH_VALUES // (self.max_features * n)))

    def feature_blocks(self, n_replicas: int) -> list[slice]:
        """The features, as many as are measured at a time."""
        n_features, n = self.points.shape
        size = max(1, min(BLOCK_VALUES // n, BLOCK_ENTROPIES // (n_replicas * self.n_clusters)))
        return [slice(start, start + size) for start in range(0, n_features, size)]


class Replicas(NamedTuple):
    """What replicas gave."""

    labels: np.ndarray  # (n_replicas, n_samples), codes 0..K-1
    features: np.ndarray  # (n_replicas, n_features), bool
    models: list[Any]  # what labels new points: centres (n_clusters, m), a FittedClusterer, or None
    weights: np.ndarray  # (n_replicas,)
    information: np.ndarray  # (n_replicas, n_features), nats, NaN where not drawn
    counted: np.ndarray  # (n_replicas, n_features), bool: information counted, as no density exists


class Clustered(NamedTuple):
    """The same before anything is measured."""

    labels: np.ndarray
    features: np.ndarray
    models: list[Any]


Some = TypeVar("Some", Replicas, Clustered)


def joined(parts: Sequence[Some]) -> Some:
    """Replicas of several rounds or batches, in order."""
    fields: Any = zip(*parts, strict=True)
    return type(parts[0])._make(
        list(chain(*field)) if isinstance(field[0], list) else np.concatenate(field) for field in fields
    )


class ReplicaMaker:
    """Makes the replicas of a bag, a round of them at a time.

    Parameters
    ----------
    bag : Bag
    parallel : joblib.Parallel
        Whose workers do it.
    n_planned : int
        How many replicas there will be in all, about. Time depends on it, the result does not.
    """

    def __init__(self, bag: Bag, parallel: Parallel, n_planned: int) -> None:
        self.bag, self.parallel, self.n_planned = bag, parallel, n_planned
        self.weights_of: DunnStrategy | None = None

    def __call__(self, seeds: Sequence[int]) -> Replicas:
        """Replicas from their seeds."""
        bag, size = self.bag, self.bag.batch_size
        batches = [slice(start, start + size) for start in range(0, len(seeds), size)]
        clustered: Clustered = joined(self.parallel(delayed(_cluster)(bag, seeds[each]) for each in batches))
        if self.weights_of is None:
            self.weights_of = _way_to_weigh(bag, clustered, self.n_planned)
        blocks = bag.feature_blocks(len(seeds))
        done = self.parallel(self._tasks(clustered, batches, blocks))
        weights, measured = done[: len(batches)], done[len(batches) :]
        information, counted = (np.concatenate(parts, axis=1) for parts in zip(*measured, strict=True))
        return Replicas(*clustered, np.concatenate(weights), information, counted)

    def _tasks(self, clustered: Clustered, batches: list[slice], blocks: list[slice]) -> Iterator:
        """What there is to do with partitions: weigh batches of them, and measure blocks of features."""
        labels, features, centers = _to_weigh(self.bag, clustered)
        for each in batches:
            yield delayed(_weigh)(self.weights_of, labels[each], features[each], centers[each])
        clusters = DistinctClusters.of(clustered.labels)
        for block in blocks:
            drawn = clustered.features[:, block]
            yield delayed(_measure)(self.bag, block, clustered.labels, drawn, clusters)


def _cluster(bag: Bag, seeds: Sequence[int]) -> Clustered:
    """Cluster replicates in one thread: parallelism is across batches, and rounding does not vary."""
    with one_blas_thread():
        return _cluster_in_one_thread(bag, seeds)


def _cluster_in_one_thread(bag: Bag, seeds: Sequence[int]) -> Clustered:
    """Draw replicas, cluster them and label the original points."""
    rngs = [np.random.default_rng(seed) for seed in seeds]
    chosen = np.stack([draw_features(len(bag.points), bag.max_features, bag.groups, rng) for rng in rngs])
    features = np.zeros((len(seeds), len(bag.points)), dtype=bool)
    np.put_along_axis(features, chosen, True, axis=1)
    large = is_large(bag.points.shape[1], bag.n_starts, bag.n_clusters)
    if large and bag.resampling != "bbc" and bag.estimator is None:
        many = [_cluster_many(bag, each, rng) for each, rng in zip(chosen, rngs, strict=True)]
        return Clustered(np.stack([row for _, row in many]), features, [centers for centers, _ in many])
    originals = bag.points[chosen]
    drawn = [
        draw_replica(bag.resampling, points, features, bag.prior, rng, bag.row_weights)
        for points, features, rng in zip(originals, chosen, rngs, strict=True)
    ]
    if bag.estimator is not None:
        found = [
            cluster_with(bag.estimator, bag.n_clusters, points, *replica, rng)
            for points, replica, rng in zip(originals, drawn, rngs, strict=True)
        ]
        return Clustered(np.stack([labels for labels, _ in found]), features, [model for _, model in found])
    starts = [
        random_starts(atoms, counts, bag.n_clusters, bag.n_starts, rng)
        for (atoms, counts), rng in zip(drawn, rngs, strict=True)
    ]
    atoms = originals if bag.resampling != "bbc" else np.stack([atoms for atoms, _ in drawn])
    centers = kmeans(atoms, np.stack([counts for _, counts in drawn]), np.stack(starts))
    return Clustered(nearest_center(originals, centers[:, None])[0][:, 0], features, list(centers))


def _cluster_many(bag: Bag, features: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Centres and labels of one replica of many points, which are not copied."""
    _, counts = draw_replica(bag.resampling, bag.points, features, None, rng, bag.row_weights)
    starts = random_starts(bag.points, counts, bag.n_clusters, bag.n_starts, rng, features)
    centers = kmeans_of_many(bag.points, features, counts, starts).centers
    return centers, nearest_of_many(bag.points, features, centers)


def _measure(
    bag: Bag, block: slice, labels: np.ndarray, features: np.ndarray, clusters: DistinctClusters
) -> tuple[np.ndarray, np.ndarray]:
    """What a block of features tells about all partitions, and where that was counted."""
    with one_blas_thread():
        known = FeatureInformation.of(bag.points[block], bag.information)
        return known.mutual_information(labels, features, clusters)


def _weigh(weights_of: DunnStrategy, labels: np.ndarray, features: np.ndarray, centers: list) -> np.ndarray:
    """Quality of each partition of the original points."""
    with one_blas_thread():
        return weights_of(labels, features, centers)


def _way_to_weigh(bag: Bag, clustered: Clustered, n_replicas: int) -> DunnStrategy:
    """Computes the weights of so many partitions; the first one shows what they are like."""
    if bag.quality != "dunn":
        return OtherQuality(bag.points, bag.quality)
    labels, features, centers = _to_weigh(bag, clustered)
    with one_blas_thread():
        return choose_strategy(bag.points, n_replicas, labels[0], features[0], centers[0])


def _to_weigh(bag: Bag, clustered: Clustered) -> tuple[np.ndarray, np.ndarray, list]:
    """Partitions, the features their quality is measured in, and their centres there where known."""
    if bag.quality_space == "full":
        return clustered.labels, np.ones_like(clustered.features), [None] * len(clustered.labels)
    centers = [model if isinstance(model, np.ndarray) else None for model in clustered.models]
    return clustered.labels, clustered.features, centers
