"""How well separated a partition is: the drop in density between its clusters.

K-means cuts whatever it is given. A cut through a single cluster leads through its middle, where points are
many; a border between clusters leads through few. So the points of two clusters are projected onto the line
through their centres, and counted half way and about each centre, in windows of one width.
"""

import numpy as np

HALF_WINDOW = 1 / 6  # of the distance between centres: the three windows leave out as much as they take in
WINDOWS = np.array([0, 0.5, 1])  # along the line, from one centre to the other
DECIMALS = 9  # of a position along the line: rounding does not decide on which side of an edge it is


def density_gap(points: np.ndarray, labels: np.ndarray) -> float:
    """Separation of a partition: the gap of each cluster to the neighbour it is least separated from,
    averaged.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    labels : ndarray of int of shape (n_samples,)
        Codes from 0; some may be unused.

    Returns
    -------
    float
        In standard errors, see `density_gaps`; 0 for a single cluster.

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
    """How many standard errors fewer points lie between two clusters than about their centres.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    labels : ndarray of int of shape (n_samples,)
        Codes from 0; some may be unused.

    Returns
    -------
    ndarray of shape (n_used, n_used)
        For ``c`` points about the centre that has fewer, and ``b`` half way, ``(c - b) / sqrt(c + b)``, or 0
        where that is negative: counts are Poisson, and few points, such as outliers, prove little. Infinite
        on the diagonal.
    """
    used = np.flatnonzero(np.bincount(labels))
    members = [labels == k for k in used]
    centers = np.stack([points[:, rows].mean(axis=1) for rows in members])
    places, squares = centers @ points, centers @ centers.T
    found = np.full((len(used), len(used)), np.inf)
    for k in range(len(used)):
        for other in range(k + 1, len(used)):
            rows = members[k] | members[other]
            length = squares[k, k] + squares[other, other] - 2 * squares[k, other]
            start = squares[k, other] - squares[k, k]
            way = (places[other, rows] - places[k, rows] - start) / max(length, np.finfo(float).tiny)
            near = np.abs(way - WINDOWS[:, None]).round(DECIMALS) < HALF_WINDOW
            first, between, last = np.count_nonzero(near, axis=1).tolist()
            about = min(first, last)
            depth = (about - between) / np.sqrt(max(about + between, 1))
            found[k, other] = found[other, k] = max(0.0, depth)
    return found
