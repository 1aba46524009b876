"""From criteria to a number of clusters: what each chooses, and what most of them do.

One cluster has no Dunn index, silhouette or stability. Whether there is more than one is therefore asked of
one Gaussian with the mean and covariance of the data, which K-means cuts too: is a criterion, for any K,
larger than in its draws?
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from joblib import delayed

from xcompare.bagging.criteria import CRITERIA, criteria_and_draws
from xcompare.bagging.reference import p_most
from xcompare.exceptions import DataError
from xcompare.threads import workers

LEVEL = 0.05
MOST_CLUSTERS = 10  # tried, unless told otherwise
GAP = CRITERIA.index("gap")


class Choice(NamedTuple):
    """How many clusters, by each criterion and by most of them."""

    ks: tuple[int, ...]  # numbers of clusters tried, besides one
    excess: np.ndarray  # (n_ks, n_criteria), over the mean of the draws
    error: np.ndarray  # (n_ks, n_criteria), of the excess: that of a single draw, and of their mean
    p_values: np.ndarray  # (n_criteria,), of one Gaussian doing as well for any K
    choices: tuple[int, ...]  # by each criterion; 1 where one Gaussian does as well
    best: int

    @property
    def answer(self) -> str:
        """How many clusters, and how many criteria say so; all numbers chosen, where none has a majority."""
        more = [k for k in self.choices if k > 1]
        if self.best == 1:
            others = [(c, k) for c, k in zip(CRITERIA, self.choices, strict=True) if k > 1]
            but = f"; {_said(others)}" if others else ""
            n_choices = len(self.choices)
            return f"One cluster: {n_choices - len(more)} of {n_choices} criteria find no more{but}."
        votes = Counter(more)
        each = sorted(votes, key=lambda k: (-votes[k], k))
        if 2 * votes[self.best] > len(self.choices):
            each = each[:1]  # a clear majority needs no second
        counts = " and ".join(str(votes[k]) for k in each)
        either = " or ".join(map(str, each))
        said = _said(zip(CRITERIA, self.choices, strict=True))
        return f"{either} clusters, by {counts} of {len(self.choices)} criteria ({said})."

    @property
    def note(self) -> str:
        """The number taken, where it was left to the criteria, and how many of them chose it."""
        votes, said = self.choices.count(self.best), _said(zip(CRITERIA, self.choices, strict=True))
        number = f"{self.best} cluster{'s' if self.best > 1 else ''}"
        return f"{number}, chosen by {votes} of {len(self.choices)} criteria ({said})"


def count_clusters(X: np.ndarray, seed: int, n_jobs: int | None = None) -> Choice:
    """How many clusters data have, of those that are tried.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        No column constant; columns are standardised here.
    seed : int
    n_jobs : int or None, default=None
        Workers, through joblib; the result does not depend on it.

    Raises
    ------
    DataError
        Fewer than three rows, or no feature.
    """
    ks = tried(len(X))
    if X.shape[1] == 0:
        raise DataError("n_clusters='auto' needs features that vary; got none: give a number")
    with workers(n_jobs) as parallel:
        found = parallel(delayed(criteria_and_draws)(X, k, seed) for k in ks)
    observed, draws = zip(*found, strict=True)
    return choose(ks, np.array(observed), np.stack(draws, axis=1))


def tried(n_samples: int) -> range:
    """The numbers of clusters tried unless told otherwise: from 2 to 10, and below the number of rows.

    Examples
    --------
    >>> tried(150), tried(5)
    (range(2, 11), range(2, 5))
    """
    if n_samples < 3:
        raise DataError(f"to choose the number of clusters takes at least 3 rows; got {n_samples}")
    return range(2, min(MOST_CLUSTERS + 1, n_samples))


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
    return Choice(tuple(ks), excess, error, p_values, tuple(choices), most_chosen(choices))


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


def _said(choices: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{criterion} {k}" for criterion, k in choices)
