"""Choose the number of clusters: BIC among the numbers whose clusters are separated.

Irrelevant features hide the number of clusters, so the criteria are computed in the features that separate
clusters according to `RefinedClustering`. For each number K,

- *density_gap*: the K-means partition must have a gap between every cluster and its nearest neighbour;
- *bic*: among those numbers, the one with the best Gaussian mixture is chosen (Schwarz 1978,
  doi:10.1214/aos/1176344136) and, among mixtures with similar BIC, the one with the largest gap. BIC alone
  fits several components to one skewed cluster; the gap excludes those.

The answer is one cluster unless the test of `existence` rejects it.
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from xcompare.core.errors import DataError
from xcompare.core.features import Feature
from xcompare.core.threads import one_thread
from xcompare.core.ties import spread_ties
from xcompare.inference.existence import MAX_ROWS, cluster_tests, separating, table_dimensions
from xcompare.refined.density_gap import density_gaps
from xcompare.refined.estimator import find_features

MOST_CLUSTERS = 10  # candidates by default
LEVEL = 0.05
LEAST_GAP = 1.0  # standard errors
SIMILAR_BIC = 20  # difference of BICs within which the density gap decides
SELECTION_KS = (2, 4, 7)  # numbers of clusters used to select features
# Of the fits that select features: a whole fit with a wrong number of clusters settles on few features.
SHORT = {"rounds": 4, "n_replicas": 24, "n_init": 2}
COVARIANCES = ("full", "tied", "diag")  # of the mixtures; the best BIC counts
INITIALIZATIONS = 5  # of K-means


class Choice(NamedTuple):
    """The number of clusters and the criteria behind it."""

    ks: np.ndarray  # (n_ks,), candidates, besides one
    density_gap: np.ndarray  # (n_ks,), of the least separated cluster, in standard errors
    bic: np.ndarray  # (n_ks,), smaller is better
    p_clusters: float  # of no clusters, tested with the best number above one
    features: np.ndarray  # (n_used,), indices of the features that separate clusters

    @property
    def above_one(self) -> int:
        """The best number of clusters if there is more than one."""
        separated = self.density_gap >= LEAST_GAP
        if not separated.any():
            return int(self.ks[0])
        bic = np.where(separated, self.bic, np.inf)
        return int(self.ks[np.where(bic <= bic.min() + SIMILAR_BIC, self.density_gap, -1.0).argmax()])

    @property
    def best(self) -> int:
        """The number of clusters; 1 if there is no evidence of more."""
        return self.above_one if self.p_clusters <= LEVEL else 1

    @property
    def answer(self) -> str:
        """The number of clusters, in a sentence."""
        if self.best == 1:
            return (
                f"One cluster: no evidence of more ({p_text(self.p_clusters)})."
                f" If there are more, {self.above_one} fit best."
            )
        return (
            f"{self.best} clusters: the best BIC of the numbers whose clusters are all separated;"
            f" more than one cluster: {p_text(self.p_clusters)}."
        )


def p_text(p_value: float) -> str:
    """Format a p-value.

    Examples
    --------
    >>> p_text(0.0004), p_text(0.031), p_text(1.0)
    ('p < .001', 'p = .03', 'p = 1')
    """
    if p_value < 0.001:
        return "p < .001"
    digits = 3 if p_value < 0.01 else 2
    return f"p = {f'{p_value:.{digits}f}'.lstrip('0')}" if p_value < 0.995 else "p = 1"


def count_clusters(
    X: np.ndarray,
    seed: int,
    ks: Sequence[int] | None = None,
    features: Sequence[Feature] | None = None,
) -> Choice:
    """Choose the number of clusters.

    ``X`` of shape (n_samples, n_features): without constant columns; standardised here. At most 2,000 rows,
    drawn at random, are used. ``ks``: candidates, ascending, at least 2 and below the number of rows. None:
    see `tried`. ``features``: columns of a table with several kinds of features, or missing values; None:
    complete numbers.

    Raises
    ------
    DataError
        Fewer than three rows, or no feature.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 3)) + 6 * (np.arange(90) % 3)[:, None]
    >>> count_clusters(X, seed=0).best
    3
    """
    if X.shape[1] == 0:
        raise DataError("n_clusters='auto' needs features that vary; got none: give a number")
    ks = list(tried(len(X))) if ks is None else list(ks)
    rng = np.random.default_rng([seed, 1])
    rows = np.arange(len(X)) if len(X) <= MAX_ROWS else np.sort(rng.choice(len(X), MAX_ROWS, replace=False))
    some, block = table_dimensions(X[rows], features, rng)
    Y = np.column_stack([spread_ties(column, rng) for column in some.T])
    with one_thread():
        used = _separating(Y, [k for k in SELECTION_KS if k <= ks[-1]] or ks[:1], rng)
        found = [_criteria(Y[:, used], k, int(rng.integers(2**31))) for k in ks]
    gaps, bics = np.array(found).T
    choice = Choice(np.array(ks), gaps, bics, 1.0, np.unique(block[used]))
    tests = cluster_tests(X, choice.above_one, seed, features=features)
    return choice._replace(p_clusters=tests.p_clusters)


def tried(n_samples: int) -> range:
    """Default candidates: from 2 to 10, and below the number of rows.

    Examples
    --------
    >>> tried(150), tried(5)
    (range(2, 11), range(2, 5))
    """
    if n_samples < 3:
        raise DataError(f"choosing the number of clusters needs at least 3 rows; got {n_samples}")
    return range(2, min(MOST_CLUSTERS + 1, n_samples))


def _separating(X: np.ndarray, ks: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Features that separate clusters, over these numbers of clusters."""
    importances = np.mean([find_features(X, k, int(rng.integers(2**31)), **SHORT)[0] for k in ks], axis=0)
    return separating(importances)


def _criteria(points: np.ndarray, n_clusters: int, seed: int) -> tuple[float, float]:
    """Smallest density gap of the K-means partition, and the best BIC of a Gaussian mixture."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = KMeans(n_clusters, n_init=INITIALIZATIONS, random_state=seed).fit_predict(points)
        mixtures = [
            GaussianMixture(n_clusters, covariance_type=shape, reg_covar=1e-4, random_state=seed).fit(points)
            for shape in COVARIANCES
        ]
    gap = float(density_gaps(points.T, labels).min()) if len(np.unique(labels)) == n_clusters else 0.0
    return gap, float(min(mixture.bic(points) for mixture in mixtures))
