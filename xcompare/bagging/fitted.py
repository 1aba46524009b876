"""What a fitted ensemble answers: clusters of other rows, explanations of rows, importances by cluster."""

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from xcompare.bagging.cluster_importance import cluster_importances
from xcompare.bagging.columns import other_rows
from xcompare.bagging.consensus.medoid import consensus_cost
from xcompare.bagging.consensus.partition import ConsensusClusters
from xcompare.bagging.information.mutual import FeatureInformation, Information
from xcompare.bagging.row_explanation import BORDERLINE, SampleExplanation, explain_rows
from xcompare.bagging.scaling import Scale
from xcompare.bagging.table import Missing, MixedTable
from xcompare.core.features import Feature

LAZY_ATTRIBUTES = "cluster_importances_", "consensus_index_", "consensus_proba_"


class FittedEnsemble(ClusterMixin, BaseEstimator):
    """Base class of `BaggedClustering`: its methods and attributes that are computed after the fit."""

    information: Information
    cap: float | None
    n_features_in_: int
    feature_importances_: np.ndarray
    labels_: np.ndarray
    cluster_centers_: np.ndarray
    features_: tuple[Feature, ...]
    replica_features_: np.ndarray
    missing: Missing
    _scale: Scale | MixedTable
    _table: MixedTable | None
    _coded: bool
    _consensus: ConsensusClusters

    def predict(self, X: Any) -> np.ndarray:
        """Predict the consensus cluster of new rows; training rows get ``labels_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        points = self._as_points(X)
        return self._consensus.predict(points)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Negative sum of squared distances to the cluster means; as for K-means, larger is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        float
            Computed over all features, on the scale used for clustering.
        """
        points = self._as_points(X)
        centers = self._scale.apply(self.cluster_centers_) if self._table is None else self._consensus.means()
        squares = ((points - centers[:, self._consensus.predict(points)]) ** 2).sum(axis=0)
        return -float(squares.sum() if sample_weight is None else squares @ np.asarray(sample_weight))

    def explain_sample(self, X: Any = None) -> SampleExplanation:
        """Explain the clusters of rows: votes of the replicates, and contributions of the features.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), default=None
            None: the training rows with less than 80% of the votes for their cluster.

        Returns
        -------
        SampleExplanation
            With a ``table`` and ``sentences``.

        Examples
        --------
        >>> from xcompare import BaggedClustering, load_dataset
        >>> iris = load_dataset("iris")
        >>> model = BaggedClustering(n_clusters=3, redundancy="ignore", random_state=1).fit(iris.X)
        >>> print(model.explain_sample(iris.X[:1]).sentences[0])
        row 0: cluster 1 in 100% of the replicates; separated from cluster 0 by x1 (39%), x2 (28%), x3 (25%)
        """
        if X is None:
            check_is_fitted(self)
            share = self.consensus_proba_[np.arange(len(self.labels_)), self.labels_]
            rows = np.flatnonzero(share < BORDERLINE)
            points = self._consensus.replicas.points[:, rows]
        else:
            points = self._as_points(X)
            rows = np.arange(points.shape[1])
        clusters = self._consensus.predict(points)
        block = None if self._table is None else self._table.block
        return explain_rows(
            self._consensus.replicas, points, clusters, rows, tuple(self._feature_names), block
        )

    @cached_property
    def cluster_importances_(self) -> np.ndarray:
        """Importance of each feature for each cluster against the rest; computed on first access.

        Returns
        -------
        ndarray of shape (n_clusters, n_features)
            Between 0 and 1: the information of a feature about the cluster against the rest in each
            replicate, capped, averaged with the weights of ``feature_importances_``, and divided by the
            largest of the cluster. With two clusters both rows are close to ``feature_importances_``.

        Examples
        --------
        >>> from xcompare import BaggedClustering, load_dataset
        >>> iris = load_dataset("iris")
        >>> model = BaggedClustering(n_clusters=3, redundancy="ignore", random_state=0).fit(iris.X)
        >>> model.cluster_importances_.round(2)
        array([[0.5 , 1.  , 0.8 , 0.78],
               [0.41, 0.26, 1.  , 0.99],
               [1.  , 0.22, 0.91, 0.92]])
        """
        check_is_fitted(self)
        points = self._consensus.replicas.points
        return cluster_importances(
            self._consensus.replicas,
            self.replica_features_,
            lambda block: (
                FeatureInformation.of(points[block], self.information)
                if self._table is None
                else self._table.information(self.information, block)
            ),
            self.cap,
            self._scale.constant,
        )

    @cached_property
    def consensus_index_(self) -> int:
        """Replicate with the medoid partition."""
        check_is_fitted(self)
        if self._consensus.index is not None:
            return self._consensus.index
        replicas = self._consensus.replicas
        return int(consensus_cost(replicas.labels, replicas.weights).argmin())

    @cached_property
    def consensus_proba_(self) -> np.ndarray:
        """Weighted share of the replicates for each cluster, shape (n_samples, n_clusters)."""
        check_is_fitted(self)
        replicas = self._consensus.replicas
        return replicas.shares(replicas.labels)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = True
        return tags

    def _as_points(self, X: Any) -> np.ndarray:
        """Validated rows as points, features first."""
        check_is_fitted(self)
        return self._scale.apply(other_rows(self, X))

    def _names(self, mask: Any) -> str:
        """Names of selected features, for messages."""
        return ", ".join(map(str, self._feature_names[mask]))

    @property
    def _feature_names(self) -> np.ndarray:
        """Names of all features, by default those of scikit-learn."""
        return getattr(self, "feature_names_in_", np.array([f"x{j}" for j in range(self.n_features_in_)]))
