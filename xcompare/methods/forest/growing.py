"""A two-class random forest, grown one level at a time for all trees together.

The rules are those of R's randomForest. scikit-learn's forest differs in one point that matters for tied
data: a node whose drawn features are all constant becomes a leaf here, while scikit-learn draws other
features. On the breast data this alone changes the importances by 20%.

Every tree is a set of entries (row, weight). The entries of a whole level are processed at once, in numpy or
compiled loops, so no Python code runs per node or per tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from xcompare.methods.forest.cuts import Cuts, FeatureRanks, Level, best_cuts
from xcompare.methods.forest.subsets import goes_right

# Entries (rows x trees) processed at once: small enough for the cache, large enough to make numpy's
# overhead per call negligible. Changing it changes the order of random numbers and thus the results.
GROW_AT_ONCE = 1 << 17


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees grown together, as flat arrays over all their nodes; node t is the root of tree t."""

    rows: np.ndarray  # (n_trees, n_rows): the rows that each tree draws from
    # (n_trees, n_rows): number of times each of them is in the bootstrap sample of the tree; 0 is out of bag
    counts: np.ndarray
    # feature, threshold: (n_nodes,): the split: left when ``x[feature] <= threshold``, or in this subset of
    # levels. Feature -1 marks a leaf.
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray  # (n_nodes,): left child; the right child is the next node
    label: np.ndarray  # (n_nodes,): class of the node, 0 or 1
    # (n_features,): decrease in Gini impurity times the number of rows, summed over the nodes of all these
    # trees
    gini: np.ndarray
    nominal: np.ndarray  # (n_features,): bool


def grow_forest(
    X: np.ndarray,
    y: np.ndarray,
    n_trees: int,
    max_features: int,
    rng: np.random.Generator,
    *,
    samples: np.ndarray | None = None,
    nominal: np.ndarray | None = None,
    by_loops: bool = False,
) -> Iterator[Trees]:
    """Grow a forest to pure leaves on bootstrap samples, in batches of trees.

    ``X`` of shape (any, n_features). ``samples`` of shape (n_samples, n_rows): rows of X that trees draw
    from, each sample for the same number of consecutive trees, up to rounding; None: all rows. ``y`` of shape
    (n_rows,): classes 0 and 1 of the rows of any sample. ``max_features``: features drawn at each node.
    ``nominal`` of shape (n_features,): whether a feature holds codes of levels, see
    `xcompare.methods.forest.subsets`. ``by_loops``: whether to use compiled loops, which need numba; the
    trees are the same.

    Yields
    ------
    Trees
    """
    samples = np.arange(len(X))[None] if samples is None else samples
    n_rows = samples.shape[1]
    ranks = FeatureRanks(X, nominal)
    at_once = max(1, GROW_AT_ONCE // n_rows)
    for first in range(0, n_trees, at_once):
        n = min(at_once, n_trees - first)
        drawn = rng.integers(n_rows, size=(n, n_rows)) + n_rows * np.arange(n)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=n * n_rows).reshape(n, n_rows)
        rows = samples[np.arange(first, first + n) * len(samples) // n_trees]
        yield _grow(ranks, y, rows, counts, max_features, rng, by_loops)


def _grow(
    ranks: FeatureRanks,
    y: np.ndarray,
    rows: np.ndarray,
    counts: np.ndarray,
    max_features: int,
    rng: np.random.Generator,
    by_loops: bool,
) -> Trees:
    """Grow one tree per row of ``rows`` and ``counts``."""
    n_features = ranks.n_features
    total, ones, sizes = counts.sum(axis=1), counts @ y, np.count_nonzero(counts, axis=1)
    open_ = (ones > 0) & (ones < total)
    mass_bits = (2 * int(counts.max()) + 1).bit_length()
    entries = ((rows << mass_bits) + 2 * counts + y)[(counts > 0) & open_[:, None]]
    totals, all_ones, splits = [total], [ones], []
    position = np.flatnonzero(open_)
    level = Level(entries, mass_bits, sizes[open_], total[open_], ones[open_])

    n_nodes = len(counts)
    gini = np.zeros(n_features)
    while len(position):
        drawn = _draw_features(len(position), n_features, max_features, rng)
        best = best_cuts(level, ranks, drawn, rng, by_loops)
        split = np.flatnonzero(best.gain >= 0)
        feature, child = best.feature[split], n_nodes + 2 * np.arange(len(split))
        gini += np.bincount(feature, best.gain[split], minlength=n_features)
        threshold = ranks.limits(feature, best.below[split], best.above[split])
        splits.append((position[split], feature, threshold, child))

        right_total, right_ones = level.total - best.left_total, level.ones - best.left_ones
        totals.append(_in_turns(best.left_total[split], right_total[split]))
        all_ones.append(_in_turns(best.left_ones[split], right_ones[split]))
        n_nodes += 2 * len(split)

        left_open = (best.left_ones > 0) & (best.left_ones < best.left_total)
        right_open = (best.gain >= 0) & (right_ones > 0) & (right_ones < right_total)
        entries, left_sizes, right_sizes = _part(level, ranks, best, left_open, right_open)
        number = np.zeros(len(position), dtype=np.intp)
        number[split] = child
        # Left children first, then right ones, like their entries.
        position, *nodes = (
            np.concatenate([left[left_open], right[right_open]])
            for left, right in (
                (number, number + 1),
                (left_sizes, right_sizes),
                (best.left_total, right_total),
                (best.left_ones, right_ones),
            )
        )
        level = Level(entries, mass_bits, *nodes)

    arrays = np.full(n_nodes, -1), np.zeros(n_nodes), np.zeros(n_nodes, dtype=np.intp)
    for nodes_split, *values in splits:
        for array, value in zip(arrays, values, strict=True):
            array[nodes_split] = value
    label = majority(np.concatenate(all_ones), np.concatenate(totals), rng)
    return Trees(rows, counts, *arrays, label, gini, ranks.nominal)


def _part(
    level: Level, ranks: FeatureRanks, best: Cuts, left_open: np.ndarray, right_open: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Entries of open left children, then of open right ones, and the number in each child."""
    entries, sizes, nominal = level.entries, level.sizes, ranks.nominal[best.feature]
    rank = ranks.flat.take((entries >> level.mass_bits) + np.repeat(best.feature * ranks.n_rows, sizes))
    right = goes_right(rank, np.repeat(best.below, sizes), np.repeat(nominal, sizes))
    parts = [
        entries.take(np.flatnonzero(goes & np.repeat(open_, sizes)))
        for goes, open_ in ((~right, left_open), (right, right_open))
    ]
    right_sizes = np.add.reduceat(right, np.cumsum(sizes) - sizes, dtype=np.intp)
    return np.concatenate(parts), sizes - right_sizes, right_sizes


def _in_turns(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left[0], right[0], left[1], ...: the order in which children are numbered."""
    return np.stack([left, right], axis=1).ravel()


def _draw_features(n_nodes: int, n_features: int, max_features: int, rng: np.random.Generator) -> np.ndarray:
    """Draw distinct features for every node, in random order: (max_features, n_nodes)."""
    drawn = np.empty((max_features, n_nodes), dtype=np.intp)
    for i in range(max_features):
        # Draw an index among the remaining features, then skip those drawn before.
        feature = rng.integers(n_features - i, size=n_nodes)
        for earlier in np.sort(drawn[:i], axis=0):
            feature += feature >= earlier
        drawn[i] = feature
    return drawn


def majority(ones: np.ndarray, total: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Class with more votes; ties are broken at random."""
    return (2 * ones + rng.integers(2, size=ones.shape) > total).astype(np.int8)
