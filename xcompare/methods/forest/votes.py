"""Votes of a forest on the original rows, and with one feature replaced."""

import numpy as np

from xcompare.core.compilation import compiled
from xcompare.methods.forest.growing import Trees
from xcompare.methods.forest.subsets import goes_right

# Rows x features routed through trees at once: small enough for the cache.
ROUTE_AT_ONCE = 1 << 18
INTERLEAVED = 256  # entries routed in turns by a compiled loop
HALF, LOW = np.uint64(32), np.uint64(2**32 - 1)  # of a 64-bit word


def predict_permuted(
    trees: Trees,
    X: np.ndarray,
    permuted: np.ndarray,
    tree: np.ndarray,
    row: np.ndarray,
    source: np.ndarray,
    *,
    by_loops: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Votes of trees on the original rows, and which of them change with a feature replaced.

    Only changes are computed: a copy of entry i with feature j replaced leaves the path of entry i at
    the first split on j that separates the two values. Without such a split, the vote is unchanged.

    ``X`` of shape (n_rows, n_features). ``permuted`` of shape (any, n_features): replacement values.
    ``tree``, ``row``, ``source`` of shape (n_entries,): entry i is row ``X[row[i]]`` in tree ``tree[i]``; its
    replacement values are ``permuted[source[i]]``. ``by_loops``: whether to use compiled loops, which need
    numba; the votes are the same, changes in another order. Returns ``votes`` of shape (n_entries,): 0 or 1;
    ``entry``, ``feature`` of shape (n_others,): entries whose vote changes, and the replaced feature; few do.
    """
    if by_loops:
        # One word per split: left child, feature. 0 for a leaf, as node 0 is a root and never a child.
        split = np.where(trees.feature < 0, 0, trees.left << 32 | trees.feature).astype(np.uint64)
        return _votes(split, trees.threshold, trees.nominal, trees.label, X, permuted, tree, row, source)
    n_features = X.shape[1]
    left_path = np.zeros(len(row) * n_features, dtype=bool)  # whether (entry, feature) has a copy
    X, permuted = X.ravel(), permuted.ravel()
    row, source = row * n_features, source * n_features  # offsets in the flat data
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
        right = goes_right(value, trees.threshold[copy_node], trees.nominal[copy_feature])
        copy_node = trees.left[copy_node] + right

        threshold, child, nominal = trees.threshold[node], trees.left[node], trees.nominal[feature]
        node = child + goes_right(X[row[entry] + feature], threshold, nominal)
        copy_child = child + goes_right(permuted[source[entry] + feature], threshold, nominal)
        parted = np.flatnonzero(node != copy_child)
        parted = parted[~left_path[entry[parted] * n_features + feature[parted]]]
        starting = np.stack([entry[parted], feature[parted], copy_child[parted]])
        left_path[starting[0] * n_features + starting[1]] = True
        copy = np.concatenate([[copied, replaced, copy_node], starting], axis=1)
    copied, replaced, copy_node = np.concatenate(done, axis=1)
    votes = trees.label[leaf]
    others = np.flatnonzero(trees.label[copy_node] != votes[copied])
    return votes, copied[others], replaced[others]


@compiled
def _votes(split, threshold, nominal, label, X, permuted, tree, row, source):
    """Votes of a batch of entries: all entries advance one step in turn, then all their copies.

    Steps of different paths are independent, so the processor runs several at once. Writes are
    branch-free (kept if the counter advances), as the branches would be unpredictable.
    """

    def is_right(value, limit, nominal):
        """`goes_right` of one value."""
        return np.int64(limit) >> np.int64(value) & 1 == 0 if nominal else value > limit

    n_features = X.shape[1]
    X, permuted = X.ravel(), permuted.ravel()
    votes = np.empty(row.size, label.dtype)
    n, most = 0, row.size * n_features + 1
    entry, replaced = np.empty(most, np.intp), np.empty(most, np.intp)
    at_once = min(INTERLEAVED, row.size)
    x, other_x = np.empty(at_once, np.uint64), np.empty(at_once, np.uint64)  # offsets of the rows
    leaf, copied = np.empty(at_once, np.uint32), np.zeros((at_once, n_features), np.uint8)
    # Entries and copies under way: entry, node and, for copies, feature.
    going, node = np.empty(at_once, np.uint32), np.empty(at_once, np.uint32)
    most = at_once * n_features + 1
    copy, copy_node, feature = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    for start in range(0, row.size, INTERLEAVED):
        n_entries, n_going, n_copies = min(at_once, row.size - start), 0, 0
        for i in range(n_entries):
            x[i], other_x[i] = row[start + i] * n_features, source[start + i] * n_features
            leaf[i] = tree[start + i]
            going[n_going], node[n_going] = i, leaf[i]
            n_going += split[leaf[i]] != 0
        while n_going:
            n_on = 0
            for a in range(n_going):
                one, at = np.uint64(going[a]), np.uint64(node[a])
                j, left, limit = split[at] & LOW, split[at] >> HALF, threshold[at]
                child = left + np.uint64(is_right(X[x[one] + j], limit, nominal[j]))
                other = left + np.uint64(is_right(permuted[other_x[one] + j], limit, nominal[j]))
                copy[n_copies], copy_node[n_copies], feature[n_copies] = one, other, j
                parts = np.uint8(other != child)
                n_copies += parts & ~copied[one, j]
                copied[one, j] |= parts
                leaf[one] = child
                going[n_on], node[n_on] = one, child
                n_on += split[child] != 0
            n_going = n_on
        for i in range(n_entries):
            votes[start + i] = label[leaf[i]]
        for a in range(n_copies):
            copied[copy[a], feature[a]] = 0
        while n_copies:
            n_on = 0
            for a in range(n_copies):
                one, at, j = np.uint64(copy[a]), np.uint64(copy_node[a]), np.uint64(feature[a])
                if not split[at]:
                    entry[n], replaced[n] = start + one, j
                    n += label[at] != votes[start + one]
                    continue
                k = split[at] & LOW
                value = permuted[other_x[one] + k] if k == j else X[x[one] + k]
                copy[n_on], feature[n_on] = one, j
                right = is_right(value, threshold[at], nominal[k])
                copy_node[n_on] = (split[at] >> HALF) + np.uint64(right)
                n_on += 1
            n_copies = n_on
    return votes, entry[:n], replaced[:n]
