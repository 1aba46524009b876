"""Differential entropy by kernel density, exactly as R's ``density()`` computes it, in batches.

R evaluates a Gaussian KDE in four steps: bandwidth by ``bw.nrd0``, linear binning on 512 points,
convolution by FFT on twice that length, linear interpolation to 512 points from ``min - 3 bw`` to
``max + 3 bw``. Each step here works on many samples at once. R 4.4 changed the grid of the kernel; the
numbers here are those of every earlier R, and of ``density(x, old.coords = TRUE)`` since.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft

from xcompare.validation import check_data, check_labels

GRID = 512  # points of R's default grid
CUT = 3.0  # bandwidths by which the result's grid reaches past the data
PAD = 4.0  # further bandwidths of the working grid, against wrap-around
FLOOR = np.finfo(np.float64).eps
BLOCK_SAMPLES, BLOCK_VALUES = 32, 65536  # densities, and data values, worked on at a time


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
    1.7203
    """
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 1 or x.size == 0 or not np.isfinite(x).all():
        raise ValueError(f"x must be a non-empty 1-d sample of finite numbers; got shape {x.shape}")
    return float(_entropies(np.sort(x), np.array([x.size]))[0])


def mutual_information(X: ArrayLike, labels: ArrayLike) -> np.ndarray:
    """Mutual information of each feature with a partition, from kernel densities.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of int of shape (n_samples,)
        Cluster of each sample, any integers.

    Returns
    -------
    ndarray of shape (n_features,)
        ``H(X_j) - sum_c n_c / n * H(X_j | c)`` in nats. An estimate: it may fall a little below 0.

    Examples
    --------
    >>> X = [[0.0, 1.0], [0.1, 0.0], [0.2, 1.1], [5.0, 0.1], [5.1, 1.0], [5.2, 0.0]]
    >>> mutual_information(X, [0, 0, 0, 1, 1, 1]).round(2)
    array([1.03, 0.05])
    """
    X = check_data(X)
    codes, _ = check_labels(labels, len(X))
    features = np.ones((1, X.shape[1]), dtype=bool)
    return SortedFeatures.of(X).mutual_information(codes[None, :], features)[0]


class SortedFeatures(NamedTuple):
    """The part of the work that does not depend on the partition: sorted features and their entropy."""

    values: np.ndarray  # (n_features, n_samples), each row ascending
    order: np.ndarray  # (n_features, n_samples), the sample each value belongs to
    entropy: np.ndarray  # (n_features,)

    @classmethod
    def of(cls, X: np.ndarray) -> "SortedFeatures":
        """Sort each column of ``X`` once."""
        order = np.argsort(X, axis=0, kind="stable").T
        values = np.take_along_axis(X.T, order, axis=1)
        entropy = _entropies(values.ravel(), np.full(len(values), len(X)))
        return cls(values, order.astype(np.int32), entropy)

    def mutual_information(self, labels: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Mutual information of chosen features with each of several partitions.

        Parameters
        ----------
        labels : ndarray of int of shape (n_partitions, n_samples)
            Codes ``0..K-1``; a partition need not use all of them.
        features : ndarray of bool of shape (n_partitions, n_features)
            Which features to look at, per partition.

        Returns
        -------
        ndarray of shape (n_partitions, n_features)
            NaN where ``features`` is False.
        """
        n_clusters, n = int(labels.max()) + 1, labels.shape[1]
        labels = labels.astype(np.int8 if n_clusters <= 127 else np.int32)
        sizes = (labels[:, :, None] == np.arange(n_clusters, dtype=labels.dtype)).sum(axis=1)
        result = np.full(features.shape, np.nan)
        partitions, columns = np.nonzero(features)
        # Blocks that stay in the processor's cache: the work is passes over short arrays.
        block = max(1, min(BLOCK_SAMPLES // n_clusters, BLOCK_VALUES // n))
        for start in range(0, len(columns), block):
            rows, column = partitions[start : start + block], columns[start : start + block]
            # Walking a sorted feature cluster by cluster sorts it within each cluster: a stable sort of
            # small integers, which is linear, instead of a sort of floats.
            walk = np.argsort(labels[rows[:, None], self.order[column]], axis=1, kind="stable")
            values = np.take_along_axis(self.values[column], walk, axis=1)
            size = sizes[rows]
            conditional = np.zeros(size.shape)
            conditional[size > 0] = _entropies(values.ravel(), size[size > 0])
            result[rows, column] = self.entropy[column] - (conditional * size).sum(axis=1) / n
        return result


def _entropies(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """KDE entropy of consecutive samples; ``values`` holds them end to end, each sorted."""
    stops = np.cumsum(sizes)
    starts = stops - sizes
    lowest, highest = values[starts], values[stops - 1]
    bandwidth = _bandwidth(values, sizes, starts)
    reach = (highest - lowest) / bandwidth + 2 * (CUT + PAD)  # width of the working grid in bandwidths
    # Linear binning: each value shares its weight between its two neighbours on the grid.
    position = values - np.repeat(lowest - (CUT + PAD) * bandwidth, sizes)
    position *= np.repeat((GRID - 1) / (reach * bandwidth), sizes)
    left = position.astype(np.intp)
    position -= left
    left += np.repeat(np.arange(sizes.size) * GRID, sizes)
    length = sizes.size * GRID
    weight = np.bincount(left, minlength=length)
    share = np.bincount(left, weights=position, minlength=length)
    mass = weight - share
    mass[1:] += share[:-1]
    density = _smooth(mass.reshape(-1, GRID), reach)
    density *= 1 / (sizes * bandwidth)[:, None]
    np.maximum(density, FLOOR, out=density)
    step = (reach - 2 * PAD) * bandwidth / (GRID - 1)
    return -np.einsum("ij,ij->i", density, np.log(density)) * step


def _smooth(mass: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Convolve binned masses with the standard normal density and interpolate to the result's grid."""
    kernel = _kernel_spectrum(reach)
    spectrum = fft.rfft(mass, n=2 * GRID, axis=1)[:, : kernel.shape[1]]
    smooth = fft.irfft(spectrum * kernel, n=2 * GRID, axis=1)
    np.maximum(smooth, 0.0, out=smooth)
    first = PAD * (GRID - 1) / reach
    position = first[:, None] + np.arange(GRID) * (1 - 2 * PAD / reach)[:, None]
    left = position.astype(np.intp)
    position -= left
    left += np.arange(len(mass))[:, None] * (2 * GRID)
    flat = smooth.ravel()
    low = flat[left]
    left += 1
    return low + (flat[left] - low) * position


def _kernel_spectrum(reach: np.ndarray) -> np.ndarray:
    """Transform of the normal density sampled on the circular working grid, up to where it is all 0.

    It is real, as the kernel is even.
    """
    samples_per_sd = (2 * GRID - 1) / (2 * reach)[:, None]
    coarsest = samples_per_sd.min()
    if coarsest < 3:
        distance = np.arange(GRID + 1) / samples_per_sd
        return fft.dct(np.exp(-0.5 * distance**2) / np.sqrt(2 * np.pi), type=1, axis=1)
    # Sampled this finely, its transform is the normal curve again, to far below double precision.
    n_frequencies = min(GRID + 1, int(10 / coarsest * GRID / np.pi) + 1)
    frequency = np.arange(n_frequencies) * (np.pi / GRID)
    return samples_per_sd * np.exp(-0.5 * (frequency * samples_per_sd) ** 2)


def _bandwidth(values: np.ndarray, sizes: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """R's ``bw.nrd0`` of consecutive sorted samples."""
    mean = np.add.reduceat(values, starts) / sizes
    deviation = values - np.repeat(mean, sizes)
    spread = np.sqrt(np.add.reduceat(deviation * deviation, starts) / np.maximum(sizes - 1, 1))
    spread[values[starts] == values[starts + sizes - 1]] = 0.0  # exactly, whatever the mean was rounded to
    iqr = _quantile(values, sizes, starts, 0.75) - _quantile(values, sizes, starts, 0.25)
    narrow = np.minimum(spread, iqr / 1.34)
    first = np.abs(values[starts])
    narrow = np.where(narrow > 0, narrow, np.where(spread > 0, spread, np.where(first > 0, first, 1.0)))
    return 0.9 * narrow * sizes**-0.2


def _quantile(values: np.ndarray, sizes: np.ndarray, starts: np.ndarray, level: float) -> np.ndarray:
    """R's default quantile (type 7) of consecutive sorted samples."""
    rank = (sizes - 1) * level
    low = np.floor(rank).astype(np.intp)
    high = np.minimum(low + 1, sizes - 1)
    below = values[starts + low]
    return below + (rank - low) * (values[starts + high] - below)
