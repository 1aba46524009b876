"""Refined clustering: rounds of bagging, each drawing features by their importance in the previous round.

If few features are informative, replicates that draw features uniformly contain mostly noise. Here each round
estimates importances, and the next one draws important features more often, and fewer at a time. Five rules
keep the refinement from reinforcing noise:

- a feature is evaluated on every partition, including those it was not used for;
- a partition is weighted by its density gap, which is 0 for a split through a single cluster; tied values are
  spread for it, as there always is a gap between them;
- a feature with few values, which K-means splits most easily, is evaluated only on partitions without it;
- about half of the replicates are whitened first, so that K-means does not split along correlated noise;
- replicates remove none, some or all of the common factors, continuous variation shared by many features;
- strongly skewed features are made symmetric in about half of the replicates, as a long tail hides gaps.
"""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from joblib import delayed, effective_n_jobs
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from xcompare.bagging.columns import Columns, fitted_table, other_rows, typical_rows
from xcompare.bagging.consensus.medoid import ranks_by_size
from xcompare.bagging.kmeans.centers import nearest_center
from xcompare.bagging.kmeans.lloyd import kmeans, random_initializations
from xcompare.bagging.parameters import relative_weights
from xcompare.bagging.table import Missing, MixedTable, scaled, units_of
from xcompare.core.blocks import slices
from xcompare.core.checks import check_integer
from xcompare.core.errors import DataError
from xcompare.core.standardization import Scaling, check_standardize
from xcompare.core.threads import one_blas_thread, workers
from xcompare.refined.data import RefinedData
from xcompare.refined.density_gap import density_gap
from xcompare.refined.rounds import (
    EXPLORED,
    RoundReplicas,
    can_be_whitened,
    drawing,
    make_round,
    round_importances,
    subspace_sizes,
    whitening,
)
from xcompare.refined.skewness import Symmetry

FINAL_N_INIT = 20
MIN_GAP_DIFFERENCE = 2.0  # standard errors by which a whitened partition must be better
BATCH = 30  # replicates per task of a worker


class RefinedClustering(ClusterMixin, BaseEstimator):
    """Feature importances for clustering, by iterative refinement of bagged K-means.

    Each replicate draws rows with replacement and a subset of features, whitens these with probability 1/2,
    runs K-means, and labels every sample. The score of a feature is its mutual information with the labels
    (plug-in estimate over rank bins), relative to the largest among the features drawn; in whitened
    replicates, its squared loading on the differences between cluster means if that is larger. Its importance
    is the mean over all replicates of a round, whether they drew it or not, weighted by their density gaps,
    and averaged over all rounds but the first. For a feature with few values the mean is over replicates that
    did not draw it, so that it needs other features with the same groups. The next round draws features with
    probabilities proportional to a power of their importance, half of their effective number at a time; a
    quarter of its replicates, and all of the first round, draw 2, 3, p/4 or p/2 of the p features uniformly.
    The final partition is K-means on all features, with squared distances weighted by importance; on whitened
    features if these have a clearly larger density gap.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters. With one cluster every importance is 0.
    rounds : int, default=5
        Number of rounds. The first draws features uniformly, the last by importance only.
    n_replicas : int, default=60
        Replicates per round.
    exponent : float, default=2.0
        Power of the importance used as drawing weight.
    n_init : int, default=3
        K-means initializations per replicate. The final partition uses 20.
    standardize : {"robust", "sd", "rank"} or None, default="robust"
        Scaling of each feature to mean 0 and sample standard deviation 1. "robust": after shrinking
        outliers, so that they do not determine the scale; same as "sd" without outliers. "sd": plain. "rank":
        of the ranks. None: no scaling.
    n_jobs : int, default=None
        Number of joblib workers; does not affect the result.
    random_state : int, RandomState instance or None, default=None
    columns : dict or None, default=None
        Kinds of columns by name, as in `BaggedClustering`.
    feature_groups : dict of str to list of str or None, default=None
        Features that are drawn and scored together, as in `BaggedClustering`.
    missing : {"resample", "median", "error"}, default="resample"
        Treatment of missing values (NaN), as in `BaggedClustering`: by default, every replicate imputes them
        once, in its own sample, and a feature is scored on the rows where it was observed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The partition; clusters are numbered from the largest to the smallest
    feature_importances_ : ndarray of shape (n_features,)
        Mean of all rounds but the first, between 0 and 1. 0 for constant features.
    round_importances_ : ndarray of shape (rounds, n_features)
    round_features_ : ndarray of bool of shape (rounds, n_replicas, n_features)
        Features drawn by each replicate.
    round_whitened_ : ndarray of bool of shape (rounds, n_replicas)
        Whether a replicate was whitened.
    round_symmetric_ : ndarray of bool of shape (rounds, n_replicas)
        Whether strongly skewed features were made symmetric for a replicate.
    round_removed_ : ndarray of int of shape (rounds, n_replicas)
        Number of common factors that a replicate removed.
    round_labels_ : ndarray of int of shape (rounds, n_replicas, n_samples)
        Partition of each replicate.
    round_weights_ : ndarray of shape (rounds, n_replicas)
        ``(1 + gap ** 2) ** 2`` for the density gap of each replicate, in standard errors.
    feature_weights_ : ndarray of shape (n_features,)
        Weights of squared distances in the final partition, the largest 1.
    needs_company_ : ndarray of bool of shape (n_features,)
        Features with few values, which need other features with the same groups: at most 10 distinct values
        (or two per cluster, if that is more), most rows at one value, or levels without an order.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the clusters, in the units of the data; medians of ordinal codes, and the most frequent
        of other levels.
    features_ : tuple of Feature
        Kinds and levels of the columns.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if ``X`` is a data frame.

    See Also
    --------
    BaggedClustering : The published method.

    Examples
    --------
    One of six features separates two clusters.

    >>> from xcompare import RefinedClustering
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 6))
    >>> X[:100, 2] += 5
    >>> RefinedClustering(n_clusters=2, random_state=0).fit(X).feature_importances_.round(1)
    array([0., 0., 1., 0., 0., 0.])
    """

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        rounds: int = 5,
        n_replicas: int = 60,
        exponent: float = 2.0,
        n_init: int = 3,
        standardize: Scaling | None = "robust",
        n_jobs: int | None = None,
        random_state: Any = None,
        columns: Columns | None = None,
        feature_groups: Mapping[str, Sequence[Any]] | None = None,
        missing: Missing = "resample",
    ) -> None:
        self.n_clusters = n_clusters
        self.rounds = rounds
        self.n_replicas = n_replicas
        self.exponent = exponent
        self.n_init = n_init
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.columns = columns
        self.feature_groups = feature_groups
        self.missing = missing

    @one_blas_thread()
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "RefinedClustering":
        """Estimate the importances, round by round, and the final partition.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            Replicates draw rows with probabilities proportional to these weights, and the final K-means
            takes them. Scaling, information and density gaps are unweighted.

        Returns
        -------
        self
        """
        X, self.features_ = fitted_table(self, X, self.columns, self.missing)
        self._check_parameters(len(X))
        row_weights = relative_weights(sample_weight, len(X), self.n_clusters)
        random = check_random_state(self.random_state)
        seeds = random.randint(2**31 - 1, size=(self.rounds, self.n_replicas))
        final_rng = np.random.default_rng((int(seeds[0, 0]), 1))
        units = units_of(self.feature_groups, [feature.name for feature in self.features_])
        self._scale, points = scaled(
            X, self.features_, units, standardize=self.standardize, information="auto"
        )
        self._table = self._scale if isinstance(self._scale, MixedTable) else None
        constant = self._scale.constant
        if constant.any():
            warnings.warn(
                f"constant features carry no information and get importance 0: {self._names(constant)}",
                stacklevel=2,
            )
        self._tie_seed = int(seeds[0, 0]), 2
        data = RefinedData.of(
            points,
            self._table,
            n_clusters=self.n_clusters,
            n_init=self.n_init,
            tie_seed=self._tie_seed,
            row_weights=row_weights,
        )
        self.needs_company_ = data.few
        self._run_rounds(data, seeds, constant)
        self._set_partition(data, X, final_rng)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the cluster of new rows: the nearest centre under the feature weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        points = self._scale.apply(other_rows(self, X))
        seen = self._seen(points if self._symmetry is None else self._symmetry.apply(points), self._root)
        return self._cluster_numbers[nearest_center(seen, self._centers[None])[0][0]]

    def _run_rounds(self, data: RefinedData, seeds: np.ndarray, constant: np.ndarray) -> None:
        """Fit the replicates of all rounds and set the importances."""
        importances = data.together(np.where(constant, 0.0, 1.0)[None])[0]
        found: list[np.ndarray] = []
        rounds: list[RoundReplicas] = []
        with workers(self.n_jobs) as parallel:
            size = BATCH if effective_n_jobs(self.n_jobs) > 1 else self.n_replicas
            for number, row in enumerate(seeds.tolist()):
                weights, m = drawing(importances[data.firsts], self.exponent)
                uniform = self._uniform_sizes(number, len(data.firsts)).tolist()
                made = parallel(
                    delayed(make_round)(data, weights, m, row[some], uniform[some])
                    for some in slices(len(row), size)
                )
                replicas = RoundReplicas(*(np.concatenate(parts) for parts in zip(*made, strict=True)))
                importances = round_importances(replicas, data.few_units, importances)
                found.append(importances)
                rounds.append(replicas)
        self.round_importances_ = np.array(found)
        self.round_labels_ = np.stack([replicas.labels for replicas in rounds])
        self.round_features_ = np.stack([replicas.features for replicas in rounds])
        self.round_whitened_ = np.stack([replicas.whitened for replicas in rounds])
        self.round_symmetric_ = np.stack([replicas.symmetric for replicas in rounds])
        self.round_removed_ = np.stack([replicas.removed for replicas in rounds])
        self.round_weights_ = np.stack([replicas.weights for replicas in rounds])
        # The first round only explores; later ones lose the rank of weak features, so the last is not enough.
        self.feature_importances_ = self.round_importances_[min(1, self.rounds - 1) :].mean(axis=0)

    def _uniform_sizes(self, number: int, n_units: int) -> np.ndarray:
        """Subspace sizes of replicates that draw features uniformly, 0 for the others.

        All in the first round; then one in four, so that later rounds can recover; none in the last.
        """
        sizes = subspace_sizes(self.n_replicas, n_units)
        if number == 0:
            return sizes
        explored = 0 if number == self.rounds - 1 else self.n_replicas // EXPLORED
        return np.where(np.arange(self.n_replicas) < explored, sizes, 0)

    def _set_partition(self, data: RefinedData, X: np.ndarray, rng: np.random.Generator) -> None:
        """K-means on the weighted features, plain and whitened, and the same with skewed features made
        symmetric; the one with the largest density gap, if it is clearly larger than that before."""
        self.feature_weights_ = self.feature_importances_ / (self.feature_importances_.max() or 1.0)
        every, firsts = np.arange(len(data.few)), np.searchsorted(data.block, np.arange(len(data.few)))
        donors = data.donors(every, self._tie_seed, None)
        weights = np.sqrt(self.feature_weights_)
        self._dimension_weights: np.ndarray = weights[data.block]
        once = np.ones(len(X), dtype=np.intp) if data.row_weights is None else data.row_weights
        deepest = -np.inf
        for scale, points in enumerate(data.scales):
            untied = data.untied_of(every, donors, scale=scale)
            white = can_be_whitened(data.dense, len(X))
            for root in (None, whitening(points.expected, data.dense)) if white else (None,):
                seen = self._seen(points.expected, root)
                init = random_initializations(seen, once, self.n_clusters, FINAL_N_INIT, rng)
                centers = kmeans(seen[None], once[None], init[None])[0]
                codes = nearest_center(seen, centers[None])[0][0]
                apart = untied if root is None else root[np.ix_(firsts, firsts)] @ untied
                depth = float(density_gap(weights[:, None] * apart, codes))
                if depth > deepest + MIN_GAP_DIFFERENCE:
                    deepest, best = depth, codes
                    self._symmetry: Symmetry | None = data.symmetry if scale else None
                    self._root: np.ndarray | None = root
                    self._centers: np.ndarray = centers
        sizes = np.bincount(best, minlength=self.n_clusters)
        self._cluster_numbers: np.ndarray = ranks_by_size(sizes)
        self.labels_ = self._cluster_numbers[best]
        if isinstance(self._scale, MixedTable):
            self.cluster_centers_ = typical_rows(X, self.labels_, self.features_)
            return
        small = X / self._scale.unit
        means = [small[self.labels_ == k].mean(axis=0) for k in range(self.labels_.max() + 1)]
        self.cluster_centers_ = np.stack(means) * self._scale.unit

    def _seen(self, points: np.ndarray, root: np.ndarray | None) -> np.ndarray:
        """Weighted, and possibly whitened, points."""
        return self._dimension_weights[:, None] * (points if root is None else root @ points)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self, n_samples: int) -> None:
        """Raise on invalid parameters."""
        for name in ("n_clusters", "rounds", "n_replicas", "n_init"):
            check_integer(name, getattr(self, name), 1)
        check_standardize(self.standardize)
        if not (isinstance(self.exponent, Real) and self.exponent >= 0):
            raise DataError(f"exponent must be a number of at least 0; got {self.exponent!r}")
        if n_samples < self.n_clusters:
            raise DataError(
                f"n_clusters={self.n_clusters} exceeds n_samples={n_samples}; choose fewer clusters"
            )

    def _names(self, mask: np.ndarray) -> str:
        """Names of selected features, for messages."""
        names = getattr(self, "feature_names_in_", np.array([f"x{j}" for j in range(self.n_features_in_)]))
        return ", ".join(map(str, names[mask]))


def find_features(
    X: np.ndarray, n_clusters: int, seed: int, **settings: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Importances and partition, for tests that fit many times.

    ``X`` of shape (n_samples, n_features): standardised. ``settings``: of `RefinedClustering`. Returns
    ``importances`` of shape (n_features,); ``labels`` of shape (n_samples,).
    """
    model = RefinedClustering(n_clusters, **settings, standardize="sd", n_jobs=1, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant columns
        model.fit(X)
    return model.feature_importances_, model.labels_
