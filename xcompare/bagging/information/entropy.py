"""Differential entropy of features, overall and within clusters, and the mutual information they give."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

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
        entropy = unsplit.conditional_entropies(whole, np.ones((1, len(points)), dtype=bool))[0, :, 0]
        return unsplit._replace(entropy=entropy)

    def mutual_information(
        self, labels: np.ndarray, features: np.ndarray, *, single_rows: bool = True
    ) -> np.ndarray:
        """Mutual information of selected features with each of several partitions.

        Parameters
        ----------
        labels : ndarray of int of shape (n_partitions, n_samples)
            Codes ``0..K-1``; a partition need not use all of them.
        features : ndarray of bool of shape (n_partitions, n_features)
            Features to evaluate in each partition.
        single_rows : bool, default=True
            Whether a cluster of a single row has a density, with a bandwidth from ``abs(x)``, as published;
            otherwise it gets the entropy of the whole feature, and carries no information.

        Returns
        -------
        ndarray of shape (n_partitions, n_features)
            ``H(X_j) - sum_c n_c / n * H(X_j | c)`` in nats, NaN where ``features`` is False.
        """
        conditional = self.conditional_entropies(labels, features)
        sizes = cluster_sizes(labels)
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

    def conditional_entropies(self, labels: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Entropy of selected features within each cluster of several partitions.

        Returns shape (n_partitions, n_features, n_clusters): NaN where ``features`` is False, 0 for an empty
        cluster.
        """
        n, sizes = labels.shape[1], cluster_sizes(labels)
        labels = labels.astype(np.int8 if sizes.shape[1] <= 127 else np.int32, copy=False)
        found = np.where(features[:, :, None], np.zeros(sizes.shape[1]), np.nan)
        partitions, columns = np.nonzero(features)
        n_densities = np.count_nonzero(sizes, axis=1)[partitions]
        share = np.maximum(n_densities / BLOCK_DENSITIES, n / BLOCK_VALUES)  # of a block
        starts = np.flatnonzero(np.diff(np.cumsum(share).astype(np.intp), prepend=-1))
        for some in map(slice, starts, [*starts[1:], partitions.size]):
            row, column = partitions[some], columns[some]
            # Labels in the order of the sorted feature. A stable sort of small integers is linear, and lists
            # the values of each cluster in order.
            walk = labels.ravel().take(self.order[column] + (row * n)[:, None])
            positions = np.argsort(walk, axis=1, kind="stable") + (column * n)[:, None]
            pair, code = np.nonzero(sizes[row])
            found[row[pair], column[pair], code] = sample_entropies(
                self.values.ravel().take(positions.ravel()), sizes[row[pair], code], resolved=self.resolved
            )
        return found


def cluster_sizes(labels: np.ndarray) -> np.ndarray:
    """Rows of each cluster of several partitions, shape (n_partitions, n_clusters)."""
    n_clusters = int(labels.max()) + 1
    return np.stack([np.bincount(row, minlength=n_clusters) for row in labels])
