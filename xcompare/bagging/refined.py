"""Refined clustering: rounds of bagging, each drawing its features by what the round before found.

Where few features make the clusters, a replica that draws blindly holds mostly noise, and says so. Here a round
of replicas finds which features know most of the partitions, and the next round draws those more often and
fewer of them at a time. Four rules keep the rounds from feeding on noise:

- a feature is asked about every partition, also those it had no part in;
- a partition counts by the valley between its clusters: a cut through a cloud has none;
- a feature of few values, the easiest groups of all, is asked only about partitions it had no part in;
- of near-copies at most one is drawn, and together they weigh as much as one feature.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from xcompare.bagging.counting import counted_informations, few_values, value_codes
from xcompare.bagging.information import comparable_scale, without_density
from xcompare.bagging.kmeans import kmeans, nearest_center, random_starts
from xcompare.bagging.redundancy import near_copies
from xcompare.bagging.valley import valley
from xcompare.checks import check_integer, check_numeric_columns
from xcompare.standardize import Standardization
from xcompare.threads import keep_freed_memory, one_blas_thread

SHARE = 0.5  # of the features that matter, as far as known, drawn for a replica
FEWEST = 2  # features drawn: one alone would always explain its own partition
FEW_VALUES = 10  # different values up to which a feature needs company; at least two per cluster
MOST_GROUPS = 20  # of values of about the same rank, to count information by
LEAST = 1e-12  # share of the largest weight that a feature keeps, so that all can be drawn
FINAL_STARTS = 20
BATCH = 10  # replicas a worker makes at a time


class RefinedClustering(ClusterMixin, BaseEstimator):
    """Which features make the clusters, by rounds of bagging that draw ever more of those that do.

    A replica draws rows with replacement and some features, runs K-means, and labels every sample. What a
    feature knows of the labels is its mutual information, counted over values of about the same rank, as a
    share of the largest among the features drawn. Its importance is the mean over all replicas of a round,
    whether they drew it or not, weighted by the valley between their clusters. A feature of few values is
    averaged over the replicas that did not draw it: it counts as far as others share its groups. The next
    round draws features in proportion to a power of their importance, half as many as are worth drawing. The
    partition is K-means on all features, squared distances weighted by the same power.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters. One cluster separates nothing: every importance is 0, with a warning.
    rounds : int, default=5
        The first draws all features alike.
    n_replicas : int, default=40
        In each round.
    exponent : float, default=2.0
        Power of the importance by which features are drawn, and weigh in the partition.
    n_init : int, default=10
        K-means starts per replica. The partition has 20.
    n_jobs : int, default=None
        Workers, through joblib; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The partition; clusters are numbered from the largest to the smallest.
    feature_importances_ : ndarray of shape (n_features,)
        Of the last round, between 0 and 1. 0 for constant features.
    round_importances_ : ndarray of shape (rounds, n_features)
    round_features_ : ndarray of bool of shape (rounds, n_replicas, n_features)
        The features each replica drew.
    round_labels_ : ndarray of int of shape (rounds, n_replicas, n_samples)
        The partition each replica found.
    round_weights_ : ndarray of shape (rounds, n_replicas)
        1 plus the square of the valley between its clusters, in standard errors.
    feature_weights_ : ndarray of shape (n_features,)
        Of squared distances in the partition, the largest 1.
    needs_company_ : ndarray of bool of shape (n_features,)
        Features of few values, which count only as far as others share their groups: at most 10 different
        values (or two per cluster, if that is more), or most rows at one value.
    redundant_groups_ : tuple of tuple of int
        Features that are near-copies of each other.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the clusters, in the units of the data.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only for data frames.

    See Also
    --------
    BaggedClustering : The published method, which this one starts from.

    Examples
    --------
    One feature of six has two groups.

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
        n_replicas: int = 40,
        exponent: float = 2.0,
        n_init: int = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.rounds = rounds
        self.n_replicas = n_replicas
        self.exponent = exponent
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "RefinedClustering":
        """Find the importances, round by round, and the partition.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Standardised here.
        y : ignored

        Returns
        -------
        self
        """
        X = self._validated(X, ensure_min_samples=2, ensure_min_features=2)
        self._check_parameters(len(X))
        random = check_random_state(self.random_state)
        seeds = random.randint(2**31 - 1, size=(self.rounds, self.n_replicas))
        copies_rng, final_rng = (np.random.default_rng((int(seeds[0, 0]), i)) for i in range(2))
        self._standardization = Standardization.of(X)
        self._scale: np.ndarray = np.ones(X.shape[1])
        self._scale = comparable_scale(self._standardized(X))
        points = self._standardized(X)
        constant = np.ptp(points, axis=1) == 0
        if constant.any():
            warnings.warn(
                f"constant features carry no information and get importance 0: {self._names(constant)}",
                stacklevel=2,
            )
        self.needs_company_ = needs_company(points, self.n_clusters)
        with one_blas_thread():
            self.redundant_groups_ = near_copies(points, self.n_clusters, copies_rng)
        groups = np.arange(len(points))
        for members in self.redundant_groups_:
            groups[list(members)] = members[0]
        most = min(few_values(len(X)), MOST_GROUPS)
        data = Data(
            points=points,
            codes=[value_codes(x, most)[0] for x in points],
            few=self.needs_company_,
            groups=groups,
            n_clusters=self.n_clusters,
            n_starts=self.n_init,
        )
        self._run_rounds(data, seeds, constant)
        self._set_partition(data, X, final_rng)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Cluster of new rows: that of the nearest centre, by the weights of the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        points = self._standardized(self._validated(X, reset=False))
        points = points * np.sqrt(self.feature_weights_)[:, None]
        return self._cluster_numbers[nearest_center(points, self._centers[None])[0][0]]

    def _run_rounds(self, data: "Data", seeds: np.ndarray, constant: np.ndarray) -> None:
        """Replicas of each round, by what the round before found."""
        importances = np.where(constant, 0.0, 1.0)
        found, rounds = [], []
        parallel = Parallel(n_jobs=self.n_jobs)
        for row in seeds.tolist():
            weights, m = drawing(importances, data.groups, self.exponent)
            batches = [row[start : start + BATCH] for start in range(0, len(row), BATCH)]
            made = parallel(delayed(make_round)(data, weights, m, batch) for batch in batches)
            replicas = RoundReplicas(*(np.concatenate(parts) for parts in zip(*made, strict=True)))
            importances = round_importances(replicas, data.few, importances)
            found.append(importances)
            rounds.append(replicas)
        self.round_importances_ = np.array(found)
        self.round_labels_ = np.stack([replicas.labels for replicas in rounds])
        self.round_features_ = np.stack([replicas.features for replicas in rounds])
        self.round_weights_ = np.stack([replicas.weights for replicas in rounds])
        self.feature_importances_ = importances

    def _set_partition(self, data: "Data", X: np.ndarray, rng: np.random.Generator) -> None:
        """K-means on the weighted features, its clusters numbered by size."""
        self.feature_weights_ = drawing(self.feature_importances_, data.groups, self.exponent)[0]
        points = data.points * np.sqrt(self.feature_weights_)[:, None]
        once = np.ones(len(X), dtype=np.intp)
        with one_blas_thread():
            starts = random_starts(points, once, self.n_clusters, FINAL_STARTS, rng)
            self._centers: np.ndarray = kmeans(points[None], once[None], starts[None])[0]
            codes = nearest_center(points, self._centers[None])[0][0]
        sizes = np.bincount(codes, minlength=self.n_clusters)
        self._cluster_numbers: np.ndarray = np.empty(self.n_clusters, dtype=np.int64)
        self._cluster_numbers[np.argsort(-sizes, kind="stable")] = np.arange(self.n_clusters)
        self.labels_ = self._cluster_numbers[codes]
        scaled = X / self._standardization.unit
        centers = [scaled[self.labels_ == k].mean(axis=0) for k in range(self.labels_.max() + 1)]
        self.cluster_centers_ = np.stack(centers) * self._standardization.unit

    def _validated(self, X: Any, **how: Any) -> np.ndarray:
        """Data as a finite matrix, row after row in memory."""
        check_numeric_columns(X)
        with np.errstate(invalid="ignore"):  # it sums the values, which may overflow
            return validate_data(self, X, dtype=np.float64, order="C", **how)

    def _check_parameters(self, n_samples: int) -> None:
        """Raise on parameters that make no sense for this data."""
        for name in ("n_clusters", "rounds", "n_replicas", "n_init"):
            check_integer(name, getattr(self, name), 1)
        if not (isinstance(self.exponent, Real) and self.exponent >= 0):
            raise ValueError(f"exponent must be a number of at least 0; got {self.exponent!r}")
        if n_samples < self.n_clusters:
            raise ValueError(
                f"n_samples={n_samples} rows cannot make n_clusters={self.n_clusters} clusters: ask for fewer"
            )

    def _standardized(self, X: np.ndarray) -> np.ndarray:
        """Data as replicas want it: standardised, features first."""
        return np.ascontiguousarray((self._standardization.apply(X) / self._scale).T)

    def _names(self, mask: np.ndarray) -> str:
        """Names of the chosen features, for messages."""
        names = getattr(self, "feature_names_in_", np.array([f"x{j}" for j in range(self.n_features_in_)]))
        return ", ".join(map(str, names[mask]))


@dataclass(frozen=True, eq=False)
class Data:
    """Everything a worker needs to make replicas of one dataset."""

    points: np.ndarray  # (n_features, n_samples), standardised
    codes: list[np.ndarray]  # of each feature, to count its information by
    few: np.ndarray  # (n_features,), bool: features of few values
    groups: np.ndarray  # (n_features,): near-copies share a number
    n_clusters: int
    n_starts: int


class RoundReplicas(NamedTuple):
    """What the replicas of a round, or some of them, gave."""

    labels: np.ndarray  # (n_replicas, n_samples), codes 0..K-1
    features: np.ndarray  # (n_replicas, n_features), bool: drawn
    weights: np.ndarray  # (n_replicas,)
    information: np.ndarray  # (n_replicas, n_features), nats, of all features


def needs_company(points: np.ndarray, n_clusters: int) -> np.ndarray:
    """Which features, the rows of ``points``, have few values, or most rows at one."""
    few = max(FEW_VALUES, 2 * n_clusters)
    return without_density(points) | np.array([len(np.unique(x)) <= few for x in points])


def drawing(importances: np.ndarray, groups: np.ndarray, exponent: float) -> tuple[np.ndarray, int]:
    """How features are drawn: their weights, the largest 1, and how many at a time.

    Near-copies share the weight of one feature. The number is half of those worth drawing: the square of the
    sum of the weights over the sum of their squares, which is p for p equal weights and 1 if one has it all.

    Examples
    --------
    >>> drawing(np.array([1.0, 1.0, 0.5, 0.5, 0.0]), np.arange(5), 2.0)
    (array([1.0e+00, 1.0e+00, 2.5e-01, 2.5e-01, 1.0e-12]), 2)
    """
    weights = importances**exponent / np.bincount(groups, minlength=len(groups))[groups]
    largest = weights.max()
    weights = np.maximum(weights / largest, LEAST) if largest > 0 else np.ones_like(weights)
    together = np.bincount(groups, weights)
    worth = together.sum() ** 2 / (together**2).sum()
    return weights, max(FEWEST, int(np.ceil(SHARE * worth - 1e-9)))


def make_round(data: Data, weights: np.ndarray, m: int, seeds: Sequence[int]) -> RoundReplicas:
    """Replicas from their seeds, in one thread: parallelism is across batches, and rounding stays put."""
    keep_freed_memory()
    n_features, n = data.points.shape
    labels = np.empty((len(seeds), n), dtype=np.int32)
    features = np.zeros((len(seeds), n_features), dtype=bool)
    quality = np.empty(len(seeds))
    with one_blas_thread():
        for b, seed in enumerate(seeds):
            rng = np.random.default_rng(seed)
            chosen = draw_by_weight(weights, m, data.few, data.groups, rng)
            points = data.points[chosen]
            counts = np.bincount(rng.integers(n, size=n), minlength=n)
            starts = random_starts(points, counts, data.n_clusters, data.n_starts, rng)
            centers = kmeans(points[None], counts[None], starts[None])
            labels[b] = nearest_center(points, centers)[0][0]
            features[b, chosen] = True
            quality[b] = 1 + valley(points, labels[b]) ** 2  # where no valley is deep, all count about alike
        information = counted_informations(data.codes, labels, data.n_clusters)
    return RoundReplicas(labels, features, quality, information)


def draw_by_weight(
    weights: np.ndarray, m: int, few: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Features for a replica, ascending: ``m`` by their weights, at most one of each group.

    Of the features of few values each stands aside in half of the replicas, to be judged by them.
    """
    keys = rng.exponential(size=len(weights)) / weights  # the smallest: as if drawn one after the other
    aside = few & (rng.random(len(weights)) < 0.5)
    order = np.argsort(keys, kind="stable")
    _, first = np.unique(groups[order], return_index=True)
    order = order[np.sort(first)]
    ready = order[~aside[order]]
    return np.sort((ready if ready.size else order[:1])[:m])


def round_importances(replicas: RoundReplicas, few: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Importances that a round of replicas gives; those of the round before where it tells nothing."""
    information = np.maximum(replicas.information, 0.0)
    largest = np.where(replicas.features, information, 0.0).max(axis=1, keepdims=True)
    shares = np.minimum(information / np.where(largest > 0, largest, 1.0), 1.0)
    mass = replicas.weights[:, None] * ~(replicas.features & few)
    total = mass.sum(axis=0)
    return np.divide((mass * shares).sum(axis=0), total, out=before.copy(), where=total > 0)
