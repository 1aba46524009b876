"""The consensus partition of an ensemble: find it, label other points by it, match the replicates to it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from xcompare.bagging.clusterers import NearestRow, apply_model
from xcompare.bagging.consensus.alignment import AlignedReplicas
from xcompare.bagging.consensus.medoid import (
    ConsensusFrom,
    cluster_names,
    consensus_cost,
    ranks_by_size,
    renamed,
)
from xcompare.bagging.consensus.weighted import cluster_by_importance
from xcompare.bagging.kmeans.centers import nearest_of_many
from xcompare.bagging.replicas import Ensemble, Replicas


@dataclass(frozen=True, eq=False)
class LabelRule:
    """Labels points by centres or a clusterer, in weighted features."""

    model: Any  # for `apply_model`
    space: np.ndarray  # (n_features,), factor of each feature; 0 if not used

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Codes of points (features first)."""
        used = np.flatnonzero(self.space > 0)
        if isinstance(self.model, np.ndarray):
            return nearest_of_many(points, used, self.model, self.space[used])
        return apply_model(self.model, points[used] * self.space[used, None])


@dataclass(frozen=True, eq=False)
class ConsensusClusters:
    """The clusters of the consensus, numbered from the largest to the smallest."""

    labels: np.ndarray  # (n_samples,)
    n_clusters: int
    rule: LabelRule
    numbers: np.ndarray  # (n_codes,), cluster of each code of the rule
    index: int | None  # replicate whose partition it is; None if it is that of none
    replicas: AlignedReplicas

    def predict(self, points: np.ndarray) -> np.ndarray:
        """Clusters of points (features first)."""
        return self.numbers[self.rule(points)]

    def labels_without(self, feature: np.ndarray) -> np.ndarray:
        """Clusters by the votes of the replicates that did not draw a feature; the consensus if all did.

        ``feature`` is the mask of those that did.
        """
        if feature.all():
            return self.labels
        weights = self.replicas.weights * ~feature
        some = replace(self.replicas, weights=weights if weights.any() else (~feature).astype(float))
        return some.shares(some.labels).argmax(axis=1)

    def means(self) -> np.ndarray:
        """Means of the training points of each cluster, features first."""
        member = self.labels == np.arange(self.labels.max() + 1)[:, None]
        return self.replicas.points @ (member / member.sum(axis=1, keepdims=True)).T


def find_consensus(
    ensemble: Ensemble,
    replicas: Replicas,
    weights: np.ndarray,
    importances: np.ndarray,
    consensus: ConsensusFrom,
    rng: np.random.Generator,
    parallel: Parallel,
) -> ConsensusClusters:
    """Find the consensus, number its clusters by size, and match those of the replicates to it.

    ``importances`` of shape (n_features,). ``weights`` of shape (n_replicas,): finite and not all 0.
    ``consensus`` ("weighted", "medoid"): "medoid" is the only one with an ``estimator``.
    """
    points, codes = ensemble.points, replicas.labels
    features = ensemble.by_dimension(replicas.features)
    models = [
        NearestRow(points, drawn, row) if model is None else model
        for model, drawn, row in zip(replicas.models, features, codes, strict=True)
    ]
    index, groups = None, ensemble.groups
    if ensemble.table is not None:  # its groups are of units
        groups = tuple(
            tuple(np.flatnonzero(ensemble.table.of_units(np.array(group))[ensemble.table.block]).tolist())
            for group in groups
        )
    if consensus == "weighted" and ensemble.estimator is None:
        centers, space = cluster_by_importance(
            points,
            ensemble.by_dimension(importances),
            ensemble.n_clusters,
            rng,
            groups,
            ensemble.row_weights,
            parallel,
            None if ensemble.table is None else ensemble.table.block,
        )
        rule = LabelRule(centers[:, space > 0], space)
    else:
        [cost] = parallel([delayed(consensus_cost)(codes, weights)])
        index = int(cost.argmin())
        rule = LabelRule(models[index], features[index].astype(float))
    # The centres of a replicate labelled all rows; a clusterer may label its training rows otherwise.
    found = rule(points) if index is None or ensemble.estimator is not None else codes[index]
    n_codes = max(int(codes.max()) + 1, ensemble.n_clusters)
    numbers = ranks_by_size(np.bincount(found, minlength=n_codes))
    labels = numbers[found]
    n_found = int(labels.max()) + 1
    names = cluster_names(codes, labels, n_codes)
    aligned = AlignedReplicas(
        points=points,
        labels=renamed(codes, names),
        features=features,
        weights=weights,
        models=models,
        names=names,
        n_clusters=n_found if ensemble.estimator is not None else max(n_found, ensemble.n_clusters),
    )
    n_clusters = n_found if ensemble.estimator is not None else ensemble.n_clusters
    return ConsensusClusters(labels, n_clusters, rule, numbers, index, aligned)
