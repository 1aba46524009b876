"""Missing values replaced by those of similar rows.

A row that lacks a feature takes its value from a donor: a row, drawn at random from the few nearest ones that
have it. Rows are compared in the dimensions observed in both, by their mean squared difference. Different
draws give different tables, so an analysis of many of them shows what the gaps leave uncertain (multiple
imputation). The mean over these donors is the expected value.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from xcompare.core.blocks import slices
from xcompare.core.encoding import Encoding
from xcompare.core.features import Feature
from xcompare.core.standardization import Scaling

N_DONORS = 10  # nearest rows that a donor is drawn from; with 5, the consensus is further from the clusters
MOST_CANDIDATES = 1000  # rows, drawn at random, among which donors are sought
BLOCK_DISTANCES = 2**22  # at a time


def impute(
    points: np.ndarray,
    missing: np.ndarray,
    rng: np.random.Generator,
    *,
    block: np.ndarray | None = None,
    counts: np.ndarray | None = None,
    pool: np.ndarray | None = None,
    mean: bool = False,
) -> np.ndarray:
    """Points without missing values.

    Parameters
    ----------
    points : ndarray of shape (n_dimensions, n_samples)
        NaN in every dimension of a missing feature.
    missing : ndarray of bool of shape (n_features, n_samples)
    rng : numpy.random.Generator
        Draws candidates and donors.
    block : ndarray of int of shape (n_dimensions,) or None, default=None
        Feature of each dimension, ascending; None: one each.
    counts : ndarray of shape (n_candidates,) or None, default=None
        How often each row may be drawn as a donor, e.g. in a bootstrap sample; None: all alike.
    pool : ndarray of shape (n_dimensions, n_candidates) or None, default=None
        Rows that donors are taken from; None: the points.
    mean : bool, default=False
        Whether to take the mean of the nearest rows rather than one of them.

    Returns
    -------
    ndarray of shape (n_dimensions, n_samples)
        0, the mean of a standardised feature, where no candidate has a value.

    Examples
    --------
    The last row lacks its second feature. All donors have it at 5.

    >>> x = np.r_[np.zeros(10), np.ones(11)]
    >>> points = np.stack([x, 5 * x])
    >>> points[1, -1] = np.nan
    >>> impute(points, np.isnan(points), np.random.default_rng(0))[:, -1]
    array([1., 5.])
    """
    block = np.arange(len(points)) if block is None else block
    if not mean and pool is None:
        return taken(points, donors(points, missing, rng, block=block, counts=counts)[block])
    filled, source = points.copy(), points if pool is None else pool
    for j, lacking, nearest in _nearest(points, missing, rng, block, counts, source):
        at = np.flatnonzero(block == j)
        filled[np.ix_(at, lacking)] = source[at][:, nearest].mean(axis=2) if nearest.size else 0.0
    return filled


def donors(
    points: np.ndarray,
    missing: np.ndarray,
    rng: np.random.Generator,
    *,
    block: np.ndarray,
    counts: np.ndarray | None = None,
) -> np.ndarray:
    """Row that every value is taken from, its own unless it is missing; -1 where no row has a value.

    The arguments are those of `impute`. Returns shape (n_features, n_samples).
    """
    found = np.where(missing, -1, np.arange(points.shape[1]))
    for j, lacking, nearest in _nearest(points, missing, rng, block, counts, points):
        if nearest.size:
            drawn = rng.integers(nearest.shape[1], size=lacking.size)
            found[j, lacking] = nearest[np.arange(lacking.size), drawn]
    return found


def taken(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Values of these rows, in each dimension, both of shape (n_dimensions, n_samples); 0 for row -1."""
    return np.where(rows < 0, 0.0, np.take_along_axis(points, rows, axis=1))


def _nearest(
    points: np.ndarray,
    missing: np.ndarray,
    rng: np.random.Generator,
    block: np.ndarray,
    counts: np.ndarray | None,
    pool: np.ndarray,
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Features, rows that lack them, and the nearest rows of the pool that have them, if any do."""
    rows = np.flatnonzero(missing.any(axis=0))
    if not rows.size:
        return
    candidates = _candidates(pool, counts, rng)
    known = pool[:, candidates]
    observed = ~np.isnan(known)
    filled_known = np.where(observed, known, 0.0)
    first = np.searchsorted(block, np.arange(len(missing)))
    for some in (rows[part] for part in slices(rows.size, max(1, BLOCK_DISTANCES // len(candidates)))):
        distances = _distances(points[:, some], filled_known, observed)
        for j in np.flatnonzero(missing[:, some].any(axis=1)):
            have = np.flatnonzero(observed[first[j]])
            lacking = np.flatnonzero(missing[j, some])
            nearest = np.empty((lacking.size, 0), dtype=np.intp)
            if have.size:
                n_donors = min(N_DONORS, have.size)
                apart = distances[np.ix_(lacking, have)]
                nearest = candidates[have[np.argpartition(apart, n_donors - 1, axis=1)[:, :n_donors]]]
            yield int(j), some[lacking], nearest


def complete_points(
    X: np.ndarray, features: Sequence[Feature], how: Scaling | None, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """A table as complete dimensions, for methods that need plain numbers, with one imputation.

    ``X`` of shape (n_samples, n_features): numbers and codes, NaN where missing. ``how`` ("robust", "sd",
    "rank" or None): scaling of numeric features. Returns ``points`` of shape (n_samples, n_dimensions);
    ``block`` of shape (n_dimensions,): feature of each dimension, ascending.
    """
    encoding = Encoding.of(X, features, how)
    points = impute(encoding.apply(X).T, np.isnan(X.T), rng, block=encoding.block)
    return np.ascontiguousarray(points.T), encoding.block


def _candidates(points: np.ndarray, counts: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Rows among which donors are sought, in random order, so that ties are broken at random."""
    rows = np.arange(points.shape[1])
    if counts is not None:
        rows = np.repeat(rows, counts) if np.issubdtype(counts.dtype, np.integer) else rows[counts > 0]
    return rng.permutation(rows)[:MOST_CANDIDATES]


def _distances(points: np.ndarray, known: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Mean squared differences in the dimensions observed in both rows; very large if there are none.

    ``known`` holds the candidates, with 0 where they are not ``observed``.
    """
    here = ~np.isnan(points)
    points, here, there = np.where(here, points, 0.0), here.astype(float), observed.astype(float)
    n_common = here.T @ there
    squares = (points**2).T @ there + here.T @ known**2 - 2 * points.T @ known
    return np.where(n_common > 0, np.maximum(squares, 0.0) / np.maximum(n_common, 1), np.finfo(float).max)
