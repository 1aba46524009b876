"""Differential entropy by kernel density, exactly as R's ``density()`` computes it, in batches.

R evaluates a Gaussian KDE in four steps: bandwidth by ``bw.nrd0``, linear binning on 512 points,
convolution by FFT on twice that length, linear interpolation to 512 points from ``min - 3 bw`` to
``max + 3 bw``. Each step here works on many samples at once; and the FFT has half that length, as the
values that would wrap around are 11 bandwidths away from any point of the result. R 4.4 changed the grid of
the kernel; the numbers here are those of every earlier R, and of ``density(x, old.coords = TRUE)`` since.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft

GRID = 512  # points of R's default grid
CUT = 3.0  # bandwidths by which the result's grid reaches past the data
PAD = 4.0  # further bandwidths of the working grid, against wrap-around
FLOOR = np.finfo(np.float64).eps
TIGHT = 1e-4  # share of its squared mean below which a variance is computed again, about the mean
BLOCK_DENSITIES, BLOCK_VALUES = 96, 2**17  # worked on at a time: short arrays stay in the processor's cache


def kde_entropy(x: ArrayLike) -> float:
    """Differential entropy of a sample, from its Gaussian kernel density.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        The sample; one value is enough.

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
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 1 or x.size == 0 or not np.isfinite(x).all():
        raise ValueError(f"x must be a non-empty 1-d sample of finite numbers; got shape {x.shape}")
    return float(SortedFeatures.of(x[None, :]).entropy[0])


class SortedFeatures(NamedTuple):
    """The part of the work that does not depend on the partition: sorted features and their entropy."""

    powers: np.ndarray  # (2 * n_features, n_samples), the features, then their squares
    values: np.ndarray  # (n_features, n_samples), each row ascending
    order: np.ndarray  # (n_features, n_samples), the sample each value belongs to
    entropy: np.ndarray  # (n_features,)

    @classmethod
    def of(cls, points: np.ndarray) -> "SortedFeatures":
        """Sort each row of ``points``, of shape (n_features, n_samples), once."""
        order = np.argsort(points, axis=1, kind="stable")
        values = np.take_along_axis(points, order, axis=1)
        unsplit = cls(np.vstack([points, points**2]), values, order.astype(np.int32), np.empty(0))
        whole = np.zeros((1, points.shape[1]), dtype=np.int8)
        everything = np.ones((1, len(points)), dtype=bool)
        return unsplit._replace(entropy=unsplit.conditional_entropies(whole, everything)[0][0, :, 0])

    def mutual_information(
        self, labels: np.ndarray, features: np.ndarray, *, single_rows: bool = True
    ) -> np.ndarray:
        """Mutual information of chosen features with each of several partitions.

        Parameters
        ----------
        labels : ndarray of int of shape (n_partitions, n_samples)
            Codes ``0..K-1``; a partition need not use all of them.
        features : ndarray of bool of shape (n_partitions, n_features)
            Which features to look at, per partition.
        single_rows : bool, default=True
            Whether a cluster of a single row has a density, of a bandwidth taken from ``abs(x)``, as
            published; otherwise it counts as the whole feature, and tells nothing.

        Returns
        -------
        ndarray of shape (n_partitions, n_features)
            ``H(X_j) - sum_c n_c / n * H(X_j | c)`` in nats, NaN where ``features`` is False.
        """
        conditional, sizes = self.conditional_entropies(labels, features)
        if not single_rows:
            conditional = np.where((sizes == 1)[:, None, :], self.entropy[:, None], conditional)
        shares = sizes / labels.shape[1]
        information = self.entropy - np.einsum("rjk,rk->rj", conditional, shares)
        alone = (shares == 1).any(axis=1)  # one cluster tells nothing: not even what rounding leaves
        information[alone] = 0.0
        information[~features] = np.nan
        return information

    def conditional_entropies(
        self, labels: np.ndarray, features: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Entropy of chosen features within each cluster of several partitions.

        Returns
        -------
        entropies : ndarray of shape (n_partitions, n_features, n_clusters)
            NaN where ``features`` is False, 0 for an empty cluster.
        sizes : ndarray of int of shape (n_partitions, n_clusters)
        """
        n_clusters = int(labels.max()) + 1
        labels = labels.astype(np.int8 if n_clusters <= 127 else np.int32)
        sizes, spread = self._spread(labels, features, n_clusters)
        result = np.full((*features.shape, n_clusters), np.nan)
        partitions, columns = np.nonzero(features)
        block = max(1, min(BLOCK_DENSITIES // n_clusters, BLOCK_VALUES // labels.shape[1]))
        for start in range(0, len(columns), block):
            row, column = partitions[start : start + block], columns[start : start + block]
            # Labels in the order of the sorted feature.
            walk = labels.ravel().take(self.order[column] + (row * labels.shape[1])[:, None])
            result[row, column] = _entropies(self.values[column], walk, sizes[row], spread[row, :, column])
        return result, sizes

    def _spread(
        self, labels: np.ndarray, features: np.ndarray, n_clusters: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Size of each cluster, and standard deviation of each feature in it."""
        member = labels[:, None, :] == np.arange(n_clusters, dtype=labels.dtype)[:, None]
        sizes = np.stack([np.bincount(row, minlength=n_clusters) for row in labels])
        sums = member.astype(np.float64) @ self.powers.T
        mean, square = np.split(sums / np.maximum(sizes, 1)[:, :, None], 2, axis=2)
        variance = square - mean**2
        # Little variance about a large mean is lost in rounding: rare, so taken one by one.
        tight = (variance <= TIGHT * mean**2) & features[:, None, :] & (sizes > 0)[:, :, None]
        for r, k, j in zip(*np.nonzero(tight), strict=True):
            values = self.powers[j].compress(member[r, k])
            variance[r, k, j] = values.var() if np.ptp(values) > 0 else 0.0
        variance *= (sizes / np.maximum(sizes - 1, 1))[:, :, None]
        return sizes, np.sqrt(np.maximum(variance, 0.0))


def _entropies(values: np.ndarray, walk: np.ndarray, sizes: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Entropy of the clusters of sorted rows.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_samples)
        Each row ascending.
    walk : ndarray of int of shape (n_rows, n_samples)
        Cluster of each value.
    sizes, spread : ndarray of shape (n_rows, n_clusters)
        Size and standard deviation of each cluster.

    Returns
    -------
    ndarray of shape (n_rows, n_clusters)
        0 for an empty cluster.
    """
    lowest, iqr, highest = _order_statistics(values, walk, sizes)
    bandwidth = _bandwidth(spread, iqr, lowest, sizes)
    reach = (highest - lowest) / bandwidth + 2 * (CUT + PAD)  # width of the working grid in bandwidths
    # Linear binning: each value shares its weight between the two grid points it lies between. The grids
    # of all samples stand one behind the other.
    sample = walk.astype(np.intp)
    sample += (np.arange(len(sizes)) * sizes.shape[1])[:, None]
    slope = (GRID - 1) / (reach * bandwidth)
    origin = np.arange(sizes.size).reshape(sizes.shape) * GRID - (lowest - (CUT + PAD) * bandwidth) * slope
    position = values * slope.take(sample)
    position += origin.take(sample)
    left = position.astype(np.intp)
    position -= left
    to_right = np.bincount(left.ravel(), weights=position.ravel(), minlength=sizes.size * GRID)
    mass = np.bincount(left.ravel(), minlength=sizes.size * GRID) - to_right
    mass[1:] += to_right[:-1]
    density = _smooth(mass.reshape(-1, GRID), reach.ravel(), 1 / (np.maximum(sizes, 1) * bandwidth).ravel())
    np.maximum(density, FLOOR, out=density)
    step = (reach - 2 * PAD) * bandwidth / (GRID - 1)
    entropy = -np.einsum("ij,ij->i", density, np.log(density)).reshape(sizes.shape) * step
    return np.where(sizes > 0, entropy, 0.0)


def _order_statistics(values: np.ndarray, walk: np.ndarray, sizes: np.ndarray):
    """Smallest value, interquartile range (R's type 7) and largest value of each cluster of sorted rows."""
    # A stable sort of small integers is linear, and lists the values of each cluster in order.
    by_cluster = np.argsort(walk, axis=1, kind="stable")
    last = np.maximum(sizes - 1, 0)
    first = np.minimum(np.cumsum(sizes, axis=1) - sizes, values.shape[1] - 1)
    quartiles = last * np.array([[[0.25]], [[0.75]]])
    below = quartiles.astype(np.intp)
    fraction = quartiles - below
    row = np.arange(len(values))[:, None]

    def ranked(rank: np.ndarray) -> np.ndarray:
        return values[row, by_cluster[row, first + rank]]

    low = ranked(below)
    q1, q3 = low + fraction * (ranked(below + (fraction > 0)) - low)
    return ranked(np.zeros_like(last)), q3 - q1, ranked(last)


def _smooth(mass: np.ndarray, reach: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Convolve binned masses with the normal density times a height, and interpolate to the result's grid."""
    kernel = _kernel_spectrum(reach)
    kernel *= height[:, None]
    spectrum = fft.rfft(mass, axis=1)
    spectrum[:, : kernel.shape[1]] *= kernel
    spectrum[:, kernel.shape[1] :] = 0.0
    smooth = fft.irfft(spectrum, n=GRID, axis=1, overwrite_x=True).ravel()
    position = np.multiply.outer(1 - 2 * PAD / reach, np.arange(GRID))
    position += (PAD * (GRID - 1) / reach)[:, None]
    left = position.astype(np.intp)
    position -= left
    left += (np.arange(len(mass)) * GRID)[:, None]
    rise = np.append(smooth[1:] - smooth[:-1], 0.0).take(left)
    rise *= position
    rise += smooth.take(left)
    return rise


def _kernel_spectrum(reach: np.ndarray) -> np.ndarray:
    """Transform of the normal density sampled on the circular working grid, up to where it is all 0.

    It is real, as the kernel is even. R's kernel is on a grid a little wider than the one of the masses.
    """
    samples_per_sd = (2 * GRID - 1) / (2 * reach)[:, None]
    coarsest = samples_per_sd.min()
    if coarsest < 3:
        distance = np.arange(GRID // 2 + 1) / samples_per_sd
        return fft.dct(np.exp(-0.5 * distance**2) / np.sqrt(2 * np.pi), type=1, axis=1)
    # Sampled this finely, its transform is the normal curve again, to far below double precision.
    n_frequencies = min(GRID // 2 + 1, int(5 / coarsest * GRID / np.pi) + 1)
    frequency = np.arange(n_frequencies) * (2 * np.pi / GRID)
    return samples_per_sd * np.exp(-0.5 * (frequency * samples_per_sd) ** 2)


def _bandwidth(spread: np.ndarray, iqr: np.ndarray, first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """R's ``bw.nrd0`` from standard deviation, interquartile range and a value of each sample."""
    narrow, level = np.minimum(spread, iqr / 1.34), np.abs(first)
    narrow = np.where(narrow > 0, narrow, np.where(spread > 0, spread, np.where(level > 0, level, 1.0)))
    return 0.9 * narrow * np.maximum(sizes, 1) ** -0.2
