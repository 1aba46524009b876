"""From criteria to a number of clusters: what each chooses, and what most of them do.

One cluster has no Dunn index, silhouette or stability. Whether there is more than one is therefore asked of
one Gaussian with the mean and covariance of the data, which K-means cuts too: is a criterion, for any K,
larger than in its draws?
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xcompare.bagging.criteria import CRITERIA
from xcompare.bagging.reference import p_most

LEVEL = 0.05
GAP = CRITERIA.index("gap")


class Choice(NamedTuple):
    """How many clusters, by each criterion and by most of them."""

    excess: np.ndarray  # (n_ks, n_criteria), over the mean of the draws
    error: np.ndarray  # (n_ks, n_criteria), of the excess: that of a single draw, and of their mean
    p_values: np.ndarray  # (n_criteria,), of one Gaussian doing as well for any K
    choices: tuple[int, ...]  # by each criterion; 1 where one Gaussian does as well
    best: int


def choose(ks: Sequence[int], observed: np.ndarray, draws: np.ndarray, level: float = LEVEL) -> Choice:
    """The number of clusters each criterion chooses, and the one most choose.

    A criterion by which no K is better than draws from one Gaussian, at the level, taken over all K (Westfall
    and Young), chooses 1. Else it chooses the K with the largest excess over the mean of the draws. The gap
    statistic keeps its own rule, which needs no test: the smallest K, from 1, with
    ``gap(K) >= gap(next K) - s(next K)``; the largest where there is none.

    More than one cluster takes more than half of the criteria. Then it is the number most of them choose,
    of equally many the smallest.

    Parameters
    ----------
    ks : sequence of int
        Ascending, from 2.
    observed : ndarray of shape (n_ks, 4)
        The criteria of the data.
    draws : ndarray of shape (n_draws, n_ks, 4)
    level : float, default=0.05

    Returns
    -------
    Choice
    """
    excess = observed - draws.mean(axis=0)
    error = draws.std(axis=0) * np.sqrt(1 + 1 / len(draws))
    p_values = np.array([p_most(observed[:, at], draws[:, :, at]).min() for at in range(len(CRITERIA))])
    choices = [
        _by_gap(ks, excess[:, at], error[:, at])
        if at == GAP
        else ks[int(excess[:, at].argmax())]
        if p_values[at] <= level
        else 1
        for at in range(len(CRITERIA))
    ]
    return Choice(excess, error, p_values, tuple(choices), most_chosen(choices))


def most_chosen(choices: Sequence[int]) -> int:
    """What most choose: 1 unless more than half choose more; then the commonest of these, or the smallest.

    Examples
    --------
    >>> most_chosen([1, 3, 3, 5]), most_chosen([1, 1, 3, 3]), most_chosen([2, 2, 3, 3])
    (3, 1, 2)
    """
    more = [k for k in choices if k > 1]
    if 2 * len(more) <= len(choices):
        return 1
    votes = Counter(more)
    return min(votes, key=lambda k: (-votes[k], k))


def _by_gap(ks: Sequence[int], gap: np.ndarray, error: np.ndarray) -> int:
    """The first K, from 1, that the next does not better by more than its standard error."""
    numbers, gaps = [1, *ks], np.r_[0.0, gap]  # one cluster reduces nothing, in data and draws alike
    enough = gaps[:-1] >= gaps[1:] - error
    return numbers[int(enough.argmax())] if enough.any() else numbers[-1]
