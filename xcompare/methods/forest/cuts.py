"""The best cut of every open node of a level, on the features drawn for each node.

In numpy, one sort orders the entries of all nodes. Compiled loops process one node at a time without sorting:
they mark the ranks that occur and read them in order. Both find identical cuts, ties and gains.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from xcompare.core.compilation import compiled
from xcompare.methods.forest.subsets import subset_cuts

SHORT_KEY = 32  # bits: integers of this size sort twice as fast
SMALL_NODE = 46_340  # up to this weight, products of two weights fit in 32 bits

# De Bruijn constant: the highest six bits of its product with a power of two identify the power.
LOWEST_BIT = np.uint64(0x03F79D71B4CB0A89)
BIT_NUMBER = np.zeros(64, dtype=np.intp)
BIT_NUMBER[[(int(LOWEST_BIT) << bit & (1 << 64) - 1) >> 58 for bit in range(64)]] = np.arange(64)


class Ranks:
    """Data of shape (n_rows, n_features) as dense ranks within each feature, or codes of a nominal one.

    Attributes
    ----------
    flat : ndarray of uint32 of shape (n_features * n_rows,)
        Feature after feature; with nominal ones, then a constant in their place where ranks are cut.
    nominal : ndarray of bool of shape (n_features,)
    n_rows, n_features, n_levels, most_levels : int
        n_levels is the largest number of ranks of a feature, most_levels of levels of a nominal one.
    """

    def __init__(self, X: np.ndarray, nominal: np.ndarray | None = None) -> None:
        self.n_rows, self.n_features = X.shape
        self.nominal = np.zeros(self.n_features, dtype=bool) if nominal is None else nominal
        self.most_levels = int(X[:, self.nominal].max(initial=0)) + 1
        columns = [np.unique(column, return_inverse=True) for column in X.T]
        for j in np.flatnonzero(self.nominal):
            columns[j] = np.arange(self.most_levels), X[:, j]
        ranks = [rank for _, rank in columns] + [np.zeros(self.n_rows)] * int(self.nominal.any())
        self.flat = np.concatenate(ranks).astype(np.uint32)
        sizes = [len(levels) for levels, _ in columns]
        self.n_levels = max(sizes)
        self._levels = np.concatenate([levels for levels, _ in columns])
        self._start = np.cumsum([0, *sizes[:-1]])

    def limits(self, feature: np.ndarray, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        """Halfway between the values of two ranks; of nominal features the subset."""
        found, at = below.astype(float), np.flatnonzero(~self.nominal[feature])
        start = self._start[feature[at]]
        found[at] = self._levels[start + below[at]] / 2 + self._levels[start + above[at]] / 2
        return found


@dataclass(frozen=True, eq=False)
class Level:
    """The open nodes of all trees at one depth."""

    # (n_entries,): by node; an entry has its row in the high bits, then its weight and its class
    entries: np.ndarray
    mass_bits: int  # bits of weight and class
    # sizes, total, ones: (n_nodes,): number of entries of each node, their weight, and the weight of class 1
    sizes: np.ndarray
    total: np.ndarray
    ones: np.ndarray


@dataclass(eq=False)
class Cuts:
    """The best cut of each node of a level; arrays of shape (n_nodes,).

    gain is the decrease in Gini impurity, -1 if there is no cut; below and above are the ranks on the two
    sides, or both the subset of levels to the left; left_total and left_ones are the weights to the left.
    """

    gain: np.ndarray
    feature: np.ndarray
    below: np.ndarray
    above: np.ndarray
    left_total: np.ndarray
    left_ones: np.ndarray


@dataclass(frozen=True, eq=False)
class TiedCuts:
    """All tied best cuts of each node on one feature."""

    # node, n_ties, gain: (n_cut,): nodes that can be cut, their number of best cuts, and the gain: with n and
    # n1 the weights of the node, and L and L1 those left of the cut, ``(L1 n - L n1)^2 / (L (n - L))``
    node: np.ndarray
    n_ties: np.ndarray
    gain: np.ndarray
    # below, above, left_total, left_ones: (n_ties.sum(),): cuts by node and rank
    below: np.ndarray
    above: np.ndarray
    left_total: np.ndarray
    left_ones: np.ndarray


def best_cuts(search: "CompiledSearch | SortedSearch", drawn: np.ndarray, rng: np.random.Generator) -> Cuts:
    """Best cut over the features drawn, of shape (max_features, n_nodes).

    Ties on a feature are broken at random; ties between features go to the first drawn.
    """
    level, ranks = search.level, search.ranks
    best = Cuts(np.full(len(level.total), -1.0), *np.zeros((5, len(level.total)), dtype=np.intp))
    for feature in drawn:
        nominal = ranks.nominal[feature]
        found = [search.tied(np.where(nominal, ranks.n_features, feature))]
        if nominal.any():
            found.append(TiedCuts(*subset_cuts(level, ranks, feature, np.flatnonzero(nominal))))
        for tied in found:
            first = np.cumsum(tied.n_ties) - tied.n_ties
            picked = first + (rng.random(len(first)) * tied.n_ties).astype(np.intp)
            gain = tied.gain * 2 / level.total[tied.node]
            better = np.flatnonzero(gain > best.gain[tied.node])
            node, picked = tied.node[better], picked[better]
            best.gain[node], best.feature[node] = gain[better], feature[node]
            best.below[node], best.above[node] = tied.below[picked], tied.above[picked]
            best.left_total[node], best.left_ones[node] = tied.left_total[picked], tied.left_ones[picked]
    return best


class CompiledSearch:
    """The search in compiled loops."""

    def __init__(self, level: Level, ranks: Ranks) -> None:
        self.level, self.ranks = level, ranks

    def tied(self, feature: np.ndarray) -> TiedCuts:
        """Best cuts of every node on the feature drawn for it."""
        level, ranks = self.level, self.ranks
        n_ties, gain, *cuts = _tied_cuts(
            level.entries, level.mass_bits, level.sizes, level.total, level.ones,
            ranks.flat, feature * ranks.n_rows, ranks.n_levels,
        )  # fmt: skip
        node = np.flatnonzero(n_ties)
        return TiedCuts(node, n_ties[node], gain[node], *cuts)


@compiled
def _tied_cuts(entries, mass_bits, sizes, total, ones, ranks, column, n_levels):
    """Best cuts, one node at a time.

    A two-level bitmap marks the ranks that occur: one bit per rank, and one bit per nonzero word. Reading
    from the lowest bit to the highest gives the ranks in order.
    """
    unit = np.uint64(1)
    weight = np.zeros(
        n_levels, np.int64
    )  # weights by rank: class 1 in the high bits, both classes in the low bits
    words = np.zeros((n_levels >> 6) + 1, np.uint64)
    blocks = np.zeros((n_levels >> 12) + 1, np.uint64)
    n_ties, gains = np.zeros(sizes.size, np.intp), np.empty(sizes.size)
    below, above = np.empty(entries.size, np.intp), np.empty(entries.size, np.intp)
    left_total, left_ones = np.empty(entries.size, np.intp), np.empty(entries.size, np.intp)
    n, end = 0, 0
    for node in range(sizes.size):
        start, end, from_ = end, end + sizes[node], column[node]
        for i in range(start, end):
            mass = entries[i] & ((1 << mass_bits) - 1)
            rank = np.intp(ranks[from_ + (entries[i] >> mass_bits)])
            weight[rank] += (mass >> 1) + (((mass & 1) * (mass >> 1)) << 32)
            words[rank >> 6] |= unit << np.uint64(rank & 63)
            blocks[rank >> 12] |= unit << np.uint64((rank >> 6) & 63)
        all_, all_ones, left, left_one = total[node], ones[node], 0, 0
        first, largest, last = n, -1.0, -1
        for b in range(blocks.size):
            block = blocks[b]
            blocks[b] = 0
            while block:
                at = (b << 6) | BIT_NUMBER[((block & (~block + unit)) * LOWEST_BIT) >> np.uint64(58)]
                block &= block - unit
                word = words[at]
                words[at] = 0
                while word:
                    rank = (at << 6) | BIT_NUMBER[((word & (~word + unit)) * LOWEST_BIT) >> np.uint64(58)]
                    word &= word - unit
                    if last >= 0:
                        excess = float(left_one * all_ - left * all_ones)
                        gain = excess * excess / (left * (all_ - left))
                        if gain >= largest:
                            if gain > largest:
                                largest, n = gain, first
                            below[n], above[n], left_total[n], left_ones[n] = last, rank, left, left_one
                            n += 1
                    left += weight[rank] & ((1 << 32) - 1)
                    left_one += weight[rank] >> 32
                    weight[rank] = 0
                    last = rank
        n_ties[node], gains[node] = n - first, largest
    return n_ties, gains, below[:n], above[:n], left_total[:n], left_ones[:n]


class SortedSearch:
    """The search in numpy.

    The entries of a node are ordered by a feature by sorting integers that encode (node, rank, weight,
    class) from high bits to low. The cumulative weights of the two classes are those left of every possible
    cut.
    """

    def __init__(self, level: Level, ranks: Ranks) -> None:
        self.level, self.ranks = level, ranks
        sizes, total, mass_bits = level.sizes, level.total, level.mass_bits
        self._rank_bits = (ranks.n_levels - 1).bit_length()
        bits = len(sizes).bit_length() + self._rank_bits + mass_bits
        self._key_type: type[Any] = np.uint32 if bits <= SHORT_KEY else np.uint64
        self._rows, mass = level.entries >> mass_bits, level.entries & ((1 << mass_bits) - 1)
        node = (np.arange(len(sizes)) << (self._rank_bits + mass_bits)).astype(self._key_type)
        self._node = np.repeat(node, sizes) | mass.astype(self._key_type)
        small = total.max() < SMALL_NODE and total.sum() < 2**31
        self._int_type: type[Any] = np.int32 if small else np.int64
        self._float_type: type[Any] = np.float32 if small else np.float64
        self._starts = np.cumsum(sizes) - sizes
        self._ends = self._starts + sizes - 1
        per_node = total, level.ones, np.cumsum(total) - total, np.cumsum(level.ones) - level.ones
        self._total, self._ones, self._before, self._ones_before = (
            np.repeat(values.astype(self._int_type), sizes) for values in per_node
        )

    def tied(self, feature: np.ndarray) -> TiedCuts:
        """Best cuts of every node on the feature drawn for it."""
        rank = self.ranks.flat.take(self._rows + np.repeat(feature * self.ranks.n_rows, self.level.sizes))
        key, left, left_ones = self._sorted(rank)
        node, at, gain = self._best(key, left, left_ones)
        starts = np.flatnonzero(np.diff(node, prepend=-1))
        rank_mask = (1 << self._rank_bits) - 1
        below, above = key[at] & rank_mask, key[at + 1] & rank_mask
        n_ties = np.diff(starts, append=len(node))
        return TiedCuts(node[starts], n_ties, gain[starts], below, above, left[at], left_ones[at])

    def _sorted(self, rank: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(node, rank) of each entry in order, and the cumulative weights within its node."""
        mass_bits = self.level.mass_bits
        key = rank.astype(self._key_type)
        key <<= mass_bits
        key |= self._node
        key.sort()
        left = (key & ((1 << mass_bits) - 1)).astype(self._int_type)
        left_ones = left & 1
        left >>= 1
        left_ones *= left
        key >>= mass_bits
        for weights, before in ((left, self._before), (left_ones, self._ones_before)):
            np.cumsum(weights, out=weights)
            weights -= before
        return key, left, left_ones

    def _best(
        self, key: np.ndarray, left: np.ndarray, left_ones: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Best cuts: node, position before the cut, and gain.

        The gain is a fraction of exact integers; floating point finds the few candidates that the exact gains
        then decide between.
        """
        excess = left_ones * self._total
        excess -= left * self._ones
        spread = self._total - left
        spread *= left
        spread[self._ends] = 1
        is_cut = np.ones_like(key)
        np.subtract(key[1:], key[:-1], out=is_cut[:-1])
        np.minimum(is_cut, 1, out=is_cut)  # 0 within a tie
        is_cut[self._ends] = 0
        is_cut = is_cut.astype(self._int_type, copy=False)
        gain = (excess * is_cut).astype(self._float_type)
        gain *= gain
        gain /= spread.astype(self._float_type)
        bar = np.maximum.reduceat(gain, self._starts) * self._float_type(1 - 1e-6)
        gain -= np.repeat(bar, self.level.sizes)
        near = np.flatnonzero(gain >= 0)
        near = near[is_cut[near] > 0]

        node = (key[near] >> self._rank_bits).astype(np.intp)
        exact = excess[near].astype(float) ** 2 / spread[near]
        if not len(near):
            return node, near, exact
        starts = np.flatnonzero(np.diff(node, prepend=-1))
        largest = np.maximum.reduceat(exact, starts)
        best = np.flatnonzero(exact == np.repeat(largest, np.diff(starts, append=len(near))))
        return node[best], near[best], exact[best]
