"""Tests for the existence of clusters and for features that differ between them, by data splitting.

K-means splits any data into as many parts as requested, so a partition cannot be tested on the rows that
defined it. One half of the rows finds clusters and directions that separate them; the other half is
projected onto these directions and tested for unimodality. Null hypothesis: every projection of the
distribution is unimodal, whatever its covariance, tails or skewness. Both halves take both roles, in several
splits.

A feature is tested against a partition by the other features. Null hypothesis: it is independent of them.
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import norm, skew
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import PowerTransformer

from xcompare.core.features import Feature
from xcompare.core.imputation import complete_points
from xcompare.core.standardization import standardize
from xcompare.core.threads import one_thread
from xcompare.core.ties import spread_ties
from xcompare.inference.association import association_p_value
from xcompare.inference.projections import projection_p_values
from xcompare.inference.unimodality import combined_p_value, dip_p_values
from xcompare.refined.estimator import find_features

N_SPLITS = 4  # at most
CLEAR = 0.001  # p-value below which no further splits are made
MAX_ROWS = 2000
RELEVANT = 0.3  # least share of the largest importance of features that separate clusters
MOST_FEATURES = 15  # that separate clusters
INITIALIZATIONS = 5  # of K-means
LEAST_SKEWNESS = 1.0  # of features that are also tested after a transformation towards symmetry
POINT_MASS = 0.2  # share of one value from which a feature is not continuous


class ClusterTests(NamedTuple):
    """Results of the tests."""

    p_clusters: float  # of no clusters
    p_associated: np.ndarray  # (n_features,), of independence from all other features
    p_modes: np.ndarray  # (n_features,), of unimodality of the feature
    autocorrelation: float  # of neighbouring rows, within clusters; median over the features
    binary: bool  # whether all features that separate the clusters are binary


def cluster_tests(
    X: np.ndarray,
    n_clusters: int,
    seed: int,
    n_splits: int = N_SPLITS,
    features: Sequence[Feature] | None = None,
) -> ClusterTests:
    """Test whether there are clusters, and which features differ between them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Without constant columns; standardised here. At most 2,000 rows, drawn at random, are used.
    n_clusters : int
        Number of clusters.
    n_splits : int, default=4
        Most random splits into two halves; clear evidence needs fewer.
    features : sequence of Feature or None, default=None
        Columns of a table with several kinds of features, or missing values; None: complete numbers. A
        nominal feature has a dimension per level, and no modes; it is tested on its levels. Missing values
        are imputed once, and a feature is tested on the rows where it was observed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 4))
    >>> bool(cluster_tests(X, 2, seed=0).p_clusters > 0.05)
    True
    >>> X[:60, :2] += 5
    >>> found = cluster_tests(X, 2, seed=0)
    >>> bool(found.p_clusters < 0.01), (found.p_associated < 0.01).tolist()
    (True, [True, True, False, False])
    """
    rng = np.random.default_rng([seed, 0])
    rows = np.arange(len(X)) if len(X) <= MAX_ROWS else np.sort(rng.choice(len(X), MAX_ROWS, replace=False))
    given = X[rows]
    some, block = table_dimensions(given, features, rng)
    continuous = np.array([np.unique(x, return_counts=True)[1].max() < POINT_MASS * len(x) for x in some.T])
    p_values: list[float] = []
    p_clusters = 1.0
    with one_thread():
        for _ in range(n_splits if len(some) // 2 >= n_clusters else 0):
            # Ties are spread again in each split, so the result does not depend on one random order.
            Y = np.column_stack([spread_ties(column, rng) for column in some.T])
            order = rng.permutation(len(Y))
            halves = order[: len(Y) // 2], order[len(Y) // 2 :]
            for train, test in (halves, halves[::-1]):
                new = int(rng.integers(2**31))
                p_values += split_p_values(Y[train], Y[test], n_clusters, new, continuous)
            p_clusters = combined_p_value(np.array(p_values))
            if p_clusters < CLEAR:
                break
        nominal = None if features is None else [feature.kind == "nominal" for feature in features]
        tested = some if features is None else given
        p_associated, used, labels = feature_p_values(some, n_clusters, rng, tested, block, nominal)
    return ClusterTests(
        p_clusters,
        p_associated,
        dip_p_values(X) if features is None else _mode_p_values(X, features),
        _autocorrelation(some, labels),
        all(len(np.unique(column)) <= 2 for column in some[:, used].T),
    )


def split_p_values(
    train: np.ndarray, test: np.ndarray, n_clusters: int, seed: int, continuous: np.ndarray
) -> list[float]:
    """p-values of unimodality on ``test``, in the features that separate clusters of ``train``.

    Skewness hides modes, as the bandwidth that suits the long tail is too wide for the bulk. So if some
    features are skewed, the tests are repeated after a monotone transformation of these; ``continuous`` says
    which have no point mass.
    """
    importances, labels = find_features(train, n_clusters, seed)
    used = separating(importances)
    train, test = train[:, used], test[:, used]
    p_values = projection_p_values(train, test, labels)
    skewed = np.abs(skew(train)) > LEAST_SKEWNESS
    if skewed.any():
        smooth = skewed & continuous[used]
        train, test = _symmetric(train, test, smooth, skewed & ~smooth)
        p_values += projection_p_values(train, test, labels)
    return p_values


def _symmetric(
    train: np.ndarray, test: np.ndarray, smooth: np.ndarray, lumped: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Both halves with features transformed towards symmetry, as fitted on ``train``.

    ``smooth`` of shape (n_used,): features that get a Yeo-Johnson transformation. ``lumped``, the same: those
    with a point mass, which would stay a mode of its own. They get normal scores; the ties in the mass were
    broken at random before, so it becomes a tail.
    """
    halves = train.copy(), test.copy()
    if smooth.any():
        transformer = PowerTransformer().fit(train[:, smooth])
        for half in halves:
            half[:, smooth] = transformer.transform(half[:, smooth])
    ranks = (np.arange(len(train)) + 0.5) / len(train)
    for j in np.flatnonzero(lumped):
        for half in halves:
            half[:, j] = norm.ppf(np.interp(half[:, j], np.sort(train[:, j]), ranks))
    return halves


def separating(importances: np.ndarray) -> np.ndarray:
    """Indices of the features that separate clusters: at least .3 of the largest importance, 15 at most."""
    order = np.argsort(-importances, kind="stable")[:MOST_FEATURES]
    return np.sort(order[importances[order] >= RELEVANT * importances.max()])


def table_dimensions(
    X: np.ndarray, features: Sequence[Feature] | None, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Standardised rows, shape (n_samples, n_dimensions), and the feature of each dimension."""
    if features is None:
        return standardize(X), np.arange(X.shape[1])
    return complete_points(X, features, "robust", rng)


def _mode_p_values(X: np.ndarray, features: Sequence[Feature]) -> np.ndarray:
    """p-values of unimodality of the observed values; levels without an order have no modes."""
    found = np.ones(len(features))
    for j, feature in enumerate(features):
        x = X[~np.isnan(X[:, j]), j]
        if feature.kind != "nominal" and len(x):
            found[j] = dip_p_values(x[:, None])[0]
    return found


def feature_p_values(
    X: np.ndarray,
    n_clusters: int,
    rng: np.random.Generator,
    values: np.ndarray | None = None,
    block: np.ndarray | None = None,
    nominal: Sequence[bool] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p-values of independence between each feature and clusters of the other features.

    ``X`` of shape (n_samples, n_features): standardised. ``values`` of shape (n_samples, n_features) or None:
    what is tested, NaN where missing; None: ``X``. ``block`` of shape (n_dimensions,) or None: feature of
    each column of ``X``; None: each is one. ``nominal``: which values are levels without an order; None:
    none. Returns ``p_values`` of shape (n_features,); ``used`` of shape (n_used,): the columns that separate
    clusters; ``labels`` of shape (n_samples,): the partition in these features.
    """
    importances, _ = find_features(X, n_clusters, int(rng.integers(2**31)))
    used = separating(importances)
    seed = int(rng.integers(2**31))

    def partition(features: np.ndarray) -> np.ndarray:
        points = X[:, features] * np.sqrt(importances[features])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
            return KMeans(n_clusters, n_init=INITIALIZATIONS, random_state=seed).fit_predict(points)

    labels = partition(used)
    values = X if values is None else values
    block = np.arange(X.shape[1]) if block is None else block
    p_values = np.ones(values.shape[1])
    for j in range(values.shape[1]):
        others = used[block[used] != j]
        if len(others):
            made = labels if len(others) == len(used) else partition(others)
            levels = nominal is not None and nominal[j]
            p_values[j] = association_p_value(values[:, j], made, nominal=levels)
    return p_values, used, labels


def _autocorrelation(X: np.ndarray, labels: np.ndarray) -> float:
    """Median autocorrelation of neighbouring rows within clusters.

    It is low for data sorted by cluster, and high if most features drift.
    """
    _, labels = np.unique(labels, return_inverse=True)
    means = np.stack([X[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
    residuals = X - means[labels]
    squares = np.maximum(np.square(residuals).sum(axis=0), np.finfo(float).tiny)
    return float(np.median((residuals[1:] * residuals[:-1]).sum(axis=0) / squares))
