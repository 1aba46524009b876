"""Has groups of its own: Hartigan's dip test of one feature at a time.

Hypothesis: the feature's distribution has one peak. The p-value is that of the uniform distribution, which of
all with one peak looks most as if it had two: for others, such as the normal, the test hardly ever rejects.
"""

import numpy as np
from diptest import diptest

LARGEST = 70_000  # rows for which the test's table of significance reaches


def p_own_groups(X: np.ndarray) -> np.ndarray:
    """p-values of the dip test of every feature.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        In any units. Of many rows, 70,000 at equal steps of their order in each feature.

    Returns
    -------
    ndarray of shape (n_features,)

    References
    ----------
    Hartigan and Hartigan (1985), The dip test of unimodality. doi:10.1214/aos/1176346577

    Examples
    --------
    >>> two_groups = np.r_[np.linspace(0, 1, 30), np.linspace(4, 5, 30)]
    >>> one_group = np.linspace(0, 1, 60)
    >>> p_own_groups(np.stack([two_groups, one_group], axis=1)).round(2)
    array([0., 1.])
    """
    return np.array([_p_value(np.sort(column)) for column in X.T])


def _p_value(x: np.ndarray) -> float:
    x = spread_ties(x)
    if len(x) < 4:
        return 1.0
    if len(x) > LARGEST:
        x = x[np.linspace(0, len(x) - 1, LARGEST).round().astype(int)]
    return float(diptest(x)[1])


def spread_ties(x: np.ndarray) -> np.ndarray:
    """Equal values laid out evenly over the room that rounding took from them.

    The dip takes every repeated value for a peak. A value's room ends half way to its neighbours, and is no
    wider than the usual step between values.

    Parameters
    ----------
    x : ndarray of shape (n_samples,)
        Ascending.

    Examples
    --------
    >>> spread_ties(np.array([1.0, 1.0, 2.0, 2.0, 2.0, 7.0]))
    array([0.75      , 1.25      , 1.66666667, 2.        , 2.33333333,
           7.        ])
    """
    values, first, counts = np.unique(x, return_index=True, return_counts=True)
    if len(values) == len(x) or len(values) < 2:
        return x
    gaps = np.diff(values)
    usual = np.quantile(gaps, 0.5, method="inverted_cdf")
    room = np.minimum(gaps, usual) / 2
    left, right = np.r_[usual / 2, room], np.r_[room, usual / 2]
    place = (np.arange(len(x)) - np.repeat(first, counts) + 0.5) / np.repeat(counts, counts)
    return np.repeat(values - left, counts) + place * np.repeat(left + right, counts)
