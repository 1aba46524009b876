"""Features of several kinds as dimensions of a space with Euclidean distances.

A numeric feature is one dimension, standardised. An ordinal one is the same of its mean ranks. A nominal
feature of L levels is a block of L indicators, all multiplied by one factor. As in factor analysis of mixed
data (FAMD; Pagès 2004, numdam.org/item/RSA_2004__52_4_93_0), the factor
makes every feature count the same: the variances of a block add up to 1, that of a standardised number. FAMD
also divides each indicator by the root of its frequency, which puts a level seen once in n rows about
``sqrt(n)`` away from all others, and K-means would make that row a cluster. Here all levels are equally far
apart, and never further than 2:

    distance of two levels = min(2, sqrt(2 / (1 - sum of p_l ** 2)))    for levels of frequencies p_l

which is 2 for two equally frequent levels, 1.55 for six, and tends to sqrt(2). The bound only matters if one
level has most of the rows; the variances of the block then add up to less than 1. A binary feature is one
dimension with its two values at distance 2: the rule for flags in `xcompare.bagging.information.mutual`,
`comparable_scale`, is this rule for two levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from xcompare.core.features import Feature
from xcompare.core.standardization import Scaling, Standardization

FARTHEST = 2.0  # distance between two levels


def is_plain(X: np.ndarray, features: Sequence[Feature]) -> bool:
    """Whether a table is one of complete numbers: flags, coded 0 and 1, are numbers too."""
    return all(feature.kind in ("numeric", "binary") for feature in features) and not np.isnan(X).any()


@dataclass(frozen=True, eq=False)
class Encoding:
    """Map from a table to dimensions.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 2.0], [4.0, np.nan]])
    >>> features = Feature("size"), Feature("color", "nominal", ("blue", "green", "red"))
    >>> encoding = Encoding.of(X, features)
    >>> encoding.block
    array([0, 1, 1, 1])
    >>> encoding.apply(X).round(2)
    array([[-1.16,  0.82, -0.41, -0.41],
           [-0.39, -0.41,  0.82, -0.41],
           [ 0.39, -0.41, -0.41,  0.82],
           [ 1.16,   nan,   nan,   nan]])
    """

    features: tuple[Feature, ...]
    block: np.ndarray  # (n_dimensions,): feature of each dimension, ascending
    scales: tuple["Standardization | Indicators", ...]  # of each feature

    @classmethod
    def of(cls, X: np.ndarray, features: Sequence[Feature], how: Scaling | None = "robust") -> "Encoding":
        """Fit to a table of shape (n_samples, n_features), on the values that are not missing.

        ``how`` is the scaling of the numeric features, see `standardize`.
        """
        scales = tuple(_scale(x[~np.isnan(x)], one, how) for x, one in zip(X.T, features, strict=True))
        widths = [len(scale.means) if isinstance(scale, Indicators) else 1 for scale in scales]
        return cls(tuple(features), np.repeat(np.arange(len(widths)), widths), scales)

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions."""
        return len(self.block)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Rows of the same features as dimensions; NaN in all those of a missing value."""
        found = np.empty((len(X), self.n_dimensions))
        starts = np.searchsorted(self.block, np.arange(len(self.scales) + 1))
        for j, scale in enumerate(self.scales):
            found[:, starts[j] : starts[j + 1]] = scale.apply(X[:, [j]])
        return found


@dataclass(frozen=True, eq=False)
class Indicators:
    """The levels of a nominal feature as indicators, centred and multiplied by one factor."""

    means: np.ndarray  # (n_levels,), frequencies of the levels
    factor: float

    @classmethod
    def of(cls, codes: np.ndarray, n_levels: int) -> "Indicators":
        """Fit to codes ``0..n_levels-1``, as floats."""
        counts = np.bincount(codes.astype(np.intp), minlength=n_levels)
        return cls(counts / max(len(codes), 1), level_factor(counts))

    def apply(self, codes: np.ndarray) -> np.ndarray:
        """Codes of shape (n_samples, 1) as dimensions."""
        is_level = np.where(np.isnan(codes), np.nan, codes == np.arange(len(self.means)))
        return self.factor * (is_level - self.means)


def level_factor(counts: np.ndarray) -> float:
    """Factor of the indicators of a nominal feature whose levels occur this often.

    Examples
    --------
    >>> round(level_factor(np.array([50, 50])) * 2**0.5, 3), round(level_factor(np.full(6, 20)), 3)
    (2.0, 1.095)
    >>> round(level_factor(np.array([149, 1])) * 2**0.5, 3)
    2.0
    """
    unequal = 1 - ((counts / max(counts.sum(), 1)) ** 2).sum()
    return float(np.sqrt(min(FARTHEST**2 / 2, 1 / unequal))) if unequal > 0 else 1.0


def _scale(x: np.ndarray, feature: Feature, how: Scaling | None) -> Standardization | Indicators:
    """Scale of one column, from its observed values."""
    if feature.kind == "nominal":
        return Indicators.of(x, max(len(feature.levels), 1))
    if not len(x):
        return Standardization.of(np.zeros((1, 1)), None)
    if feature.kind != "numeric":
        how = "rank" if feature.kind == "ordinal" else "sd"
    found = Standardization.of(x[:, None], how)
    if feature.kind == "binary" and np.ptp(x) > 0:
        return replace(found, deviation=np.ptp(x) / FARTHEST / found.unit)
    return found
