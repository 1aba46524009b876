"""Skewness: a long tail hides the gaps in the bulk of a feature, so some replicates make it symmetric first.

K-means takes the few rows in the tail for a cluster of their own. But a small cluster far from the rest looks
like a tail, too: other replicates keep the feature as it is, and the density gap decides between them.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.stats import skew
from sklearn.preprocessing import PowerTransformer

LEAST_SKEWNESS = 1.0  # of features that are transformed
FEWEST_VALUES = 3  # a transformation of two values changes nothing
MOST_ROWS = 5000  # evenly spaced, to fit the transformation


@dataclass(frozen=True, eq=False)
class Symmetry:
    """Yeo-Johnson transformation of strongly skewed features, to mean 0 and standard deviation 1.

    References
    ----------
    Yeo and Johnson (2000), A new family of power transformations. doi:10.1093/biomet/87.4.954

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=(2, 300))
    >>> points[1] = np.exp(points[1])
    >>> symmetry = Symmetry.of(points, np.array([True, True]))
    >>> symmetry.which.tolist(), skew(symmetry.apply(points), axis=1).round(1).tolist()
    ([1], [0.1, 0.1])
    """

    which: np.ndarray  # (n_skewed,), of the dimensions
    transformer: PowerTransformer | None  # None if there are none

    @classmethod
    def of(cls, points: np.ndarray, eligible: np.ndarray) -> "Symmetry":
        """That of ``points``, of shape (n_dimensions, n_samples), NaN where missing.

        ``eligible`` of shape (n_dimensions,): the others are not transformed.
        """
        rows = np.linspace(0, points.shape[1] - 1, min(points.shape[1], MOST_ROWS)).astype(np.intp)
        some = points[:, rows]
        which = np.flatnonzero(eligible & (np.abs(skewness(some.T)) > LEAST_SKEWNESS))
        which = which[[len(np.unique(x[~np.isnan(x)])) >= FEWEST_VALUES for x in some[which]]]
        if not which.size:
            return cls(which, None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # powers that overflow on the way to the best
            return cls(which, PowerTransformer().fit(some[which].T))

    def apply(self, points: np.ndarray) -> np.ndarray:
        """Points with the skewed dimensions transformed; ``points`` itself if there are none."""
        if self.transformer is None:
            return points
        points = points.copy()
        points[self.which] = self.transformer.transform(points[self.which].T).T
        return points


def skewness(X: np.ndarray) -> np.ndarray:
    """Sample skewness of each column, without its missing values; NaN for constant columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of constant columns
        return skew(X, nan_policy="omit")
