"""Separation of a partition, measured by the drop in density between its clusters.

K-means splits any data. A split through a single cluster passes through its dense middle, a boundary between
clusters through a sparse region. So the points of two clusters are projected onto the line through their
centres, and counted in equal windows at the midpoint and around each centre.
"""

import numpy as np

HALF_WINDOW = 1 / 6  # of the distance between centres
WINDOWS = np.array([0, 0.5, 1])  # positions on the line between the centres
DECIMALS = 9  # of a position, so that rounding errors do not move points across window edges


def density_gap(points: np.ndarray, labels: np.ndarray) -> float:
    """Density gap of a partition: mean over clusters of the gap to the least separated neighbour.

    ``points`` of shape (n_features, n_samples). ``labels`` of shape (n_samples,): codes from 0; some may be
    unused. Returns standard errors, see `density_gaps`; 0 for a single cluster.

    Examples
    --------
    >>> apart, one = np.r_[np.linspace(0, 1, 50), np.linspace(4, 5, 50)], np.linspace(0, 1, 100)
    >>> halves = np.repeat([0, 1], 50)
    >>> round(density_gap(apart[None], halves), 2), density_gap(one[None], halves)
    (7.07, 0.0)
    """
    gaps = density_gaps(points, labels)
    return float(gaps.min(axis=1).mean()) if len(gaps) > 1 else 0.0


def density_gaps(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Drop in density between each pair of clusters, in standard errors.

    ``points`` of shape (n_features, n_samples). ``labels`` of shape (n_samples,): codes from 0; some may be
    unused. Returns shape (n_used, n_used): ``(c - b) / sqrt(c + b)``, at least 0, for ``c`` points around the
    centre with fewer points and ``b`` around the midpoint: the standard error of Poisson counts, so that
    small clusters count little. Infinite on the diagonal.
    """
    used = np.flatnonzero(np.bincount(labels))
    members = [labels == k for k in used]
    centers = np.stack([points[:, rows].mean(axis=1) for rows in members])
    products, squares = centers @ points, centers @ centers.T
    found = np.full((len(used), len(used)), np.inf)
    for k in range(len(used)):
        for other in range(k + 1, len(used)):
            rows = members[k] | members[other]
            length = squares[k, k] + squares[other, other] - 2 * squares[k, other]
            start = squares[k, other] - squares[k, k]
            position = (products[other, rows] - products[k, rows] - start) / max(length, np.finfo(float).tiny)
            near = np.abs(position - WINDOWS[:, None]).round(DECIMALS) < HALF_WINDOW
            first, between, last = np.count_nonzero(near, axis=1).tolist()
            about = min(first, last)
            depth = (about - between) / np.sqrt(max(about + between, 1))
            found[k, other] = found[other, k] = max(0.0, depth)
    return found
