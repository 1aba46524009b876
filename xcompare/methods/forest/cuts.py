"""The best cut of every open node of a level, on the features drawn for each node.

In numpy, one sort orders the entries of all nodes. Compiled loops process one node at a time without sorting:
they mark the ranks that occur and read them in order. Both find identical cuts, ties and gains.
"""

from dataclasses import dataclass

import numpy as np

from xcompare.core.compilation import compiled
from xcompare.methods.forest.subsets import subset_cuts

SHORT_KEY = 32  # bits: integers of this size sort twice as fast

# De Bruijn constant: the highest six bits of its product with a power of two identify the power.
LOWEST_BIT = np.uint64(0x03F79D71B4CB0A89)
BIT_NUMBER = np.zeros(64, dtype=np.intp)
BIT_NUMBER[[(int(LOWEST_BIT) << bit & (1 << 64) - 1) >> 58 for bit in range(64)]] = np.arange(64)


class FeatureRanks:
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


def best_cuts(
    level: Level, ranks: FeatureRanks, drawn: np.ndarray, rng: np.random.Generator, by_loops: bool = False
) -> Cuts:
    """Best cut over the features drawn, of shape (max_features, n_nodes).

    Ties on a feature are broken at random; ties between features go to the first drawn.
    """
    search = compiled_cuts if by_loops else sorted_cuts
    best = Cuts(np.full(len(level.total), -1.0), *np.zeros((5, len(level.total)), dtype=np.intp))
    for feature in drawn:
        nominal = ranks.nominal[feature]
        column = np.where(nominal, ranks.n_features, feature) * ranks.n_rows
        nodes = level.entries, level.mass_bits, level.sizes, level.total, level.ones
        n_ties, gain, *cuts = search(*nodes, ranks.flat, column, ranks.n_levels)
        node = np.flatnonzero(n_ties)
        found = [(node, n_ties[node], gain[node], *cuts)]
        if nominal.any():
            found.append(subset_cuts(level, ranks, feature, np.flatnonzero(nominal)))
        for node, n_ties, gain, below, above, left_total, left_ones in found:
            picked = np.cumsum(n_ties) - n_ties + (rng.random(len(node)) * n_ties).astype(np.intp)
            gain = gain * 2 / level.total[node]
            better = np.flatnonzero(gain > best.gain[node])
            node, picked = node[better], picked[better]
            best.gain[node], best.feature[node] = gain[better], feature[node]
            best.below[node], best.above[node] = below[picked], above[picked]
            best.left_total[node], best.left_ones[node] = left_total[picked], left_ones[picked]
    return best


@compiled
def compiled_cuts(entries, mass_bits, sizes, total, ones, ranks, column, n_levels):
    """All tied best cuts of every node on the feature drawn for it, one node at a time.

    Returns the number of best cuts of each node, and their gain: with n and n1 the weights of the node, and L
    and L1 those left of the cut, ``(L1 n - L n1)^2 / (L (n - L))``; then the ranks below and above each cut,
    L and L1, by node and rank.

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


def sorted_cuts(entries, mass_bits, sizes, total, ones, ranks, column, n_levels):
    """The same in numpy: sort the entries by node and rank, and evaluate every cut."""
    rank_bits, mass_mask = n_levels.bit_length(), (1 << mass_bits) - 1
    short = sizes.size.bit_length() + rank_bits + mass_bits <= SHORT_KEY
    kind = np.uint32 if short else np.uint64
    node = (np.arange(sizes.size) << (rank_bits + mass_bits)).astype(kind)
    rank = ranks.take((entries >> mass_bits) + np.repeat(column, sizes)).astype(kind)
    key = np.repeat(node, sizes) | rank << mass_bits | (entries & mass_mask).astype(kind)
    key.sort()
    mass = (key & mass_mask).astype(np.int64)
    left, left_ones = np.cumsum(mass >> 1), np.cumsum((mass >> 1) * (mass & 1))
    key >>= mass_bits
    # Every rank but the last of a node ends the left side of a cut.
    last = key[1:] != key[:-1]
    last[(np.cumsum(sizes) - 1)[:-1]] = False
    at = np.flatnonzero(last)
    node = (key[at] >> rank_bits).astype(np.intp)
    left, left_ones = (
        left[at] - (np.cumsum(total) - total)[node],
        left_ones[at] - (np.cumsum(ones) - ones)[node],
    )
    excess = (left_ones * total[node] - left * ones[node]).astype(float)
    gain = excess * excess / (left * (total[node] - left))
    n_cuts = np.bincount(node, minlength=sizes.size)
    cut = np.flatnonzero(n_cuts)
    largest = np.full(sizes.size, -1.0)
    if cut.size:
        largest[cut] = np.maximum.reduceat(gain, (np.cumsum(n_cuts) - n_cuts)[cut])
    best = np.flatnonzero(gain == largest[node])
    n_ties, at = np.bincount(node[best], minlength=sizes.size), at[best]
    rank_mask = (1 << rank_bits) - 1
    return n_ties, largest, key[at] & rank_mask, key[at + 1] & rank_mask, left[best], left_ones[best]
