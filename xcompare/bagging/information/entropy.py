"""Differential entropy of features, overall and within clusters, and the mutual information they give."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from xcompare.bagging.information.distinct_clusters import DistinctClusters
from xcompare.bagging.information.kde import sample_entropies
from xcompare.core.checks import check_numeric_columns, check_squares
from xcompare.core.errors import DataError

LARGEST_EXTENT = 1e12  # range of a feature beyond which densities fall below their floor
BLOCK_DENSITIES, BLOCK_VALUES = 256, 2**17  # computed at a time, to fit in the cache


def kde_entropy(x: ArrayLike) -> float:
    """Differential entropy of a sample, from its Gaussian kernel density.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        The sample, of one or more values.

    Returns
    -------
    float
        ``-sum(f * log(f)) * dx`` in nats, with ``f`` the density on R's grid, floored at machine
        epsilon. The bandwidth is ``0.9 * min(sd, IQR / 1.34) * n ** -0.2``. Where that is 0 it falls
        back as ``bw.nrd0`` does: to the standard deviation, then to ``abs(x[0])``, then to 1 in place of
        the spread. A single value, for which R has no density, takes the same path as a constant
        sample, so the result is always finite.

    Examples
    --------
    >>> round(kde_entropy([-1.0, -0.5, 0.0, 0.2, 1.5]), 4)
    1.2105
    """
    check_numeric_columns(x)
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 1 or x.size == 0 or not np.isfinite(x).all():
        raise DataError(f"x must be a non-empty 1-d sample of finite numbers; got shape {x.shape}")
    check_squares(x[:, None], name="x")
    return float(SortedFeatures.of(x[None, :]).entropy[0])


class SortedFeatures(NamedTuple):
    """Sorted features and their entropies, computed once for all partitions."""

    values: np.ndarray  # (n_features, n_samples), each row ascending
    order: np.ndarray  # (n_features, n_samples), index of the sample of each value
    entropy: np.ndarray  # (n_features,)
    resolved: bool  # whether bandwidths are at least a grid step, see `sample_entropies`

    @classmethod
    def of(cls, points: np.ndarray, *, resolved: bool = False) -> "SortedFeatures":
        """Sort each row of ``points``, of shape (n_features, n_samples)."""
        order = np.argsort(points, axis=1)  # the order of ties does not matter
        values = np.take_along_axis(points, order, axis=1)
        extent = (values[:, -1] - values[:, 0]).max()
        if extent > LARGEST_EXTENT:
            raise DataError(
                f"features must have a range of at most {LARGEST_EXTENT:g} for a density estimate;"
                f" got {extent:.3g}: standardise, or change the unit"
            )
        unsplit = cls(values, order.astype(np.int32), np.empty(0), resolved)
        whole = np.zeros((1, points.shape[1]), dtype=np.int8)
        everything = np.ones((1, len(points)), dtype=bool)
        entropy = unsplit.conditional_entropies(whole, everything, DistinctClusters.of(whole))[0, :, 0]
        return unsplit._replace(entropy=entropy)

    def mutual_information(
        self,
        labels: np.ndarray,
        features: np.ndarray,
        clusters: DistinctClusters,
        *,
        single_rows: bool = True,
    ) -> np.ndarray:
        """Mutual information of selected features with each of several partitions.

        Parameters
        ----------
        labels : ndarray of int of shape (n_partitions, n_samples)
            Codes ``0..K-1``; a partition need not use all of them.
        features : ndarray of bool of shape (n_partitions, n_features)
            Features to evaluate in each partition.
        clusters : DistinctClusters
            Of the labels.
        single_rows : bool, default=True
            Whether a cluster of a single row has a density, with a bandwidth from ``abs(x)``, as published;
            otherwise it gets the entropy of the whole feature, and carries no information.

        Returns
        -------
        ndarray of shape (n_partitions, n_features)
            ``H(X_j) - sum_c n_c / n * H(X_j | c)`` in nats, NaN where ``features`` is False.
        """
        conditional = self.conditional_entropies(labels, features, clusters)
        sizes = clusters.sizes[clusters.number]
        if not single_rows:
            conditional = np.where((sizes == 1)[:, None, :], self.entropy[:, None], conditional)
        shares = sizes / labels.shape[1]
        information = np.repeat(self.entropy[None], len(labels), axis=0)
        for cluster, share in enumerate(shares.T):  # in a fixed order, for identical results
            information -= share[:, None] * conditional[:, :, cluster]
        alone = (shares == 1).any(axis=1)  # exactly 0 with a single cluster
        information[alone] = 0.0
        information[~features] = np.nan
        return information

    def conditional_entropies(
        self, labels: np.ndarray, features: np.ndarray, clusters: DistinctClusters
    ) -> np.ndarray:
        """Entropy of selected features within each cluster of several partitions.

        Returns shape (n_partitions, n_features, n_clusters): NaN where ``features`` is False, 0 for an empty
        cluster.
        """
        n = labels.shape[1]
        labels = labels.astype(np.int8 if clusters.number.shape[1] <= 126 else np.int32, copy=False)
        sizes = clusters.sizes[clusters.number]
        found = np.zeros((len(clusters.sizes), features.shape[1]))  # of distinct clusters
        first = clusters.first_met(features)
        partitions, columns = np.nonzero(first.any(axis=2))
        measured = first[partitions, columns]
        n_densities = measured.sum(axis=1)
        share = np.maximum(n_densities / BLOCK_DENSITIES, n / BLOCK_VALUES)  # of a block
        starts = np.flatnonzero(np.diff(np.cumsum(share).astype(np.intp), prepend=-1))
        for some in map(slice, starts, [*starts[1:], partitions.size]):
            row, column, chosen = partitions[some], columns[some], measured[some]
            values = _by_cluster(self.values, self.order, labels, sizes, row, column, chosen)
            numbers = clusters.number[row][chosen]
            where = numbers, np.repeat(column, n_densities[some])
            found[where] = sample_entropies(values, clusters.sizes[numbers], resolved=self.resolved)
        entropies = found[clusters.number].swapaxes(1, 2)
        entropies[~features] = np.nan
        return entropies


def _by_cluster(
    values: np.ndarray,
    order: np.ndarray,
    labels: np.ndarray,
    sizes: np.ndarray,
    partitions: np.ndarray,
    features: np.ndarray,
    measured: np.ndarray,
) -> np.ndarray:
    """Values of sorted features grouped by cluster, ascending within each.

    ``labels`` of shape (n_partitions, n_samples) and ``sizes`` of shape (n_partitions, n_codes). ``values``,
    ``order`` of shape (n_features, n_samples): as in `SortedFeatures`. ``partitions``, ``features`` of shape
    (n_pairs,): pairs of a partition and a feature. ``measured`` of shape (n_pairs, n_codes): clusters to
    return. Returns shape (n_values,): pair by pair, each in the order of the codes.
    """
    n_samples, n_codes = values.shape[1], sizes.shape[1]
    # Labels in the order of the sorted feature.
    walk = labels.ravel().take(order[features] + (partitions * n_samples)[:, None])
    part = not measured.all()
    if part:  # clusters not returned go last
        codes = np.where(measured, np.arange(n_codes), n_codes)
        walk = np.take_along_axis(codes.astype(labels.dtype), walk, axis=1)
    # A stable sort of small integers is linear, and lists the values of each cluster in order.
    positions = np.argsort(walk, axis=1, kind="stable") + (features * n_samples)[:, None]
    if part:
        positions = positions[np.arange(n_samples) < (sizes[partitions] * measured).sum(axis=1)[:, None]]
    return values.ravel().take(positions.ravel())
