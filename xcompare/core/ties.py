"""Spread tied values over their rounding interval.

Tests of unimodality and density gaps take every repeated value for a mode; counts, grades and indicators have
many.
"""

import numpy as np


def spread_ties(x: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
    """Space tied values evenly over their rounding interval.

    The interval of a value ends half way to its neighbours, and extends at most twice as far to one side as
    to the other, so that a value next to a wide gap is not spread over it. Unique values are unchanged.

    ``x`` of shape (n_samples,). ``rng``: shuffles tied rows. None: keep their order. Returns shape
    (n_samples,).

    Examples
    --------
    >>> spread_ties(np.array([1.0, 1.0, 2.0, 2.0, 2.0, 7.0]))
    array([0.75, 1.25, 1.75, 2.25, 2.75, 7.  ])
    """
    values, codes, counts = np.unique(x, return_inverse=True, return_counts=True)
    if len(values) == len(x) or len(values) < 2:
        return x
    half = np.diff(values) / 2
    left, right = np.r_[half[0], half], np.r_[half, half[-1]]
    left, right = np.minimum(left, 2 * right), np.minimum(right, 2 * left)
    shuffled = np.arange(len(x)) if rng is None else rng.permutation(len(x))
    order = np.lexsort((shuffled, codes))
    first = np.cumsum(counts) - counts
    position = np.empty(len(x))
    position[order] = (np.arange(len(x)) - np.repeat(first, counts) + 0.5) / np.repeat(counts, counts)
    spread = (values - left)[codes] + position * (left + right)[codes]
    return np.where(counts[codes] > 1, spread, x)


def spread_features(points: np.ndarray, which: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points with the tied values of some features spread, each in a random order of its own; NaN stays.

    ``points`` of shape (n_features, n_samples) and ``which`` of shape (n_features,). Returns shape
    (n_features, n_samples): ``points`` itself if there are none.
    """
    if not which.any():
        return points
    points = points.copy()
    for j in np.flatnonzero(which):
        known = ~np.isnan(points[j])
        points[j, known] = spread_ties(points[j, known], rng)
    return points
