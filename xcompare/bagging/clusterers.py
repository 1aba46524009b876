"""Models that label points in a replicate: K-means centres, or any scikit-learn clusterer."""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import KDTree
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from xcompare.bagging.kmeans.centers import nearest_center

NOISE = -1  # label of rows in no cluster, as in HDBSCAN


class FittedClusterer(NamedTuple):
    """A clusterer with ``predict``; its labels may be any integers."""

    estimator: Any
    clusters: np.ndarray  # its labels, ascending

    def predict(self, points: np.ndarray) -> np.ndarray:
        """Clusters of points (features first) as codes 0..K-1."""
        labels = np.asarray(self.estimator.predict(points.T))
        codes = np.minimum(np.searchsorted(self.clusters, labels), len(self.clusters) - 1)
        unknown = labels[self.clusters[codes] != labels]
        if unknown.size:
            raise ValueError(f"{self.estimator} predicts cluster {unknown[0]!r}, which has no training rows")
        return codes


class NearestRow(NamedTuple):
    """Predict for a clusterer that cannot: a point gets the cluster of the nearest row."""

    points: np.ndarray  # (n_features, n_samples), all features: shared by all replicates
    features: np.ndarray  # (n_features,), bool: features of the replicate
    codes: np.ndarray  # (n_samples,)

    def predict(self, points: np.ndarray) -> np.ndarray:
        """Clusters of points (features of the replicate, features first) as codes 0..K-1."""
        return _of_nearest(points, self.points[self.features], self.codes)


def apply_model(model: "np.ndarray | FittedClusterer | NearestRow", points: np.ndarray) -> np.ndarray:
    """Label points (features first) by the centres or clusterer of a replicate."""
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
    """Cluster a replicate with a scikit-learn clusterer, and label the original points.

    Parameters
    ----------
    estimator : scikit-learn clusterer
        Its number of clusters and ``random_state`` are set if it has these parameters.
    points : ndarray of shape (m, n_samples)
        The original rows.
    atoms : ndarray of shape (m, n_atoms)
        The rows of the replicate.
    counts : ndarray of shape (n_atoms,)
        How often each was drawn (integers), or its weight (floats).

    Returns
    -------
    labels : ndarray of int of shape (n_samples,)
        Codes. If the clusterer cannot predict or labels some rows as noise (-1), the code of the nearest
        row of the replicate that is in a cluster; 0 if none is.
    model : FittedClusterer or None
        None if other points are to be labelled by `NearestRow`.
    """
    estimator = clone(estimator)
    known = estimator.get_params(deep=False)
    size = "n_clusters" if "n_clusters" in known else "n_components"  # in mixtures
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
    """Whether ``fit`` accepts ``sample_weight``."""
    return has_fit_parameter(estimator, "sample_weight")


def _of_nearest(points: np.ndarray, rows: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Code of the row nearest to each point; both features first."""
    return codes[KDTree(rows.T).query(points.T)[1]]
