"""Monte Carlo error of the importances: weighted means over replicates, standard errors, intervals.

Finitely many replicates estimate the importances that infinitely many would give on the same data. Errors
and intervals describe that difference and vanish as replicates are added. The spread describes how much a
feature's share varies between replicates, and does not vanish.
"""

from dataclasses import dataclass

import numpy as np

from xcompare.core.blocks import slices

RESAMPLES = 1000
LEVEL = 0.95
BLOCK_VALUES, ALIGNED = 2**18, 48  # means computed at a time, in multiples of so many resamples


@dataclass(frozen=True, eq=False)
class WeightedMean:
    """Weighted means over the replicates that drew each feature."""

    mean: np.ndarray  # (n_features,); 0 for a feature never drawn
    spread: np.ndarray  # (n_features,), weighted standard deviation over the replicates
    error: np.ndarray  # (n_features,), standard error of the mean; infinite with fewer than two replicates


def weighted_mean(shares: np.ndarray, weights: np.ndarray) -> WeightedMean:
    """Weighted mean over replicates, its spread and its standard error.

    ``shares`` of shape (n_replicas, n_features): NaN where the feature was not drawn. ``weights`` of shape
    (n_replicas,): A feature drawn only in replicas of weight 0 is averaged over those.

    Examples
    --------
    >>> found = weighted_mean(np.array([[1.0], [0.0], [np.nan]]), np.array([3.0, 1.0, 5.0]))
    >>> found.mean, found.spread.round(3), found.error.round(3)
    (array([0.75]), array([0.433]), array([0.375]))
    """
    mass, known = _mass(shares, weights), np.nan_to_num(shares)
    total = np.maximum(mass.sum(axis=0), np.finfo(float).tiny)
    mean = (mass * known).sum(axis=0) / total
    off = (known - mean) ** 2
    spread = np.sqrt((mass * off).sum(axis=0) / total)
    # Delta method: the mean is a ratio of two sums over replicates.
    n = (mass > 0).sum(axis=0)
    error = np.sqrt((mass**2 * off).sum(axis=0) * n / np.maximum(n - 1, 1)) / total
    return WeightedMean(mean, spread, np.where(n > 1, error, np.inf))


def intervals(
    shares: np.ndarray, weights: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Bootstrap intervals of importances and ranks for infinitely many replicates.

    ``shares``, ``weights``: as in `weighted_mean`. Returns ``importances`` of shape (n_features, 2): lower
    and upper limit, at 95%; ``ranks`` of shape (n_features, 2): best and worst rank, 1 for the most
    important.
    """
    mass = _mass(shares, weights)
    weighted = mass * np.nan_to_num(shares)
    n, n_features = shares.shape
    times = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(float)
    whole = weighted.sum(axis=0) / np.maximum(mass.sum(axis=0), np.finfo(float).tiny)
    tail = (1 - LEVEL) / 2 * (RESAMPLES - 1)  # position of the limits in sorted order, from either end
    below = int(tail)
    part = np.array([tail - below, below + 1 - tail])
    at_once = max(1, BLOCK_VALUES // n_features // ALIGNED) * ALIGNED
    low, high, best, worst = (np.empty((0, n_features)) for _ in range(4))
    for some in (times[block] for block in slices(RESAMPLES, at_once)):
        total = some @ mass
        # A resample in which no replicate drew the feature falls back to the overall mean.
        means = np.divide(some @ weighted, total, out=np.tile(whole, (len(some), 1)), where=total > 0)
        ranks = _ranks(means.round(12))
        low, best = (_smallest(np.vstack(both), below + 2) for both in ((low, means), (best, ranks)))
        high, worst = (-_smallest(-np.vstack(both), below + 2) for both in ((high, means), (worst, ranks)))
    lower, upper = low[below:], high[below:][::-1]
    limits = [a + share * (b - a) for (a, b), share in zip((lower, upper), part, strict=True)]
    return np.column_stack(limits), np.column_stack([best[below], worst[below]]).astype(int)


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """The smallest values of each column, ascending."""
    return np.ascontiguousarray(np.sort(values.T.copy(), axis=1)[:, :count].T)


def _ranks(importances: np.ndarray) -> np.ndarray:
    """Rank of each importance in its row, 1 for the largest; ties share the better rank."""
    order = np.argsort(-importances, axis=1)
    ordered = np.take_along_axis(importances, order, axis=1)
    position = np.arange(1, importances.shape[1] + 1, dtype=np.int32)
    new = np.ones(importances.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=new[:, 1:])
    ranks = np.empty(importances.shape, dtype=np.int32)
    np.put_along_axis(ranks, order, np.maximum.accumulate(new * position, axis=1), axis=1)
    return ranks


def _mass(shares: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight of each replicate in the mean of each feature."""
    drawn = ~np.isnan(shares)
    mass = weights[:, None] * drawn
    return np.where(mass.sum(axis=0) > 0, mass, drawn)
