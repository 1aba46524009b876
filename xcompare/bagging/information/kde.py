"""Entropies of samples from kernel densities, as by R's ``density()``, in batches.

R evaluates a Gaussian KDE in four steps: bandwidth by ``bw.nrd0``, linear binning on 512 points,
convolution by FFT on twice that length, linear interpolation to 512 points from ``min - 3 bw`` to
``max + 3 bw``. Here each step handles many samples at once, and the FFT has half that length, as values
that wrap around are 11 bandwidths away from any point of the result. R 4.4 changed the kernel grid; results
are those of earlier versions, and of ``density(x, old.coords = TRUE)`` since.
"""

import numpy as np
from scipy import fft

GRID = 512  # points of R's default grid
CUT = 3.0  # bandwidths by which the output grid extends past the data
PAD = 4.0  # further bandwidths of the working grid, against wrap-around
SMALLEST = 1e-290  # bandwidth; keeps the range of any feature finite in this unit
FLOOR = np.finfo(np.float64).eps
FINE = 3.0  # samples per standard deviation from which the kernel's transform is a normal curve
FAINT = 10.0  # standard deviations beyond which that curve is 0
BEYOND = 50.0  # standard deviations where the kernel itself is 0


def sample_entropies(values: np.ndarray, sizes: np.ndarray, *, resolved: bool = False) -> np.ndarray:
    """Entropies of samples.

    ``values`` of shape (n_values,): the samples, concatenated, each ascending. ``sizes`` of shape
    (n_samples,): number of values of each, at least 1. ``resolved``: whether bandwidths are raised to a grid
    step. R's may be smaller if most values are close together and a few far away: peaks then fall between
    grid points, and the density does not integrate to 1. Returns shape (n_samples,).
    """
    first = np.cumsum(sizes) - sizes
    lowest, highest = values[first], values[first + sizes - 1]
    mean = np.add.reduceat(values, first) / sizes
    off = values - np.repeat(mean, sizes)
    spread = np.sqrt(np.add.reduceat(off * off, first) / np.maximum(sizes - 1, 1))
    spread[lowest == highest] = 0.0
    bandwidth = _bandwidth(spread, _iqr(values, first, sizes), lowest, sizes)
    if resolved:
        bandwidth = np.maximum(bandwidth, (highest - lowest) / GRID)
    reach = (highest - lowest) / bandwidth + 2 * (CUT + PAD)  # width of the working grid in bandwidths
    slope = (GRID - 1) / (reach * bandwidth)
    center = (mean - lowest + (CUT + PAD) * bandwidth) * slope  # position of the mean on the working grid
    mass = _bin(off, sizes, slope, center)
    smooth = _smooth(mass, reach, 1 / (sizes * bandwidth))
    density = _interpolate(smooth, reach)
    step = (reach - 2 * PAD) * bandwidth / (GRID - 1)
    return -np.einsum("ij,ij->i", density, np.log(density)) * step


def _iqr(values: np.ndarray, first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Interquartile range (R's type 7) of concatenated samples, each ascending."""
    quartiles = (sizes - 1) * np.array([[0.25], [0.75]])
    below = quartiles.astype(np.intp)
    fraction = quartiles - below
    low = values[first + below]
    q1, q3 = low + fraction * (values[first + below + (fraction > 0)] - low)
    return q3 - q1


def _bandwidth(spread: np.ndarray, iqr: np.ndarray, first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """R's ``bw.nrd0`` from standard deviation, interquartile range and a value of each sample."""
    narrow, level = np.minimum(spread, iqr / 1.34), np.abs(first)
    narrow = np.where(narrow > 0, narrow, np.where(spread > 0, spread, np.where(level > 0, level, 1.0)))
    return np.maximum(0.9 * narrow * sizes**-0.2, SMALLEST)


def _bin(off: np.ndarray, sizes: np.ndarray, slope: np.ndarray, center: np.ndarray) -> np.ndarray:
    """Linear binning: the weight of each value is split between its two neighbouring grid points.

    ``off`` of shape (n_values,): values less the mean of their sample; overwritten. ``sizes``, ``slope``,
    ``center`` of shape (n_samples,): number of values, grid points per unit, and grid position of the mean.
    Returns shape (n_samples, GRID).
    """
    position = np.multiply(off, np.repeat(slope, sizes), out=off)
    position += np.repeat(center, sizes)
    left = position.astype(np.intp)
    position -= left
    left += np.repeat(np.arange(sizes.size) * GRID, sizes)  # the grids are concatenated
    to_right = np.bincount(left, weights=position, minlength=sizes.size * GRID).reshape(-1, GRID)
    mass = np.bincount(left, minlength=sizes.size * GRID).reshape(-1, GRID) - to_right
    mass[:, 1:] += to_right[:, :-1]
    return mass


def _smooth(mass: np.ndarray, reach: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Convolve binned masses with the normal density times a height."""
    kernel = _kernel_spectrum(reach)
    kernel *= height[:, None]
    spectrum = fft.rfft(mass, axis=1)
    spectrum[:, : kernel.shape[1]] *= kernel
    spectrum[:, kernel.shape[1] :] = 0.0
    return fft.irfft(spectrum, n=GRID, axis=1, overwrite_x=True)


def _interpolate(smooth: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Densities interpolated from the working grid to the output grid, floored."""
    position = np.multiply.outer(1 - 2 * PAD / reach, np.arange(GRID, dtype=np.float64))
    position += (PAD * (GRID - 1) / reach)[:, None]
    left = position.astype(np.intp)
    position -= left
    left += (np.arange(len(smooth)) * GRID)[:, None]
    rise = np.zeros_like(smooth)
    np.subtract(smooth[:, 1:], smooth[:, :-1], out=rise[:, :-1])
    position *= rise.ravel().take(left)
    position += smooth.ravel().take(left)
    return np.maximum(position, FLOOR, out=position)


def _kernel_spectrum(reach: np.ndarray) -> np.ndarray:
    """Transform of the normal density on the circular working grid, up to the last nonzero frequency.

    It is real, as the kernel is even. R's kernel grid is slightly wider than that of the masses.
    """
    samples_per_sd = (2 * GRID - 1) / (2 * reach)[:, None]
    # On a fine grid the transform is again a normal curve, far below double precision.
    n_frequencies = min(GRID // 2 + 1, int(FAINT / samples_per_sd.min() * GRID / (2 * np.pi)) + 1)
    exponent = np.arange(n_frequencies) * (2 * np.pi / GRID) * samples_per_sd
    # Zeroed beyond FAINT, so that a density does not depend on the others in its block.
    spectrum = samples_per_sd * np.exp(-0.5 * exponent**2) * (exponent <= FAINT)
    for row in np.flatnonzero(samples_per_sd < FINE):
        distance = np.minimum(np.arange(GRID // 2 + 1) / samples_per_sd[row], BEYOND)
        spectrum[row] = fft.dct(np.exp(-0.5 * distance**2) / np.sqrt(2 * np.pi), type=1)
    return spectrum
