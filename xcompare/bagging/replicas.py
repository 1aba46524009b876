"""The work of a bag, replica by replica: draw, cluster, weigh, and measure each feature's information.

Plain functions on plain data, so that any joblib backend can run them anywhere. Replicas are worked on in
batches of a size that depends on the data alone: what a replica gives depends on its seed, and not on the
number of workers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import clone

from xcompare.bagging.dunn_close_pairs import ClosePairs
from xcompare.bagging.dunn_extremes import Clusters
from xcompare.bagging.information import FeatureInformation
from xcompare.bagging.kmeans import kmeans, nearest_center, random_starts
from xcompare.bagging.quality import PairwiseDunn, Quality, dunn_ratio, quality_of
from xcompare.bagging.resampling import Prior, Resampling, draw_replica
from xcompare.threads import one_blas_thread

BATCH_REPLICAS, BATCH_VALUES = 25, 2**19  # at most so many replicas, or values of data, at a time


@dataclass(frozen=True, eq=False)
class Bag:
    """Everything a worker needs to make replicas of one dataset."""

    points: np.ndarray  # (n_features, n_samples), standardised
    information: FeatureInformation
    pairs: PairwiseDunn | None  # for few points
    close_pairs: ClosePairs | None  # for many points that hardly separate
    n_clusters: int
    max_features: int
    resampling: Resampling
    prior: Prior | None
    n_starts: int
    quality: Quality
    quality_space: Literal["subspace", "full"]
    estimator: Any  # None for the built-in K-means

    @property
    def batch_size(self) -> int:
        """How many replicas are worked on at a time."""
        values = self.max_features * self.points.shape[1]
        return max(1, min(BATCH_REPLICAS, BATCH_VALUES // values))


@dataclass(frozen=True, eq=False)
class Replicas:
    """What a batch of replicas gave."""

    labels: np.ndarray  # (n_replicas, n_samples), codes 0..K-1
    features: np.ndarray  # (n_replicas, n_features), bool
    weights: np.ndarray  # (n_replicas,)
    information: np.ndarray  # (n_replicas, n_features), nats, NaN where not drawn
    counted: np.ndarray  # (n_replicas, n_features), bool: information counted, as no density exists
    models: list[Any]  # what labels new points: centres (n_clusters, m) or a fitted estimator

    @classmethod
    def concatenate(cls, batches: "Sequence[Replicas]") -> "Replicas":
        """Join batches in order."""
        return cls(
            labels=np.concatenate([batch.labels for batch in batches]),
            features=np.concatenate([batch.features for batch in batches]),
            weights=np.concatenate([batch.weights for batch in batches]),
            information=np.concatenate([batch.information for batch in batches]),
            counted=np.concatenate([batch.counted for batch in batches]),
            models=[model for batch in batches for model in batch.models],
        )


def make_replicas(bag: Bag, seeds: Sequence[int]) -> Replicas:
    """Replicas from their seeds, in one thread: parallelism is across batches, and rounding stays put."""
    with one_blas_thread():
        clustered = _cluster(bag, seeds)
        features = np.zeros((len(seeds), len(bag.points)), dtype=bool)
        np.put_along_axis(features, clustered.chosen, True, axis=1)
        information, counted = bag.information.mutual_information(clustered.labels, features)
        return Replicas(
            labels=clustered.labels,
            features=features,
            weights=_weights(bag, clustered, features),
            information=information,
            counted=counted,
            models=clustered.models,
        )


def list_close_pairs(bag: Bag, seeds: Sequence[int]) -> Bag:
    """The bag with its close pairs listed, where the first replica shows that it pays for so many."""
    if bag.quality != "dunn" or bag.pairs is not None or bag.estimator is not None:
        return bag
    with one_blas_thread():
        pilot = _cluster(bag, seeds[:1])
        close_pairs = ClosePairs.worth_listing(
            bag.points, bag.max_features, len(seeds), pilot.labels[0], pilot.chosen[0], pilot.models[0]
        )
    return replace(bag, close_pairs=close_pairs)


class Clustered(NamedTuple):
    """Replicas with their partitions, before anything is measured."""

    chosen: np.ndarray  # (n_replicas, m), the features
    originals: np.ndarray  # (n_replicas, m, n_samples), all points in those features
    models: list[Any]
    labels: np.ndarray  # (n_replicas, n_samples)


def _cluster(bag: Bag, seeds: Sequence[int]) -> Clustered:
    """Draw replicas, cluster them and label the original points."""
    rngs = [np.random.default_rng(seed) for seed in seeds]
    chosen = np.stack([np.sort(rng.permutation(len(bag.points))[: bag.max_features]) for rng in rngs])
    originals = bag.points[chosen]
    drawn = [
        draw_replica(bag.resampling, points, features, bag.prior, rng)
        for points, features, rng in zip(originals, chosen, rngs, strict=True)
    ]
    if bag.estimator is not None:
        models = [
            _fit_estimator(bag, points, *replica, rng)
            for points, replica, rng in zip(originals, drawn, rngs, strict=True)
        ]
        labels = np.stack([apply_model(m, o) for m, o in zip(models, originals, strict=True)])
        return Clustered(chosen, originals, models, labels)
    starts = [
        random_starts(atoms, counts, bag.n_clusters, bag.n_starts, rng)
        for (atoms, counts), rng in zip(drawn, rngs, strict=True)
    ]
    atoms = originals if bag.resampling != "bbc" else np.stack([atoms for atoms, _ in drawn])
    centers = kmeans(atoms, np.stack([counts for _, counts in drawn]), np.stack(starts))
    return Clustered(chosen, originals, list(centers), nearest_center(originals, centers[:, None])[0][:, 0])


def apply_model(model: Any, points: np.ndarray) -> np.ndarray:
    """Label points (features first) by a replica's centres or fitted estimator."""
    if isinstance(model, np.ndarray):
        return nearest_center(points, model[None])[0][0]
    return model.predict(points)


class FittedEstimator(NamedTuple):
    """A fitted clusterer of the user's, which may call its clusters anything."""

    estimator: Any
    clusters: np.ndarray  # what it calls them, ascending

    def predict(self, points: np.ndarray) -> np.ndarray:
        """Clusters of points (features first) as codes 0..K-1."""
        labels = np.asarray(self.estimator.predict(points.T))
        codes = np.minimum(np.searchsorted(self.clusters, labels), len(self.clusters) - 1)
        strange = labels[self.clusters[codes] != labels]
        if strange.size:
            raise ValueError(f"{self.estimator} predicts cluster {strange[0]!r}, which has no training rows")
        return codes


def _fit_estimator(
    bag: Bag, points: np.ndarray, atoms: np.ndarray, counts: np.ndarray, rng: np.random.Generator
) -> "np.ndarray | FittedEstimator":
    """Fit the user's clusterer; one that cannot predict is stood for by its clusters' centroids."""
    estimator = clone(bag.estimator)
    known = estimator.get_params(deep=False)
    settings = {"n_clusters": bag.n_clusters, "random_state": int(rng.integers(2**31 - 1))}
    estimator.set_params(**{name: value for name, value in settings.items() if name in known})
    X = np.ascontiguousarray(np.repeat(atoms, counts, axis=1).T)
    estimator.fit(X)
    if hasattr(estimator, "predict"):
        names = [np.asarray(estimator.predict(rows)) for rows in (X, points.T)]
        return FittedEstimator(estimator, np.unique(np.concatenate(names)))
    labels = np.asarray(estimator.labels_)
    clusters = np.unique(labels[labels >= 0])  # -1 marks noise
    if clusters.size == 0:
        return X.mean(axis=0)[None]
    return np.stack([X[labels == k].mean(axis=0) for k in clusters])


def _weights(bag: Bag, clustered: Clustered, features: np.ndarray) -> np.ndarray:
    """Quality of each replica's partition of the original points."""
    full = bag.quality_space == "full"
    if bag.quality == "dunn" and bag.pairs is not None:
        return bag.pairs(clustered.labels, np.ones_like(features) if full else features)
    weights = []
    for chosen, points, model, labels in zip(*clustered, strict=True):
        if full:
            chosen, points = np.arange(len(bag.points)), bag.points
        if bag.quality != "dunn":
            weights.append(quality_of(bag.quality, points.T, labels))
        else:
            centers = model if isinstance(model, np.ndarray) and not full else _means(points, labels)
            weights.append(_dunn(points, labels, centers, chosen, bag.close_pairs))
    return np.array(weights)


def _dunn(points, labels, centers, features, close_pairs: ClosePairs | None) -> float:
    """Dunn index of one partition in some features."""
    if (labels == labels[0]).all():
        return 0.0
    clusters = Clusters.of(points, labels, centers)
    separation = close_pairs.separation(points, labels, features) if close_pairs else None
    return dunn_ratio(clusters.separation() if separation is None else separation, clusters.diameter())


def _means(points, labels) -> np.ndarray:
    """Mean of each cluster; an unused label gets 0."""
    sizes = np.bincount(labels)
    member = (labels == np.arange(len(sizes))[:, None]).astype(points.dtype)
    return member @ points.T / np.maximum(sizes, 1)[:, None]
