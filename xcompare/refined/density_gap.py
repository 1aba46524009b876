"""Separation of a partition, measured by the drop in density between its clusters.

K-means splits any data. A split through a single cluster passes through its dense middle, a boundary between
clusters through a sparse region. So the points of two clusters are projected onto the line through their
centres, and counted in equal windows at the midpoint and around each centre.
"""

import numpy as np

from xcompare.core.blocks import slices

HALF_WINDOW = 1 / 6  # of the distance between centres
WINDOWS = (0, 0.5, 1)  # positions on the line from the own centre to another
DECIMALS = 9  # of a position, so that rounding errors do not move points across window edges
COINCIDENT = 1e-12  # squared distance of centres, relative to their norms, below which they are equal
STACK_VALUES = 2**18  # points times clusters at a time


def density_gap(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Density gap of each partition: mean over clusters of the gap to the least separated neighbour.

    ``points`` of shape (..., n_features, n_samples). ``labels`` of shape (..., n_samples): codes from 0; some
    may be unused. Returns shape (...): standard errors, see `density_gaps`; 0 for a single cluster.

    Examples
    --------
    >>> apart, one = np.r_[np.linspace(0, 1, 50), np.linspace(4, 5, 50)], np.linspace(0, 1, 100)
    >>> halves = np.repeat([0, 1], 50)
    >>> density_gap(np.array([[apart], [one]]), np.array([halves, halves])).round(2)
    array([7.07, 0.  ])
    """
    least = density_gaps(points, labels).min(axis=-1)
    some = np.isfinite(least)
    return np.where(some, least, 0.0).sum(axis=-1) / np.maximum(some.sum(axis=-1), 1)


def density_gaps(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Drop in density between each pair of clusters, in standard errors.

    ``points`` of shape (..., n_features, n_samples). ``labels`` of shape (..., n_samples): codes from 0; some
    may be unused. Returns shape (..., n_clusters, n_clusters): ``(c - b) / sqrt(c + b)``, at least 0, for
    ``c`` points around the centre with fewer points and ``b`` around the midpoint: the standard error of
    Poisson counts, so that small clusters count little. Infinite on the diagonal and for unused codes.
    """
    *lead, n_features, n = points.shape
    n_clusters = int(labels.max()) + 1
    points, labels = points.reshape(-1, n_features, n), labels.reshape(-1, n)
    parts = slices(len(points), max(1, STACK_VALUES // (n * n_clusters)))
    found = [_density_gaps(points[some], labels[some], n_clusters) for some in parts]
    return np.concatenate(found).reshape(*lead, n_clusters, n_clusters)


def _density_gaps(points: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """`density_gaps` of a stack of partitions."""
    member, centers = cluster_means(points, labels, n_clusters)
    products, squares = centers @ points, centers @ centers.swapaxes(1, 2)
    norms = np.einsum("rkk->rk", squares)
    lengths = norms[:, :, None] + norms[:, None] - 2 * squares
    apart = lengths > COINCIDENT * (norms[:, :, None] + norms[:, None])
    # Position of each point on the lines from its own centre to all others: (x - a) (b - a) / |b - a|^2.
    which, own = np.arange(len(labels))[:, None], labels[:, None]
    position = products - np.take_along_axis(products, own, axis=1)
    position -= (squares - norms[:, None])[which, :, labels].swapaxes(1, 2)
    position /= np.where(apart, lengths, 1.0)[which, :, labels].swapaxes(1, 2)
    to = member.swapaxes(1, 2)
    # Points of cluster l (last axis) around their own centre, the midpoint and the other centre k.
    near, between, far = ((np.abs(position - at).round(DECIMALS) < HALF_WINDOW) @ to for at in WINDOWS)
    first = near.swapaxes(1, 2) + far
    about = np.minimum(first, first.swapaxes(1, 2))
    between = between + between.swapaxes(1, 2)
    depth = np.where(apart, np.maximum(about - between, 0) / np.sqrt(np.maximum(about + between, 1)), 0.0)
    used = np.asarray(member.any(axis=2))
    pairs = used[:, :, None] & used[:, None] & ~np.eye(n_clusters, dtype=bool)
    return np.where(pairs, depth, np.inf)


def cluster_means(points: np.ndarray, labels: np.ndarray, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Indicators of the clusters, shape (..., n_clusters, n_samples), and their means; 0 for unused codes."""
    member = (labels[..., None, :] == np.arange(n_clusters)[:, None]).astype(float)
    sizes = np.maximum(member.sum(axis=-1, keepdims=True), 1)
    return member, member @ points.swapaxes(-1, -2) / sizes
