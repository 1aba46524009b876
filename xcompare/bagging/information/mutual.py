"""Mutual information of features and partitions: kernel densities, or plug-in where none exists."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from xcompare.bagging.information.discrete import discrete_information, few_values, value_codes
from xcompare.bagging.information.entropy import SortedFeatures, cluster_sizes
from xcompare.core.blocks import slices
from xcompare.core.checks import check_data, check_labels
from xcompare.core.standardization import Fences

Information = Literal["auto", "kde", "discrete"]
BLOCK_LABELS, BLOCK_VALUES = 2**22, 2**18  # per block
INFORMATION: tuple[Information, ...] = get_args(Information)


def mutual_information(X: ArrayLike, labels: ArrayLike, information: Information = "auto") -> np.ndarray:
    """Mutual information of each feature with a partition.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of int of shape (n_samples,)
        Cluster of each sample, any integers.
    information : {"auto", "kde", "discrete"}, default="auto"
        Estimator. "kde", as published: ``H(X_j) - sum_c n_c / n * H(X_j | c)``, with entropies of kernel
        densities. "auto": the same after outliers are pulled in, if a density exists. If none exists (at
        most two values; most rows at one value, so that the interquartile range is 0; constant in a
        cluster), R's bandwidth is not on the scale of the data, and the plug-in estimate for discrete values
        is used, corrected for chance. A cluster of a single row carries no information. "discrete": also
        uses the plug-in estimate for features with at most ``sqrt(n_samples)`` values.

    Returns
    -------
    ndarray of shape (n_features,)
        In nats. Estimates may be slightly negative. Unless ``information`` is "kde", they are invariant to
        shifting and scaling a feature.

    Examples
    --------
    >>> X = [[0.0, 1.0], [0.1, 0.0], [0.2, 1.1], [5.0, 0.1], [5.1, 1.0], [5.2, 0.0]]
    >>> mutual_information(X, [0, 0, 0, 1, 1, 1]).round(2)
    array([3.4 , 0.17])
    >>> flag = [[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]]
    >>> [mutual_information(flag, [0, 0, 0, 1, 1, 1], how).round(2).tolist() for how in ("kde", "auto")]
    [[-0.22], [0.69]]
    """
    X = check_data(X, squares=True)
    codes, _ = check_labels(labels, len(X))
    return information_and_how(X, codes, information)[0]


def information_and_how(
    X: np.ndarray, labels: np.ndarray, information: Information
) -> tuple[np.ndarray, np.ndarray]:
    """Mutual information of each feature with one partition, and where it is the plug-in estimate."""
    size = max(1, BLOCK_VALUES // len(X))
    parts, every = [], np.ones((1, X.shape[1]), dtype=bool)
    for block in slices(X.shape[1], size):
        features = FeatureInformation.of(np.ascontiguousarray(X[:, block].T), information)
        parts.append(features.mutual_information(labels[None], every[:, block]))
    found, counted = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    return found[0], counted[0]


def plug_in_note(names: str) -> str:
    """Warning that names the features with a plug-in estimate."""
    return (
        f"no density exists for {names} (at most two values, most rows at one value, or constant in a"
        " cluster): plug-in estimate of information used"
    )


def without_density(points: np.ndarray) -> np.ndarray:
    """Mask of features (rows of ``points``) with at most two values, or with most rows at one value."""
    size = max(1, BLOCK_VALUES // points.shape[1])
    found = []
    for some in (points[block] for block in slices(len(points), size)):
        low, high = np.quantile(some, [0.25, 0.75], axis=1)
        between = (some > some.min(axis=1, keepdims=True)) & (some < some.max(axis=1, keepdims=True))
        found.append((low == high) | ~between.any(axis=1))
    return np.concatenate(found)


def comparable_scale(points: np.ndarray) -> np.ndarray:
    """Divisors that keep rare values of features without a density from being outliers; 1 for others.

    A standardised rare flag is far from the rest (12 if set in one of 150 rows), and K-means makes such rows
    a cluster. Here values other than the most frequent are at distance 2 from it (root mean square), as in a
    standardised flag set in half of the rows.

    ``points`` of shape (n_features, n_samples). Returns shape (n_features,).

    Examples
    --------
    >>> comparable_scale(np.array([[0.0, 0.0, 0.0, 10.0], [1.0, 2.0, 3.0, 4.0]]))
    array([5., 1.])
    """
    scale = np.ones(len(points))
    for j in np.flatnonzero(without_density(points)):
        values, counts = np.unique(points[j], return_counts=True)
        off = points[j] - values[counts.argmax()]
        if off.any():
            scale[j] = np.sqrt((off[off != 0] ** 2).mean()) / 2
    return scale


@dataclass(frozen=True, eq=False)
class FeatureInformation:
    """Features prepared for mutual information with any partition."""

    points: np.ndarray  # (n_features, n_samples)
    densities: SortedFeatures
    codes: np.ndarray | None  # (n_features, n_samples), discrete values; None for "kde"
    always: np.ndarray  # (n_features,), bool: plug-in estimate for every partition
    most_equal: np.ndarray  # (n_features,), frequency of the most frequent value

    @classmethod
    def of(cls, points: np.ndarray, information: Information) -> "FeatureInformation":
        """Prepare features, the rows of ``points``, of shape (n_features, n_samples)."""
        if information == "kde":
            densities = SortedFeatures.of(points)
            nowhere = np.zeros(len(points), dtype=int)
            return cls(points, densities, None, nowhere.astype(bool), nowhere)
        # Pulling in outliers keeps the order of values, and keeps them from inflating bandwidths.
        points = np.ascontiguousarray(Fences.of(points.T).apply(points.T).T)
        densities = SortedFeatures.of(points, resolved=True)
        n_values, most_equal = _repeats(densities.values)
        always = without_density(densities.values)  # faster on sorted rows
        if information == "discrete":
            always |= n_values <= few_values(points.shape[1])
        codes = np.zeros(points.shape, dtype=np.int32)
        for j in np.flatnonzero(always | (most_equal > 1)):  # others always have a density
            codes[j] = value_codes(points[j])[0]
        return cls(points, densities, codes, always, most_equal)

    def mutual_information(self, labels: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mutual information of selected features with each of several partitions.

        Parameters
        ----------
        labels : ndarray of int of shape (n_partitions, n_samples)
            Codes ``0..K-1``; a partition need not use all of them.
        features : ndarray of bool of shape (n_partitions, n_features)
            Features to evaluate in each partition.

        Returns
        -------
        information : ndarray of shape (n_partitions, n_features)
            NaN where ``features`` is False.
        counted : ndarray of bool of shape (n_partitions, n_features)
            Where it is the plug-in estimate.
        """
        if self.codes is None:
            return self.densities.mutual_information(labels, features), np.zeros_like(features)
        counted = features & (self.always | self._constant_in_a_cluster(labels, features))
        information = self.densities.mutual_information(labels, features & ~counted, single_rows=False)
        at_once, n_clusters = max(1, BLOCK_LABELS // labels.shape[1]), int(labels.max()) + 1
        for j in np.flatnonzero(counted.any(axis=0)):
            where = np.flatnonzero(counted[:, j])
            for some in (where[block] for block in slices(where.size, at_once)):
                found = discrete_information([self.codes[j]], labels[some], n_clusters)
                information[some, j] = found[:, 0]
        return information, counted

    def _constant_in_a_cluster(self, labels: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Mask of features that are constant in some cluster, of two or more rows, of a partition."""
        constant = np.zeros_like(features)
        sizes = cluster_sizes(labels)
        for partition, cluster in zip(*np.nonzero(sizes > 1), strict=True):
            equal = self.most_equal >= sizes[partition, cluster]
            suspects = np.flatnonzero(features[partition] & ~self.always & equal)
            if suspects.size:
                within = self.points[np.ix_(suspects, labels[partition] == cluster)]
                constant[partition, suspects] |= np.ptp(within, axis=1) == 0
        return constant


def _repeats(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number of distinct values of sorted rows, and frequency of the most frequent one."""
    rows, starts = np.nonzero(np.diff(values, axis=1, prepend=np.nan) != 0)  # where a new value starts
    lengths = np.diff(starts, append=0)
    lengths[lengths <= 0] += values.shape[1]  # the last value extends to the end of its row
    n_values = np.bincount(rows, minlength=len(values))
    return n_values, np.maximum.reduceat(lengths, np.cumsum(n_values) - n_values)
