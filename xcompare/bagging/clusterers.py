"""What labels points in a replica: the centres of K-means, or any clusterer that follows scikit-learn."""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import KDTree
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from xcompare.bagging.kmeans.centers import nearest_center

NOISE = -1  # what HDBSCAN and its kin call rows that belong to no cluster


class FittedClusterer(NamedTuple):
    """A clusterer that predicts; it may call its clusters anything."""

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


class NearestRow(NamedTuple):
    """Stands for a clusterer that cannot predict: a point belongs where the nearest row does."""

    points: np.ndarray  # (n_features, n_samples), all features: replicas of one bag share them
    features: np.ndarray  # (n_features,), bool: those of the replica
    codes: np.ndarray  # (n_samples,)

    def predict(self, points: np.ndarray) -> np.ndarray:
        """Clusters of points (features first, those of the replica) as codes 0..K-1."""
        return _of_nearest(points, self.points[self.features], self.codes)


def apply_model(model: "np.ndarray | FittedClusterer | NearestRow", points: np.ndarray) -> np.ndarray:
    """Label points (features first) by a replica's centres or clusterer."""
    if isinstance(model, np.ndarray):
        return nearest_center(points, model[None])[0][0]
    return model.predict(points)


def cluster_with(
    estimator: Any,
    n_clusters: int,
    points: np.ndarray,
    atoms: np.ndarray,
    counts: np.ndarray,
    rng: np.random.Generator,
) -> tuple[np.ndarray, FittedClusterer | None]:
    """Cluster a replica with the user's clusterer, and label the original points.

    Parameters
    ----------
    estimator : scikit-learn clusterer
        Takes the number of clusters and a seed where it has parameters for them.
    n_clusters : int
    points : ndarray of shape (m, n_samples)
        The original rows.
    atoms : ndarray of shape (m, n_atoms)
        The rows of the replica.
    counts : ndarray of shape (n_atoms,)
        How often each was drawn; or, where they are no whole numbers, the weight of each.
    rng : numpy.random.Generator

    Returns
    -------
    labels : ndarray of int of shape (n_samples,)
        Codes. Where the clusterer cannot predict, or calls some rows noise (-1), that of the nearest row of
        the replica that is in a cluster; 0 if none is.
    model : FittedClusterer or None
        None where `NearestRow` is to label other points.
    """
    estimator = clone(estimator)
    known = estimator.get_params(deep=False)
    size = "n_clusters" if "n_clusters" in known else "n_components"  # what mixtures call it
    settings = {size: n_clusters, "random_state": int(rng.integers(2**31 - 1))}
    estimator.set_params(**{name: value for name, value in settings.items() if name in known})
    if np.issubdtype(counts.dtype, np.integer):
        drawn, fit_params = np.repeat(np.arange(len(counts)), counts), {}
    else:
        drawn, fit_params = np.arange(len(counts)), {"sample_weight": counts}
    X = np.ascontiguousarray(atoms[:, drawn].T)
    estimator.fit(X, **fit_params)
    labels = np.asarray(estimator.labels_ if hasattr(estimator, "labels_") else estimator.predict(X))
    inside = np.flatnonzero(labels != NOISE)
    if hasattr(estimator, "predict") and inside.size == len(labels):
        names = [np.asarray(estimator.predict(rows)) for rows in (X, points.T)]
        model = FittedClusterer(estimator, np.unique(np.concatenate(names)))
        return model.predict(points), model
    if inside.size == 0:
        return np.zeros(points.shape[1], dtype=np.intp), None
    codes = np.unique(labels[inside], return_inverse=True)[1]
    return _of_nearest(points, X[inside].T, codes), None


def takes_weights(estimator: Any) -> bool:
    """Whether a clusterer can weigh rows."""
    return has_fit_parameter(estimator, "sample_weight")


def _of_nearest(points: np.ndarray, rows: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Code of the row nearest to each point; both features first."""
    return codes[KDTree(rows.T).query(points.T)[1]]
