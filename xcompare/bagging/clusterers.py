"""What labels points in a replica: the centres of K-means, or a clusterer of the user's."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from xcompare.bagging.kmeans import nearest_center


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


def fit_estimator(
    estimator: Any,
    n_clusters: int,
    points: np.ndarray,
    atoms: np.ndarray,
    counts: np.ndarray,
    rng: np.random.Generator,
) -> "np.ndarray | FittedEstimator":
    """Fit the user's clusterer; one that cannot predict is stood for by its clusters' centroids."""
    estimator = clone(estimator)
    known = estimator.get_params(deep=False)
    settings = {"n_clusters": n_clusters, "random_state": int(rng.integers(2**31 - 1))}
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
