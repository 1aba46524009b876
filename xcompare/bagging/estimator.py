"""Bagged clustering with feature importances and a consensus partition."""

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from joblib import Parallel
from scipy.stats import false_discovery_control
from sklearn.utils import check_random_state

from xcompare.bagging.columns import Columns, fitted_table, typical_rows
from xcompare.bagging.consensus.medoid import ConsensusFrom
from xcompare.bagging.consensus.partition import find_consensus
from xcompare.bagging.fitted import LAZY_ATTRIBUTES, FittedEnsemble
from xcompare.bagging.importance import shares_of_largest, usable_weights
from xcompare.bagging.information.mutual import Information, plug_in_note
from xcompare.bagging.missing import imputation_share, missing_note, missingness_p_values
from xcompare.bagging.parameters import check_enough_rows, check_parameters, check_row_weights, subspace_size
from xcompare.bagging.redundancy import Groups, Redundancy, redundancy_warning, redundant_groups
from xcompare.bagging.replicas import Ensemble, Replicas, fit_replicas
from xcompare.bagging.resampling import Prior, Resampling
from xcompare.bagging.running_time import progress_note
from xcompare.bagging.scaling import Scale
from xcompare.bagging.table import Missing, MixedTable, scaled, units_of
from xcompare.bagging.uncertainty import intervals, weighted_mean
from xcompare.core.standardization import Scaling
from xcompare.core.threads import one_blas_thread, workers

if TYPE_CHECKING:
    from xcompare.inference.number_of_clusters import Choice

PROGRESS_LINES = 10  # joblib verbosity that prints about ten lines for a hundred tasks
TWICE_IMPUTED = 20  # replicates, to tell the spread that is due to imputation
MISSING_LEVEL = 0.05  # false discovery rate of features missing because of the clusters
MIN_WARN_SHARE = 0.1  # share of replicates with a plug-in estimate from which a warning names the feature


class BaggedClustering(FittedEnsemble):
    """Feature importances for clustering, by bagging K-means over rows and features.

    Each replicate ("replica") resamples the rows, draws a subset of the features, clusters, and labels every
    original sample. The importance of a feature in a replicate is its mutual information with those labels,
    capped at ``cap`` nats and divided by the largest in the replicate. ``feature_importances_`` are means
    over the replicates that drew the feature, weighted by the quality of their partitions. The consensus
    is one more clustering, of all rows in all features, weighted by importance if that helps.

    Parameters
    ----------
    n_clusters : int or "auto", default=3
        Number of clusters. With one cluster every importance is 0, with a warning. "auto": chosen as by
        `choose_k`, from 1 to 10.
    resampling : {"basic", "efron", "bbc"}, default="efron"
        "basic": no resampling. "efron": n rows with replacement. "bbc": the proper Bayesian bootstrap, with a
        Gaussian mixture prior elicited from the data.
    max_features : int or float, default=None
        Features drawn per replicate: a number, or a fraction of them. None is all but one.
    n_replicas : int, default=100
        The first 100 replicates of a larger ensemble are those of an ensemble of 100.
    prior_weight : float, default=0.1
        Weight of the prior in "bbc", in [0, 1).
    n_init : int, default=3
        K-means initializations per replicate. The published settings are 1 ("basic", "efron") and 20 ("bbc").
        One often ends in a poor local optimum. Importances with three and ten initializations differ no more
        than between seeds, as measured by ``benchmarks/default_starts.py``.
    quality_space : {"subspace", "full"}, default="subspace"
        Whether the quality of a replicate, its Dunn index, is measured in the features drawn or in all.
    information : {"auto", "kde", "discrete"}, default="auto"
        Estimator of mutual information. "kde", as published, uses kernel densities. "auto" is the same,
        except where no density exists (at most two values, most rows at one value, or constant in a
        cluster): there it is the plug-in estimate for discrete values, and a warning names the features.
        "discrete" uses it for all features with few values. See `mutual_information`. Unless it is "kde",
        features with at most two values, or with most rows at one value, are also rescaled
        for clustering: other values lie at distance 2 from the most frequent one. Otherwise a standardised
        flag set in one of 150 rows would be 12 away, and K-means would make that row a cluster.
    cap : float or None, default=1.0
        Information, in nats, at which a feature counts as fully informative; 1 as published. With many
        clusters that is low: of six clusters 8 standard deviations apart, features that separate 6, 6, 3 and
        2 groups all get 1.00; without a cap (``None``) 0.99, 1.00, 0.69 and 0.45.
    consensus : {"weighted", "medoid"}, default="weighted"
        How the consensus partition is found. "weighted": K-means (20 initializations) on all rows and
        features, with squared distances weighted by importance, by its square root, or not at all, whichever
        maximises the gap statistic of sparse K-means (doi:10.1198/jasa.2010.tm09415). "medoid", as
        published: the medoid partition of the replicates under variation of information, weighted by
        quality. It is less accurate than a single K-means with 20 initializations if few of many features
        are informative, as measured by ``benchmarks/default_starts.py``. With an ``estimator`` it is always
        "medoid".
    redundancy : {"warn", "spread", "ignore"}, default="warn"
        Treatment of redundant features: those with an absolute rank correlation of at least 0.85 over all
        rows, and 0.5 within clusters. They count more than once in every distance, and so dominate K-means.
        "warn" names the groups and leaves the importances as published. "spread" draws at most one feature
        of a group per replicate; a fractional ``max_features`` then counts each group once. It is not the
        default, as features that separate the same clusters can look redundant.
    estimator : scikit-learn clusterer, default=None
        Replaces K-means. Its ``n_clusters`` (``n_components`` of a mixture) and ``random_state`` are set
        if it has them. It labels other samples by ``predict``; without ``predict``, or if it labels rows as
        noise (-1), a sample gets the cluster of the nearest row that is in one.
    standardize : {"robust", "sd", "rank"} or None, default="robust"
        Scaling of each feature to mean 0 and sample standard deviation 1. "robust": after shrinking
        outliers, so that they do not determine the scale; same as "sd" without outliers. "sd": as published.
        "rank": of the ranks. None: no scaling.
    n_jobs : int, default=None
        Number of joblib workers; does not affect the result.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
        1 prints the approximate time of the fit, and joblib's progress, in tasks that are batches of
        replicates or blocks of features; 11 and above prints more.
    columns : dict or None, default=None
        Kinds of columns, by name, that do not follow from the dtypes: "numeric", "binary", "nominal",
        "drop", "days" (a date as a number), or the levels of an ordinal column, ascending. Columns of an
        array are called x0, x1, ...
    feature_groups : dict of str to list of str or None, default=None
        Features that are drawn and scored together, by name of the group. In a replicate each of them gets
        the largest information of the group.
    missing : {"resample", "median", "error"}, default="resample"
        Treatment of missing values (NaN). "resample": every replicate imputes them once, in its own sample,
        by the value of a row drawn from the ten nearest ones; a feature is scored on the rows where it was
        observed. The replicates are thus multiple imputations (doi:10.48550/arXiv.2011.13694). "median": the
        median, or the most frequent level. "error": raise an error.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The consensus partition; clusters are numbered from the largest to the smallest
    cluster_importances_ : ndarray of shape (n_clusters, n_features)
        Importance of each feature for each cluster against the rest; computed on first access.
    feature_importances_ : ndarray of shape (n_features,)
        Between 0 and 1; 0 for constant features and, with a warning, for features never drawn.
    discrete_share_ : ndarray of shape (n_features,)
        Share of a feature's replicates with the plug-in estimate of information.
    importances_std_ : ndarray of shape (n_features,)
        Weighted standard deviation over the replicates.
    importances_error_ : ndarray of shape (n_features,)
        Monte Carlo standard error, relative to infinitely many replicates. Infinite for a feature drawn less
        than twice.
    importances_interval_ : ndarray of shape (n_features, 2)
        95% bootstrap interval of the importance with infinitely many replicates.
    rank_interval_ : ndarray of int of shape (n_features, 2)
        The same for its rank: best and worst, 1 for the most important.
    redundant_groups_ : tuple of tuple of int
        Features that are redundant with each other; empty for ``redundancy="ignore"``.
    group_importances_ : ndarray of shape (n_groups,)
        Importance of each group as one feature: mean of the largest among its members in a replicate.
    missing_share_ : ndarray of shape (n_features,)
        Share of missing values.
    imputation_share_ : ndarray of shape (n_features,)
        Estimated share of the variance of an importance over the replicates that is due to imputation: 20
        replicates are imputed and clustered a second time.
    missing_p_values_ : ndarray of shape (n_features,)
        p-values of the null hypothesis that missingness of the feature is independent of the clusters found
        by replicates without it. A warning names features with a q-value of at most .05.
    features_ : tuple of Feature
        Name, kind and levels of each feature.
    n_replicas_ : int
        Number of replicates.
    replica_labels_ : ndarray of shape (n_replicas, n_samples)
        Partition of each replicate, with clusters matched to the consensus clusters.
    replica_features_ : ndarray of bool of shape (n_replicas, n_features)
    replica_weights_ : ndarray of shape (n_replicas,)
        Quality of each replicate.
    replica_importances_ : ndarray of shape (n_replicas, n_features)
        NaN where the feature was not drawn.
    consensus_index_ : int
        Replicate with the medoid partition: the consensus for ``consensus="medoid"``, otherwise computed on
        first access.
    consensus_proba_ : ndarray of shape (n_samples, n_clusters)
        Weighted share of the replicates that assign the sample to each consensus cluster; computed on first
        access.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the consensus clusters, in the units of the data; median codes of ordinal features, and the
        most frequent code of features with other levels.
    n_clusters_ : int
        Number of clusters: given, chosen by "auto", or found by ``estimator``.
    k_choice_ : Choice or None
        For ``n_clusters="auto"``: the criteria for each number, and the choice (``answer``).
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if ``X`` is a data frame.

    References
    ----------
    Quetti, Ballante, Figini, Giudici. Explainable cluster analysis: a bagging approach.
    doi:10.48550/arXiv.2603.19840

    Examples
    --------
    >>> from xcompare import BaggedClustering, load_dataset
    >>> wine = load_dataset("wine")
    >>> model = BaggedClustering(n_clusters=3, random_state=0).fit(wine.X)
    >>> wine.feature_names[model.feature_importances_.argmax()]
    'Flavanoids'
    """

    def __init__(
        self,
        n_clusters: int | Literal["auto"] = 3,
        *,
        resampling: Resampling = "efron",
        max_features: int | float | None = None,
        n_replicas: int = 100,
        prior_weight: float = 0.1,
        n_init: int = 3,
        quality_space: Literal["subspace", "full"] = "subspace",
        information: Information = "auto",
        cap: float | None = 1.0,
        consensus: ConsensusFrom = "weighted",
        redundancy: Redundancy = "warn",
        estimator: Any = None,
        standardize: Scaling | None = "robust",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        columns: Columns | None = None,
        feature_groups: Mapping[str, Sequence[Any]] | None = None,
        missing: Missing = "resample",
    ) -> None:
        self.n_clusters = n_clusters
        self.resampling = resampling
        self.max_features = max_features
        self.n_replicas = n_replicas
        self.prior_weight = prior_weight
        self.n_init = n_init
        self.quality_space = quality_space
        self.information = information
        self.cap = cap
        self.consensus = consensus
        self.redundancy = redundancy
        self.estimator = estimator
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.columns = columns
        self.feature_groups = feature_groups
        self.missing = missing

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "BaggedClustering":
        """Fit the replicates, the importances and the consensus.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            Row weights in the clustering: rows are drawn with probabilities proportional to them; "basic"
            passes them to K-means. Scaling, information and quality are unweighted.

        Returns
        -------
        self
        """
        X, self.features_ = fitted_table(self, X, self.columns, self.missing)
        units = units_of(self.feature_groups, [feature.name for feature in self.features_])
        check_parameters(self, len(X), len(units))
        row_weights = check_row_weights(self, sample_weight, len(X))
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_replicas).tolist()
        # Independent of the number of replicates.
        prior_rng, copies_rng, interval_rng, consensus_rng, choice_rng = (
            np.random.default_rng((seeds[0], i)) for i in range(5)
        )
        self._scale, points = scaled(
            X, self.features_, units, standardize=self.standardize, information=self.information
        )
        self._table = self._scale if isinstance(self._scale, MixedTable) else None
        if self._scale.constant.any():
            warnings.warn(
                "constant features carry no information and get importance 0:"
                f" {self._names(self._scale.constant)}",
                stacklevel=2,
            )
        self.k_choice_ = None if self.n_clusters != "auto" else self._count_clusters(points, choice_rng)
        self.n_clusters_ = int(self.n_clusters) if self.k_choice_ is None else self.k_choice_.best
        check_enough_rows(row_weights, self.n_clusters_)
        self.redundant_groups_: Groups = ()
        if self.redundancy != "ignore":
            find = redundant_groups if self._table is None else self._table.redundant_groups
            self.redundant_groups_ = find(points, self.n_clusters_, copies_rng)
        if self.redundant_groups_ and self.redundancy == "warn":
            groups = [self._names(list(group)) for group in self.redundant_groups_]
            warnings.warn(redundancy_warning(groups), stacklevel=2)
        ensemble = self._ensemble(points, row_weights, prior_rng)
        verbose = max(self.verbose, PROGRESS_LINES) if self.verbose else 0
        if verbose:
            print(
                progress_note(points.shape[1], len(points), self.n_clusters_, len(seeds), self.n_init),
                file=sys.stderr,
            )
        # Also limited here: workers that are threads of this process would undo each other's limits.
        with one_blas_thread(), workers(self.n_jobs, verbose=verbose, batch_size=1) as parallel:
            replicas = fit_replicas(ensemble, seeds, parallel)
            if not replicas.weights.any():
                warnings.warn(self._no_weights_message(), stacklevel=2)
            weights = usable_weights(replicas.weights)
            self.n_replicas_ = len(weights)
            self._set_importances(replicas, weights, interval_rng)
            self._consensus = find_consensus(
                ensemble,
                replicas,
                weights,
                self.feature_importances_,
                self.consensus,
                consensus_rng,
                parallel,
            )
            self._set_missing(X, ensemble, seeds, parallel)
        self.labels_ = self._consensus.labels
        self.n_clusters_ = self._consensus.n_clusters
        self.replica_labels_ = self._consensus.replicas.labels
        for name in LAZY_ATTRIBUTES:  # of an earlier fit
            self.__dict__.pop(name, None)
        self.cluster_centers_ = (
            self._scale.means(X, self.labels_)
            if isinstance(self._scale, Scale)
            else typical_rows(X, self.labels_, self.features_)
        )
        return self

    def _count_clusters(self, points: np.ndarray, rng: np.random.Generator) -> "Choice":
        """Choose the number of clusters from the features that vary."""
        from xcompare.inference.number_of_clusters import (
            count_clusters,  # the only use of inference in this package
        )

        seed = int(rng.integers(2**31))
        if self._table is None:
            return count_clusters(points[~self._scale.constant].T, seed)
        features = tuple(
            f for f, fixed in zip(self.features_, self._scale.constant, strict=True) if not fixed
        )
        return count_clusters(self._table.values[~self._scale.constant].T, seed, features=features)

    def _ensemble(
        self, points: np.ndarray, row_weights: np.ndarray | None, rng: np.random.Generator
    ) -> Ensemble:
        """Data and settings for the workers."""
        prior = None
        if self.resampling == "bbc":
            prior = Prior.elicit(points, self.n_clusters_, self.prior_weight, rng)
        groups = self.redundant_groups_ if self.redundancy == "spread" else ()
        n_drawn = len(points)
        if self._table is not None:
            n_drawn, groups = len(self._table.units), self._table.groups_of_units(groups)
        return Ensemble(
            points=points,
            information=self.information,
            n_clusters=self.n_clusters_,
            max_features=subspace_size(self.max_features, n_drawn, groups),
            groups=groups,
            resampling=self.resampling,
            prior=prior,
            n_init=self.n_init,
            quality_space=self.quality_space,
            estimator=self.estimator,
            row_weights=row_weights,
            table=self._table,
        )

    def _no_weights_message(self) -> str:
        """Warning if all replicate weights are 0."""
        if self.k_choice_ is not None and self.n_clusters_ == 1:
            return f"no clusters were found, so every importance is 0. {self.k_choice_.answer}"
        if self.n_clusters_ == 1:
            return "one cluster separates nothing: every importance is 0"
        return (
            "no replicate separates any clusters (all weights are 0), so all replicates count equally:"
            " the data may have fewer distinct rows than n_clusters"
        )

    def _set_importances(self, replicas: Replicas, weights: np.ndarray, rng: np.random.Generator) -> None:
        """Average importances over the replicates, with errors and intervals."""
        shares = shares_of_largest(replicas.information, self.cap, self._scale.constant)
        self.discrete_share_ = replicas.counted.sum(axis=0) / np.maximum(replicas.features.sum(axis=0), 1)
        often = (self.discrete_share_ >= MIN_WARN_SHARE) & ~self._scale.constant
        if often.any():
            warnings.warn(plug_in_note(self._names(often)), stacklevel=3)
        drawn = replicas.features.any(axis=0)
        if not drawn.all():
            warnings.warn(
                f"features never drawn in {self.n_replicas_} replicates get importance 0:"
                f" {self._names(~drawn)}; raise n_replicas or max_features",
                stacklevel=3,
            )
        found = weighted_mean(shares, weights)
        self.feature_importances_ = found.mean
        self.importances_std_ = found.spread
        self.importances_error_ = found.error
        self.importances_interval_, self.rank_interval_ = intervals(shares, weights, rng)
        together = [np.fmax.reduce(shares[:, list(group)], axis=1) for group in self.redundant_groups_]
        self.group_importances_ = (
            weighted_mean(np.column_stack(together), weights).mean if together else np.empty(0)
        )
        self.replica_features_ = replicas.features
        self.replica_weights_ = replicas.weights
        self.replica_importances_ = shares

    def _set_missing(self, X: np.ndarray, ensemble: Ensemble, seeds: list[int], parallel: Parallel) -> None:
        """What is missing, how much the imputation matters, and whether gaps depend on the clusters."""
        gaps = np.isnan(X)
        self.missing_share_ = gaps.mean(axis=0)
        self.imputation_share_ = np.zeros(X.shape[1])
        self.missing_p_values_ = np.ones(X.shape[1])
        if not gaps.any():
            return
        some = seeds[: min(TWICE_IMPUTED, self.n_replicas_)]
        again = fit_replicas(replace(ensemble, imputation=1), some, parallel)
        other = shares_of_largest(again.information, self.cap, self._scale.constant)
        first = self.replica_importances_[: len(some)]
        self.imputation_share_ = imputation_share(first, other, self.importances_std_)
        self.missing_p_values_ = missingness_p_values(gaps, self.replica_features_, self._consensus)
        related = np.flatnonzero(false_discovery_control(self.missing_p_values_) <= MISSING_LEVEL)
        if related.size:
            warnings.warn(missing_note(self._names(related)), stacklevel=3)
