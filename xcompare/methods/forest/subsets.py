"""Splits on a nominal feature: a subset of its levels goes left, the others right.

A subset is an integer with a bit per level, which a threshold, a float, holds exactly up to `MOST_LEVELS`.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from xcompare.methods.forest.cuts import FeatureRanks, Level

MOST_LEVELS = 53


def goes_right(value: np.ndarray, limit: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    """Whether values, or ranks, are above the limit, or levels outside the subset; all of one shape."""
    right = value > limit
    at = np.flatnonzero(nominal)
    if at.size:
        right[at] = limit[at].astype(np.int64) >> value[at].astype(np.int64) & 1 == 0
    return right


def subset_cuts(level: "Level", ranks: "FeatureRanks", feature: np.ndarray, node: np.ndarray) -> tuple:
    """All tied best subsets of nodes, on the nominal feature drawn for each: see `best_cuts`.

    For two classes the best subset is one of the cuts of the levels ordered by their share of one class
    (Breiman, Friedman, Olshen, Stone 1984, section 4.2.2). The last level of a node goes right, and so do
    levels that it lacks.
    """
    sizes, n_levels = level.sizes[node], ranks.most_levels
    from_ = (np.cumsum(level.sizes) - level.sizes)[node] - (np.cumsum(sizes) - sizes)
    entries = level.entries[np.repeat(from_, sizes) + np.arange(sizes.sum())]
    weight, one = np.divmod(entries & ((1 << level.mass_bits) - 1), 2)
    code = ranks.flat[(entries >> level.mass_bits) + np.repeat(feature[node] * ranks.n_rows, sizes)]
    cell = np.repeat(np.arange(len(node)) * n_levels, sizes) + code
    weights, ones = (
        np.bincount(cell, mass, len(node) * n_levels).reshape(-1, n_levels) for mass in (weight, weight * one)
    )
    share = np.where(weights > 0, ones / np.maximum(weights, 1), 2.0)  # those that a node lacks come last
    order = share.argsort(axis=1, kind="stable")
    left, left_ones = (np.take_along_axis(mass, order, axis=1).cumsum(axis=1) for mass in (weights, ones))
    subset = (1 << order).cumsum(axis=1)
    n_present = (weights > 0).sum(axis=1)
    total, all_ones = level.total[node, None], level.ones[node, None]
    gain = (left_ones * total - left * all_ones) ** 2 / np.maximum(left * (total - left), 1)
    gain[np.arange(n_levels) >= n_present[:, None] - 1] = -1
    best = gain.max(axis=1)
    at, position = np.nonzero((gain == best[:, None]) & (gain >= 0))
    cut, n_ties = np.unique(at, return_counts=True)

    subset, rest = subset[at, position], subset[at, n_present[at] - 1] - subset[at, position]
    turned = subset > rest
    left, left_ones = left[at, position].astype(np.intp), left_ones[at, position].astype(np.intp)
    left = np.where(turned, total[at, 0] - left, left)
    left_ones = np.where(turned, all_ones[at, 0] - left_ones, left_ones)
    below = np.minimum(subset, rest)
    return node[cut], n_ties, best[cut], below, below, left, left_ones
