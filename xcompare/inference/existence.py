"""Tests for the existence of clusters and for features that differ between them, by data splitting.

K-means splits any data into as many parts as requested, so a partition cannot be tested on the rows that
defined it. One half of the rows finds clusters and directions that separate them; the other half is
projected onto these directions and tested for unimodality. Null hypothesis: every projection of the
distribution is unimodal, whatever its covariance, tails or skewness. Both halves take both roles, in several
splits.

A feature is tested against a partition by the other features. Null hypothesis: it is independent of them.
"""

import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from diptest import dipstat
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from xcompare.core.features import Feature
from xcompare.core.imputation import complete_points
from xcompare.core.standardization import standardize
from xcompare.core.threads import one_thread
from xcompare.core.ties import spread_ties
from xcompare.inference.association import association_p_value
from xcompare.inference.unimodality import (
    FEWEST_VALUES,
    Gap,
    combined_p_value,
    dip_p_value,
    dip_p_values,
)
from xcompare.refined.estimator import find_features

N_SPLITS = 4
MAX_ROWS = 1000
RELEVANT = 0.3  # least share of the largest importance of features that separate clusters
MOST_FEATURES = 15  # that separate clusters
SHRINKAGE = (
    0.1,
    0.3,
)  # of within-cluster covariances towards the diagonal; the second with few rows per feature
ROWS_PER_FEATURE = 5
INITIALIZATIONS = 5  # of K-means
NEAR_SHARE = 0.9  # of the rows of two clusters that count as near the line through their means


class ClusterTests(NamedTuple):
    """Results of the tests."""

    p_clusters: float  # of no clusters
    p_associated: np.ndarray  # (n_features,), of independence from all other features
    p_modes: np.ndarray  # (n_features,), of unimodality of the feature
    autocorrelation: float  # of neighbouring rows, within clusters; median over the features
    binary: bool  # whether all features that separate the clusters are binary


class HalfClusters(NamedTuple):
    """Clusters that one half of the rows shows, in the features that separate them."""

    features: np.ndarray  # (n_used,), positions
    labels: np.ndarray  # (n_samples,) of the half, from 0
    means: np.ndarray  # (n_clusters, n_used)
    within: np.ndarray  # (n_used, n_used), covariance within clusters


class Projection(NamedTuple):
    """A direction, and a maximum distance of the rows from a line along it, in whitened features."""

    direction: np.ndarray  # (n_used,), unit vector
    center: np.ndarray  # (n_used,), a point of the line
    radius: float  # infinite for all rows

    def of(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position of each row along the direction, and whether it is near the line."""
        moved = points - self.center
        along = moved @ self.direction
        across = np.square(moved).sum(axis=1) - along**2
        return along, across <= self.radius


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
        Without constant columns; standardised here. At most 1,000 rows, drawn at random, are used.
    n_clusters : int
        Number of clusters.
    n_splits : int, default=4
        Number of random splits into two halves.
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
    p_clusters: list[float] = []
    with one_thread():
        for _ in range(n_splits if len(some) // 2 >= n_clusters else 0):
            # Ties are spread again in each split, so the result does not depend on one random order.
            Y = np.column_stack([spread_ties(column, rng) for column in some.T])
            order = rng.permutation(len(Y))
            halves = order[: len(Y) // 2], order[len(Y) // 2 :]
            for train, test in (halves, halves[::-1]):
                clusters = find_clusters(Y[train], n_clusters, int(rng.integers(2**31)))
                p_clusters += projection_p_values(clusters, Y[train], Y[test])
        nominal = None if features is None else [feature.kind == "nominal" for feature in features]
        tested = some if features is None else given
        p_associated, used, labels = feature_p_values(some, n_clusters, rng, tested, block, nominal)
    return ClusterTests(
        combined_p_value(np.array(p_clusters)) if p_clusters else 1.0,
        p_associated,
        dip_p_values(X) if features is None else _mode_p_values(X, features),
        _autocorrelation(some, labels),
        all(len(np.unique(column)) <= 2 for column in some[:, used].T),
    )


def find_clusters(X: np.ndarray, n_clusters: int, seed: int) -> HalfClusters:
    """Clusters of standardised rows, in the features that separate them."""
    importances, labels = find_features(X, n_clusters, seed, short=True)
    used = separating(importances)
    points = X[:, used]
    _, labels = np.unique(labels, return_inverse=True)
    means = np.stack([points[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
    residuals = points - means[labels]
    within = residuals.T @ residuals / len(X)
    share = SHRINKAGE[len(X) < ROWS_PER_FEATURE * len(used)]
    diagonal = np.diag(np.maximum(np.diag(within), 1e-9))
    return HalfClusters(used, labels, means, (1 - share) * within + share * diagonal)


def separating(importances: np.ndarray) -> np.ndarray:
    """Indices of the features that separate clusters: at least .3 of the largest importance, 15 at most."""
    order = np.argsort(-importances, kind="stable")[:MOST_FEATURES]
    return np.sort(order[importances[order] >= RELEVANT * importances.max()])


def projection_p_values(clusters: HalfClusters, train: np.ndarray, test: np.ndarray) -> list[float]:
    """p-values of unimodality on ``test``, in the projections with the most evidence of modes in ``train``.

    Two tests for two kinds of projection: of all rows, and of the rows near the line through two
    neighbouring means.
    """
    variances, vectors = np.linalg.eigh(clusters.within)
    root = vectors / np.sqrt(variances) @ vectors.T
    seen, unseen = (half[:, clusters.features] @ root for half in (train, test))
    p_values = []
    for projections in (_of_all_rows, _of_neighbours):
        dips, gaps = [], []
        for projection in projections(clusters, clusters.means @ root, seen):
            along, near = projection.of(seen)
            x, labels = along[near], clusters.labels[near]
            if len(x) < FEWEST_VALUES or np.ptp(x) == 0:
                continue
            dips.append((dipstat(x) * np.sqrt(len(x)), projection))
            gap = Gap.of(x, _bandwidth(x, labels))
            gaps.append((gap.depth, projection, gap))
        if not dips:
            p_values += [1.0, 1.0]
            continue
        along, near = max(dips, key=lambda one: one[0])[1].of(unseen)
        p_values.append(dip_p_value(along[near]))
        depth, projection, gap = max(gaps, key=lambda one: one[0])
        along, near = projection.of(unseen)
        p_values.append(gap.p_value(along[near]) if depth > 0 else 1.0)
    return p_values


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


def _of_all_rows(clusters: HalfClusters, means: np.ndarray, points: np.ndarray) -> Iterator[Projection]:
    """Through all pairs of means, from each mean to the rest, and along the longest axis of the means."""
    n = len(means)
    differences = [means[i] - means[j] for i in range(n) for j in range(i)]
    if n > 2:
        sizes = np.bincount(clusters.labels)
        rest = (sizes @ means - sizes[:, None] * means) / (sizes.sum() - sizes)[:, None]
        differences += [*(means - rest), np.linalg.svd(means - means.mean(axis=0))[2][0]]
    for difference in differences:
        length = np.linalg.norm(difference)
        if length > 0:
            yield Projection(difference / length, means.mean(axis=0), np.inf)


def _of_neighbours(clusters: HalfClusters, means: np.ndarray, points: np.ndarray) -> Iterator[Projection]:
    """From each mean to its nearest neighbour, with only the rows near that line, to exclude others."""
    apart = np.square(means[:, None] - means).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    pairs = (
        {tuple(sorted((i, int(row.argmin())))) for i, row in enumerate(apart)} if len(means) > 1 else set()
    )
    for i, j in sorted(pairs):
        difference = means[j] - means[i]
        length = np.linalg.norm(difference)
        if length == 0:
            continue
        line = Projection(difference / length, (means[i] + means[j]) / 2, np.inf)
        members = points[(clusters.labels == i) | (clusters.labels == j)] - line.center
        across = np.square(members).sum(axis=1) - (members @ line.direction) ** 2
        yield line._replace(radius=float(np.quantile(across, NEAR_SHARE)))


def _bandwidth(x: np.ndarray, labels: np.ndarray) -> float:
    """Normal reference bandwidth within clusters."""
    means = np.bincount(labels, x) / np.maximum(np.bincount(labels), 1)
    return max(float((x - means[labels]).std()) * len(x) ** -0.2, 1e-3 * float(x.std()))


def _autocorrelation(X: np.ndarray, labels: np.ndarray) -> float:
    """Median autocorrelation of neighbouring rows within clusters.

    It is low for data sorted by cluster, and high if most features drift.
    """
    _, labels = np.unique(labels, return_inverse=True)
    means = np.stack([X[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
    residuals = X - means[labels]
    squares = np.maximum(np.square(residuals).sum(axis=0), np.finfo(float).tiny)
    return float(np.median((residuals[1:] * residuals[:-1]).sum(axis=0) / squares))
