"""How many clusters: the Bayesian information criterion, among numbers whose clusters are separated.

Features without clusters hide how many there are, so all of this looks at the features that separate
clusters, as `RefinedClustering` finds them. There, for each number K,

- *density_gap*: the partition of K-means must leave a gap between every cluster and its nearest neighbour;
- *bic*: of the numbers that do, the one with the best Gaussian mixture is taken (Schwarz 1978,
  doi:10.1214/aos/1176344136), and of mixtures about as good the one with the deepest gap. BIC alone fits
  several components to one skewed cluster; the gap rules that out.

One cluster is the answer where the test of `existence` finds no more.
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from xcompare.core.errors import DataError
from xcompare.core.standardization import standardize
from xcompare.core.threads import one_thread
from xcompare.inference.existence import MAX_ROWS, cluster_tests, separating
from xcompare.inference.ties import spread_ties
from xcompare.refined.density_gap import density_gaps
from xcompare.refined.estimator import find_features

MOST_CLUSTERS = 10  # tried, unless told otherwise
LEVEL = 0.05
LEAST_GAP = 1.0  # standard errors
AS_GOOD = 20  # difference of BICs up to which the shape of the clusters may decide
LOOKED_AT = (2, 4, 7)  # numbers of clusters at which features are looked for
SHAPES = ("full", "tied", "diag")  # of the covariances of a mixture: the best counts
INITIALIZATIONS = 5  # of K-means


class Choice(NamedTuple):
    """How many clusters, and what the choice is based on."""

    ks: np.ndarray  # (n_ks,), numbers of clusters tried, besides one
    density_gap: np.ndarray  # (n_ks,), of the cluster that is least separated, in standard errors
    bic: np.ndarray  # (n_ks,), smaller is better
    p_clusters: float  # of no clusters, tested with the best number above one
    features: np.ndarray  # (n_used,), positions of the features that separate clusters

    @property
    def above_one(self) -> int:
        """The best number of clusters if there is more than one."""
        separated = self.density_gap >= LEAST_GAP
        if not separated.any():
            return int(self.ks[0])
        bic = np.where(separated, self.bic, np.inf)
        return int(self.ks[np.where(bic <= bic.min() + AS_GOOD, self.density_gap, -1.0).argmax()])

    @property
    def best(self) -> int:
        """The number of clusters; 1 where there is no evidence of more."""
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
    """A p-value as people print it.

    Examples
    --------
    >>> p_text(0.0004), p_text(0.031), p_text(1.0)
    ('p < .001', 'p = .03', 'p = 1')
    """
    if p_value < 0.001:
        return "p < .001"
    digits = 3 if p_value < 0.01 else 2
    return f"p = {f'{p_value:.{digits}f}'.lstrip('0')}" if p_value < 0.995 else "p = 1"


def count_clusters(X: np.ndarray, seed: int, ks: Sequence[int] | None = None) -> Choice:
    """How many clusters data have, of those that are tried.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        No column constant; columns are standardised here. Of more than 1,000 rows, 1,000 are drawn.
    seed : int
    ks : sequence of int or None, default=None
        Numbers to try, ascending, of at least 2 and fewer than there are rows; None: see `tried`.

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
    some = standardize(X[rows])
    Y = np.column_stack([spread_ties(column, rng) for column in some.T])
    with one_thread():
        features = _separating(Y, [k for k in LOOKED_AT if k <= ks[-1]] or ks[:1], rng)
        found = [_criteria(Y[:, features], k, int(rng.integers(2**31))) for k in ks]
    gaps, bics = np.array(found).T
    choice = Choice(np.array(ks), gaps, bics, 1.0, features)
    return choice._replace(p_clusters=cluster_tests(X, choice.above_one, seed).p_clusters)


def tried(n_samples: int) -> range:
    """The numbers of clusters tried unless told otherwise: from 2 to 10, and below the number of rows.

    Examples
    --------
    >>> tried(150), tried(5)
    (range(2, 11), range(2, 5))
    """
    if n_samples < 3:
        raise DataError(f"to choose the number of clusters takes at least 3 rows; got {n_samples}")
    return range(2, min(MOST_CLUSTERS + 1, n_samples))


def _separating(X: np.ndarray, ks: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Features that separate clusters, for any of these numbers."""
    importances = np.mean([find_features(X, k, int(rng.integers(2**31)), short=True)[0] for k in ks], axis=0)
    return separating(importances)


def _criteria(points: np.ndarray, n_clusters: int, seed: int) -> tuple[float, float]:
    """Smallest density gap of the K-means partition, and the best BIC of a Gaussian mixture."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = KMeans(n_clusters, n_init=INITIALIZATIONS, random_state=seed).fit_predict(points)
        mixtures = [
            GaussianMixture(n_clusters, covariance_type=shape, reg_covar=1e-4, random_state=seed).fit(points)
            for shape in SHAPES
        ]
    gap = float(density_gaps(points.T, labels).min()) if len(np.unique(labels)) == n_clusters else 0.0
    return gap, float(min(mixture.bic(points) for mixture in mixtures))
