"""How good a partition is: whether its clusters have a valley between them.

K-means cuts whatever it is given. A cut through a cloud leads through its middle, where points are many; a
border between clusters leads through few. So the points of two clusters are taken along the line through
their centres, and those about half way are counted, and those about each centre, in windows of one width.
"""

import numpy as np

HALF_WINDOW = 1 / 6  # of the way from centre to centre: the three windows leave as much out as they take in
DECIMALS = 9  # of a place on the way: rounding does not decide which side of an edge it is on


def valley(points: np.ndarray, labels: np.ndarray) -> float:
    """How many standard errors fewer points lie between clusters than about their centres.

    Parameters
    ----------
    points : ndarray of shape (n_features, n_samples)
    labels : ndarray of int of shape (n_samples,)
        Codes from 0; some may be unused.

    Returns
    -------
    float
        For two clusters with ``c`` points about the centre that has fewer, and ``b`` half way,
        ``(c - b) / sqrt(c + b)``, or 0 where that is negative: counts are Poisson, and few points, such as
        outliers, prove little. For more, the smallest of each cluster and any other, averaged over clusters.
        0 for a single cluster.

    Examples
    --------
    >>> apart, one = np.r_[np.linspace(0, 1, 50), np.linspace(4, 5, 50)], np.linspace(0, 1, 100)
    >>> halves = np.repeat([0, 1], 50)
    >>> round(valley(apart[None], halves), 2), valley(one[None], halves)
    (7.07, 0.0)
    """
    used = np.flatnonzero(np.bincount(labels))
    if len(used) < 2:
        return 0.0
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
            first, between, last = (
                (np.abs(way - at).round(DECIMALS) < HALF_WINDOW).sum() for at in (0, 0.5, 1)
            )
            about = min(first, last)
            depth = (about - between) / np.sqrt(max(about + between, 1))
            found[k, other] = found[other, k] = max(0.0, depth)
    return float(found.min(axis=1).mean())
