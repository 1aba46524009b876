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

from xcompare.bagging.distinct_clusters import DistinctClusters
from xcompare.checks import check_squares
from xcompare.exceptions import DataError

GRID = 512  # points of R's default grid
CUT = 3.0  # bandwidths by which the result's grid reaches past the data
PAD = 4.0  # further bandwidths of the working grid, against wrap-around
FLOOR = np.finfo(np.float64).eps
FINE = 3.0  # samples per standard deviation from which the kernel's transform is a normal curve
FAINT = 10.0  # standard deviations beyond which that curve is 0
LARGEST_EXTENT = 1e12  # of a feature: beyond it densities are so small that the floor outweighs them
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
        raise DataError(f"x must be a non-empty 1-d sample of finite numbers; got shape {x.shape}")
    check_squares(x[:, None], name="x")
    return float(SortedFeatures.of(x[None, :]).entropy[0])


class SortedFeatures(NamedTuple):
    """The part of the work that does not depend on the partition: sorted features and their entropy."""

    values: np.ndarray  # (n_features, n_samples), each row ascending
    order: np.ndarray  # (n_features, n_samples), the sample each value belongs to
    entropy: np.ndarray  # (n_features,)

    @classmethod
    def of(cls, points: np.ndarray) -> "SortedFeatures":
        """Sort each row of ``points``, of shape (n_features, n_samples), once."""
        order = np.argsort(points, axis=1, kind="stable")
        values = np.take_along_axis(points, order, axis=1)
        extent = (values[:, -1] - values[:, 0]).max()
        if extent > LARGEST_EXTENT:
            raise DataError(
                f"features must vary by at most {LARGEST_EXTENT:g} for their densities to be told from 0;"
                f" got one that varies by {extent:.3g}: standardise, or take another unit"
            )
        unsplit = cls(values, order.astype(np.int32), np.empty(0))
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
        information = np.repeat(self.entropy[None], len(labels), axis=0)
        for cluster, share in enumerate(shares.T):  # in one order, however many features there are
            information -= share[:, None] * conditional[:, :, cluster]
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
        n = labels.shape[1]
        clusters = DistinctClusters.of(labels)
        labels = labels.astype(np.int8 if clusters.number.shape[1] <= 126 else np.int32)
        sizes = clusters.sizes[clusters.number]
        found = np.zeros((len(clusters.sizes), features.shape[1]))  # each cluster is measured once
        first = clusters.first_met(features)
        partitions, columns = np.nonzero(first.any(axis=2))
        first = first[partitions, columns]
        # Pairs of a partition and a feature with as many samples in as many clusters make an array.
        n_measured = (first * sizes[partitions]).sum(axis=1)
        shapes, shape = np.unique(np.stack([n_measured, first.sum(axis=1)]), axis=1, return_inverse=True)
        for kind, (length, n_clusters) in enumerate(shapes.T):
            pairs = np.flatnonzero(shape.ravel() == kind)
            block = max(1, min(BLOCK_DENSITIES // n_clusters, BLOCK_VALUES // n))
            for some in (pairs[start : start + block] for start in range(0, pairs.size, block)):
                row, column, measured = partitions[some], columns[some], first[some]
                # Labels in the order of the sorted feature.
                walk = labels.ravel().take(self.order[column] + (row * n)[:, None])
                if n_clusters < measured.shape[1]:
                    codes = np.where(measured, np.cumsum(measured, axis=1) - 1, n_clusters)
                    walk = np.take_along_axis(codes.astype(labels.dtype), walk, axis=1)
                # A stable sort of small integers is linear, and lists the values of each cluster in order.
                by_cluster = np.argsort(walk, axis=1, kind="stable")[:, :length]
                values = self.values.ravel().take(by_cluster + (column * n)[:, None])
                numbers = clusters.number[row][measured].reshape(-1, n_clusters)
                found[numbers, column[:, None]] = _entropies(values, clusters.sizes[numbers])
        entropies = found[clusters.number].swapaxes(1, 2)
        entropies[~features] = np.nan
        return entropies, sizes


def _entropies(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Entropies of samples.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_values)
        In each row the samples one behind the other, each ascending.
    sizes : ndarray of shape (n_rows, n_samples)
        Number of values of each, at least 1.

    Returns
    -------
    ndarray of shape (n_rows, n_samples)
    """
    shape, sizes, values = sizes.shape, sizes.ravel(), values.ravel()
    first = np.cumsum(sizes) - sizes
    lowest, highest = values[first], values[first + sizes - 1]
    bandwidth = _bandwidth(_spread(values, first, sizes), _iqr(values, first, sizes), lowest, sizes)
    reach = (highest - lowest) / bandwidth + 2 * (CUT + PAD)  # width of the working grid in bandwidths
    # Linear binning: each value shares its weight between the two grid points it lies between. The grids
    # of all samples stand one behind the other.
    slope = (GRID - 1) / (reach * bandwidth)
    position = values * np.repeat(slope, sizes)
    position -= np.repeat((lowest - (CUT + PAD) * bandwidth) * slope, sizes)
    left = position.astype(np.intp)
    position -= left
    left += np.repeat(np.arange(sizes.size) * GRID, sizes)
    to_right = np.bincount(left, weights=position, minlength=sizes.size * GRID)
    mass = np.bincount(left, minlength=sizes.size * GRID) - to_right
    mass[1:] += to_right[:-1]
    density = _smooth(mass.reshape(-1, GRID), reach, 1 / (sizes * bandwidth))
    np.maximum(density, FLOOR, out=density)
    step = (reach - 2 * PAD) * bandwidth / (GRID - 1)
    return (-np.einsum("ij,ij->i", density, np.log(density)) * step).reshape(shape)


def _spread(values: np.ndarray, first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Standard deviation of samples one behind the other; 0 for equal values."""
    mean = np.add.reduceat(values, first) / sizes
    off = values - np.repeat(mean, sizes)
    spread = np.sqrt(np.add.reduceat(np.square(off, out=off), first) / np.maximum(sizes - 1, 1))
    return np.where(values[first] == values[first + sizes - 1], 0.0, spread)


def _iqr(values: np.ndarray, first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Interquartile range (R's type 7) of samples one behind the other, each ascending."""
    quartiles = (sizes - 1) * np.array([[0.25], [0.75]])
    below = quartiles.astype(np.intp)
    fraction = quartiles - below
    low = values[first + below]
    q1, q3 = low + fraction * (values[first + below + (fraction > 0)] - low)
    return q3 - q1


def _smooth(mass: np.ndarray, reach: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Convolve binned masses with the normal density times a height, and interpolate to the result's grid."""
    kernel = _kernel_spectrum(reach)
    kernel *= height[:, None]
    spectrum = fft.rfft(mass, axis=1)
    spectrum[:, : kernel.shape[1]] *= kernel
    spectrum[:, kernel.shape[1] :] = 0.0
    smooth = fft.irfft(spectrum, n=GRID, axis=1, overwrite_x=True).ravel()
    position = np.multiply.outer(1 - 2 * PAD / reach, np.arange(GRID, dtype=np.float64))
    position += (PAD * (GRID - 1) / reach)[:, None]
    left = np.floor(position)
    position -= left
    left += (np.arange(len(mass)) * GRID)[:, None]
    at = left.astype(np.intp)
    rise = np.empty_like(smooth)
    np.subtract(smooth[1:], smooth[:-1], out=rise[:-1])
    position *= rise.take(at)
    position += smooth.take(at)
    return position


def _kernel_spectrum(reach: np.ndarray) -> np.ndarray:
    """Transform of the normal density sampled on the circular working grid, up to where it is all 0.

    It is real, as the kernel is even. R's kernel is on a grid a little wider than the one of the masses.
    """
    samples_per_sd = (2 * GRID - 1) / (2 * reach)[:, None]
    # Sampled finely, its transform is the normal curve again, to far below double precision.
    n_frequencies = min(GRID // 2 + 1, int(FAINT / samples_per_sd.min() * GRID / (2 * np.pi)) + 1)
    exponent = np.arange(n_frequencies) * (2 * np.pi / GRID) * samples_per_sd
    # Frequencies that only others in the block need are left out: a density does not depend on its block.
    spectrum = samples_per_sd * np.exp(-0.5 * exponent**2) * (exponent <= FAINT)
    for row in np.flatnonzero(samples_per_sd < FINE):
        distance = np.arange(GRID // 2 + 1) / samples_per_sd[row]
        spectrum[row] = fft.dct(np.exp(-0.5 * distance**2) / np.sqrt(2 * np.pi), type=1)
    return spectrum


def _bandwidth(spread: np.ndarray, iqr: np.ndarray, first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """R's ``bw.nrd0`` from standard deviation, interquartile range and a value of each sample."""
    narrow, level = np.minimum(spread, iqr / 1.34), np.abs(first)
    narrow = np.where(narrow > 0, narrow, np.where(spread > 0, spread, np.where(level > 0, level, 1.0)))
    return 0.9 * narrow * sizes**-0.2
