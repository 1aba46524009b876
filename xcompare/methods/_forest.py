"""A two-class random forest grown a level at a time, all trees together.

The rules are those of R's randomForest, which scikit-learn's forest does not follow in one point
that matters on tied data: a node whose drawn features are all constant becomes a leaf, where
scikit-learn goes on drawing. On the breast data that alone moves the importances by 20%.

Every tree is a set of entries (row, weight), and one sort per level orders the entries of every
node by every feature it drew, so no Python code runs per node or per tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

# Entries (rows x trees) worked on at once: small enough for the cache, large enough that numpy's
# overhead per call disappears. Part of the stream of random numbers: changing it changes results.
GROW_AT_ONCE = 1 << 17
ROUTE_AT_ONCE = 1 << 18
SHORT_KEY = 32  # bits: integers of this size sort twice as fast
SMALL_NODE = 46_340  # up to this weight, products of two weights are integers of 32 bits
COUNT_BITS = 26  # two weights in one float, the second times 2^26: both stay exact


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees grown together, as flat arrays over all their nodes; node t is the root of tree t.

    Attributes
    ----------
    counts : ndarray of shape (n_trees, n_rows)
        How often the bootstrap drew each row for each tree; 0 is out of bag.
    feature, threshold : ndarray of shape (n_nodes,)
        The split: left when ``x[feature] <= threshold``. Feature -1 marks a leaf.
    left : ndarray of shape (n_nodes,)
        Left child; the right child is the next node.
    label : ndarray of shape (n_nodes,)
        The class, 0 or 1, the node votes for.
    gini : ndarray of shape (n_features,)
        Decrease of the Gini index, in rows x impurity, summed over the nodes of all these trees.
    """

    counts: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    label: np.ndarray
    gini: np.ndarray


def grow_forest(
    X: np.ndarray, y: np.ndarray, n_trees: int, max_features: int, rng: np.random.Generator
) -> Iterator[Trees]:
    """Grow a forest to pure leaves, on bootstrap samples, some trees at a time.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of int of shape (n_rows,)
        Classes 0 and 1.
    n_trees : int
    max_features : int
        Features drawn at each node.
    rng : Generator

    Yields
    ------
    Trees
    """
    n_rows = len(X)
    columns = [np.unique(column, return_inverse=True) for column in X.T]
    levels = [values for values, _ in columns]
    ranks = np.stack([rank for _, rank in columns], axis=1).astype(np.uint32)
    at_once = max(1, GROW_AT_ONCE // n_rows)
    for first in range(0, n_trees, at_once):
        n = min(at_once, n_trees - first)
        drawn = rng.integers(n_rows, size=(n, n_rows)) + n_rows * np.arange(n)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=n * n_rows).reshape(n, n_rows)
        yield _grow(levels, ranks, y, counts, max_features, rng)


def _grow(
    levels: list[np.ndarray],
    ranks: np.ndarray,
    y: np.ndarray,
    counts: np.ndarray,
    max_features: int,
    rng: np.random.Generator,
) -> Trees:
    """Grow one tree per row of ``counts``; ``ranks`` says which of its ``levels`` a value is."""
    n_features = ranks.shape[1]
    level_values = np.concatenate(levels)
    level_start = np.cumsum([0] + [len(values) for values in levels[:-1]])
    ranks = ranks.ravel()

    tree, row = np.divmod(np.flatnonzero(counts.ravel() > 0), len(y))
    # What a level holds: its open nodes, and node after node their entries. An entry is where its row starts
    # in the ranks, then, in the last bits, its weight and its class.
    mass_bits, rank_bits = (2 * int(counts.max()) + 1).bit_length(), int(ranks.max()).bit_length()
    entries = (row * n_features << mass_bits) | (2 * counts[tree, row] + y[row])
    total, ones = counts.sum(axis=1), counts @ y
    sizes, position = np.bincount(tree), np.arange(len(counts))
    open_ = (ones > 0) & (ones < total)
    entries = entries.take(np.flatnonzero(np.repeat(open_, sizes)))
    totals, all_ones, splits = [total], [ones], []
    position, sizes, total, ones = position[open_], sizes[open_], total[open_], ones[open_]

    n_nodes = len(counts)
    gini = np.zeros(n_features)
    while len(sizes):
        search = _CutSearch(entries, mass_bits, sizes, total, ones, rank_bits, rng)
        best = search.best(ranks, _draw_features(len(sizes), n_features, max_features, rng))
        split = np.flatnonzero(best.gain >= 0)
        feature = best.feature[split]
        gini += np.bincount(feature, best.gain[split], minlength=n_features)
        start = level_start[feature]
        threshold = level_values[start + best.below[split]] / 2 + level_values[start + best.above[split]] / 2
        splits.append((position[split], feature, threshold, n_nodes + 2 * np.arange(len(split))))

        rank = ranks.take(search.rows + np.repeat(best.feature, sizes))
        right = rank > np.repeat(best.below, sizes)
        right_sizes = np.add.reduceat(right, np.cumsum(sizes) - sizes, dtype=np.intp)
        # Left children first, then right ones: so the entries stay in the order of their nodes.
        parts, child_nodes = [], []
        for side, goes in enumerate((~right, right)):
            child_sizes = right_sizes if side else sizes - right_sizes
            child_total = total - best.left_total if side else best.left_total
            child_ones = ones - best.left_ones if side else best.left_ones
            open_ = (best.gain >= 0) & (child_ones > 0) & (child_ones < child_total)
            parts.append(entries.take(np.flatnonzero(goes & np.repeat(open_, sizes))))
            number = np.zeros(len(sizes), dtype=np.intp)
            number[split] = n_nodes + 2 * np.arange(len(split)) + side
            child_nodes.append([array[open_] for array in (number, child_sizes, child_total, child_ones)])
        totals.append(_in_turns(best.left_total[split], (total - best.left_total)[split]))
        all_ones.append(_in_turns(best.left_ones[split], (ones - best.left_ones)[split]))
        n_nodes += 2 * len(split)
        entries = np.concatenate(parts)
        position, sizes, total, ones = map(np.concatenate, zip(*child_nodes, strict=True))

    arrays = np.full(n_nodes, -1), np.zeros(n_nodes), np.zeros(n_nodes, dtype=np.intp)
    for nodes, *level in splits:
        for array, values in zip(arrays, level, strict=True):
            array[nodes] = values
    label = majority(np.concatenate(all_ones), np.concatenate(totals), rng)
    return Trees(counts, *arrays, label, gini)


def _in_turns(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left[0], right[0], left[1], ...: the order in which children are numbered."""
    return np.stack([left, right], axis=1).ravel()


def _draw_features(n_nodes: int, n_features: int, max_features: int, rng: np.random.Generator) -> np.ndarray:
    """Draw distinct features for every node, in random order: (max_features, n_nodes)."""
    drawn = np.empty((max_features, n_nodes), dtype=np.intp)
    for i in range(max_features):
        # One of those left over, which become all features by stepping over each one drawn before.
        feature = rng.integers(n_features - i, size=n_nodes)
        for earlier in np.sort(drawn[:i], axis=0):
            feature += feature >= earlier
        drawn[i] = feature
    return drawn


def majority(ones: np.ndarray, total: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Class with more votes; ties fall at random."""
    return (2 * ones + rng.integers(2, size=ones.shape) > total).astype(np.int8)


def predict_permuted(
    trees: Trees, X: np.ndarray, permuted: np.ndarray, tree: np.ndarray, row: np.ndarray, source: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Votes of trees on rows as they are, and again with each feature replaced in turn.

    Only what a replacement changes is computed: entry i with feature j replaced is a copy that leaves the
    path of entry i at the first split on j that parts the two values. Without a copy, the vote stays.

    Parameters
    ----------
    trees : Trees
    X : ndarray of shape (n_rows, n_features)
    permuted : ndarray of shape (any, n_features)
        The replacing values.
    tree, row, source : ndarray of shape (n_entries,)
        Entry i is row ``X[row[i]]`` in tree ``tree[i]``; its replacing values are ``permuted[source[i]]``.

    Returns
    -------
    votes : ndarray of shape (n_entries,)
    entry, feature, copy_votes : ndarray of shape (n_copies,)
        The copy's entry, the feature replaced, and the vote.
    """
    n_features = X.shape[1]
    left_path = np.zeros(len(row) * n_features, dtype=bool)  # (entry, feature) that has its copy
    X, permuted = X.ravel(), permuted.ravel()
    row, source = row * n_features, source * n_features  # where the row starts in the flat data
    leaf = np.empty(len(row), dtype=np.intp)
    done = []
    entry, node = np.arange(len(row)), tree
    copy = np.empty((3, 0), dtype=np.intp)  # entry, replaced feature, node
    while True:
        feature = trees.feature[node]
        ended, going = np.flatnonzero(feature < 0), np.flatnonzero(feature >= 0)
        leaf[entry[ended]] = node[ended]
        entry, node, feature = entry[going], node[going], feature[going]
        copy_feature = trees.feature[copy[2]]
        ended, going = np.flatnonzero(copy_feature < 0), np.flatnonzero(copy_feature >= 0)
        done.append(copy.take(ended, axis=1))
        if not len(entry) and not len(going):
            break

        copied, replaced, copy_node = copy.take(going, axis=1)
        copy_feature = copy_feature[going]
        value = X[row[copied] + copy_feature]
        again = np.flatnonzero(copy_feature == replaced)
        value[again] = permuted[source[copied[again]] + replaced[again]]
        copy_node = trees.left[copy_node] + (value > trees.threshold[copy_node])

        threshold, child = trees.threshold[node], trees.left[node]
        node = child + (X[row[entry] + feature] > threshold)
        copy_child = child + (permuted[source[entry] + feature] > threshold)
        parted = np.flatnonzero(node != copy_child)
        parted = parted[~left_path[entry[parted] * n_features + feature[parted]]]
        starting = np.stack([entry[parted], feature[parted], copy_child[parted]])
        left_path[starting[0] * n_features + starting[1]] = True
        copy = np.concatenate([[copied, replaced, copy_node], starting], axis=1)
    copied, replaced, copy_node = np.concatenate(done, axis=1)
    return trees.label[leaf], copied, replaced, trees.label[copy_node]


@dataclass(eq=False)
class _Cuts:
    """The best cut of each node of a level; arrays of shape (n_nodes,).

    gain is the decrease of the Gini index, -1 where there is no cut; below and above are the ranks on
    the two sides, left_total and left_ones the weights to the left.
    """

    gain: np.ndarray
    feature: np.ndarray
    below: np.ndarray
    above: np.ndarray
    left_total: np.ndarray
    left_ones: np.ndarray


class _CutSearch:
    """Best cut of every node of a level.

    The entries of a node are put in the order of a feature by sorting integers that hold (node, rank, weight,
    class) from high bits to low, or, where there are fewer (node, rank) than entries, by adding up the
    weights of each. Cumulated weights of the two classes are then those left of every possible cut.
    """

    def __init__(
        self,
        entries: np.ndarray,
        mass_bits: int,
        sizes: np.ndarray,
        total: np.ndarray,
        ones: np.ndarray,
        rank_bits: int,
        rng: np.random.Generator,
    ) -> None:
        n_nodes = len(sizes)
        self.mass_bits, self.rank_bits, self.rng = mass_bits, rank_bits, rng
        self.sizes, self.total, self.ones = sizes, total, ones
        self.rows, mass = entries >> mass_bits, entries & ((1 << mass_bits) - 1)
        self.counting = n_nodes << rank_bits <= len(entries)
        if self.counting:
            self.node = np.repeat(np.arange(n_nodes) << rank_bits, sizes)
            weight, one = np.divmod(np.arange(1 << mass_bits), 2)
            self.weight = (weight + 2.0**COUNT_BITS * weight * one).take(mass)
        else:
            bits = n_nodes.bit_length() + rank_bits + mass_bits
            self.key_type: type[Any] = np.uint32 if bits <= SHORT_KEY else np.uint64
            self.node = np.repeat(
                (np.arange(n_nodes) << (rank_bits + mass_bits)).astype(self.key_type), sizes
            )
            self.node |= mass.astype(self.key_type)
            self.line = _Line(sizes, total, ones)

    def best(self, ranks: np.ndarray, drawn: np.ndarray) -> _Cuts:
        """Best cut over the features drawn; the first drawn of equally good ones."""
        n_nodes = len(self.sizes)
        best = _Cuts(np.full(n_nodes, -1.0), *np.zeros((5, n_nodes), dtype=np.intp))
        for feature in drawn:
            rank = ranks.take(self.rows + np.repeat(feature, self.sizes))
            key, left, left_ones, line = self._counted(rank) if self.counting else self._sorted(rank)
            node, at, gain = line.best_cuts(key, self.rank_bits, left, left_ones, self.rng)
            better = np.flatnonzero(gain > best.gain[node])
            node, at, gain = node[better], at[better], gain[better]
            rank_mask = (1 << self.rank_bits) - 1
            best.gain[node], best.feature[node] = gain, feature[node]
            best.below[node], best.above[node] = key[at] & rank_mask, key[at + 1] & rank_mask
            best.left_total[node], best.left_ones[node] = left[at], left_ones[at]
        return best

    def _sorted(self, rank: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, "_Line"]:
        """(node, rank) of each entry in order, and the weights up to it."""
        key = rank.astype(self.key_type)
        key <<= self.mass_bits
        key |= self.node
        key.sort()
        left = (key & ((1 << self.mass_bits) - 1)).astype(self.line.int_type)
        left_ones = left & 1
        left >>= 1
        left_ones *= left
        key >>= self.mass_bits
        return key, np.cumsum(left, out=left), np.cumsum(left_ones, out=left_ones), self.line

    def _counted(self, rank: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, "_Line"]:
        """The same for each (node, rank) that occurs."""
        cell = rank.astype(np.intp)
        cell += self.node
        sums = np.bincount(cell, self.weight)
        key = np.flatnonzero(sums > 0)
        sums = sums.take(key).astype(np.int64)
        ones, weight = sums >> COUNT_BITS, sums & ((1 << COUNT_BITS) - 1)
        line = _Line(np.bincount(key >> self.rank_bits), self.total, self.ones)
        return key, np.cumsum(weight, dtype=line.int_type), np.cumsum(ones, dtype=line.int_type), line


class _Line:
    """A line of places, node after node, with what is known of its node at each place.

    Parameters
    ----------
    sizes : ndarray of shape (n_nodes,)
        Places of each node.
    total, ones : ndarray of shape (n_nodes,)
        Weight of each node, and of its entries of class 1.
    """

    def __init__(self, sizes: np.ndarray, total: np.ndarray, ones: np.ndarray) -> None:
        small = total.max() < SMALL_NODE and total.sum() < 2**31
        self.int_type: type[Any] = np.int32 if small else np.int64
        self.float_type: type[Any] = np.float32 if small else np.float64
        self.sizes, self.node_total = sizes, total
        self.starts = np.cumsum(sizes) - sizes
        self.ends = self.starts + sizes - 1
        per_node = total, ones, np.cumsum(total) - total, np.cumsum(ones) - ones
        self.total, self.ones, self.before, self.ones_before = (
            np.repeat(values.astype(self.int_type), sizes) for values in per_node
        )

    def best_cuts(
        self,
        key: np.ndarray,
        rank_bits: int,
        left: np.ndarray,
        left_ones: np.ndarray,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Nodes that can be cut, the place before the best cut of each (any of equally good ones), its gain.

        ``left`` and ``left_ones``, weights from the start of the line, become those from the start of the
        node. With n and n1 for the weights of the node, L and L1 for those left of a cut, the gain is
        ``2 (L1 n - L n1)^2 / (L (n - L) n)``. What is in brackets is exact in integers; the rest, in floats
        of the size of those, finds the few places that the exact gains then decide between.
        """
        left -= self.before
        left_ones -= self.ones_before
        excess = left_ones * self.total
        excess -= left * self.ones
        spread = self.total - left
        spread *= left
        spread[self.ends] = 1
        is_cut = np.ones_like(key)
        np.subtract(key[1:], key[:-1], out=is_cut[:-1])
        np.minimum(is_cut, 1, out=is_cut)  # 0 within a tie
        is_cut[self.ends] = 0
        is_cut = is_cut.astype(self.int_type, copy=False)
        gain = (excess * is_cut).astype(self.float_type)
        gain *= gain
        gain /= spread.astype(self.float_type)
        bar = np.maximum.reduceat(gain, self.starts) * self.float_type(1 - 1e-6)
        gain -= np.repeat(bar, self.sizes)
        near = np.flatnonzero(gain >= 0)
        near = near[is_cut[near] > 0]

        node = (key[near] >> rank_bits).astype(np.intp)
        exact = excess[near].astype(float) ** 2 / spread[near]
        starts = np.flatnonzero(np.diff(node, prepend=-1))
        if not len(near):
            return node, near, exact
        largest = np.maximum.reduceat(exact, starts)
        ties = np.flatnonzero(exact == np.repeat(largest, np.diff(starts, append=len(near))))
        node = node[ties]
        starts = np.flatnonzero(np.diff(node, prepend=-1))
        n_ties = np.diff(starts, append=len(ties))
        picked = starts + (rng.random(len(starts)) * n_ties).astype(np.intp)
        node = node[picked]
        return node, near[ties[picked]], largest * 2 / self.node_total[node]
