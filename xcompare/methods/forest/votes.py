"""Votes of a forest on rows as they are, and with one feature replaced."""

import numpy as np

from xcompare.core.compilation import compiled
from xcompare.methods.forest.growing import Trees

# Rows x features that find their way through trees at once: small enough for the cache.
ROUTE_AT_ONCE = 1 << 18
TOGETHER = 256  # entries that take their steps in turns, in machine code
HALF, LOW = np.uint64(32), np.uint64(2**32 - 1)  # of a word


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
    """Votes of trees on rows as they are, and which become the other vote with a feature replaced.

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
    by_loops : bool, default=False
        In machine code, which needs numba; the votes are the same, and others come in another order.

    Returns
    -------
    votes : ndarray of shape (n_entries,)
        0 or 1.
    entry, feature : ndarray of shape (n_others,)
        Whose vote becomes the other one, and the feature that it does with: few do.
    """
    if by_loops:
        # One word a split: left child, feature. That of a leaf is 0: node 0 is a root, and no child.
        split = np.where(trees.feature < 0, 0, trees.left << 32 | trees.feature).astype(np.uint64)
        return _votes(split, trees.threshold, trees.label, X, permuted, tree, row, source)
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
    votes = trees.label[leaf]
    others = np.flatnonzero(trees.label[copy_node] != votes[copied])
    return votes, copied[others], replaced[others]


@compiled
def _votes(split, threshold, label, X, permuted, tree, row, source):
    """Votes of some entries at a time: step after step of all on their paths, then of all their copies.

    A step waits for the one before it, not for those of other paths: the processor takes several at once.
    What is written to a place counts if the count of places moves on then: a branch there would be a coin
    that no processor can guess.
    """
    n_features = X.shape[1]
    X, permuted = X.ravel(), permuted.ravel()
    votes = np.empty(row.size, label.dtype)
    n, most = 0, row.size * n_features + 1
    entry, replaced = np.empty(most, np.intp), np.empty(most, np.intp)
    at_once = min(TOGETHER, row.size)
    x, other_x = np.empty(at_once, np.uint64), np.empty(at_once, np.uint64)  # where rows start
    leaf, copied = np.empty(at_once, np.uint32), np.zeros((at_once, n_features), np.uint8)
    # Those on their way: which entry, and the node it is at; of copies, the feature too.
    going, node = np.empty(at_once, np.uint32), np.empty(at_once, np.uint32)
    most = at_once * n_features + 1
    copy, copy_node, feature = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    for start in range(0, row.size, TOGETHER):
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
                child = left + np.uint64(X[x[one] + j] > limit)
                other = left + np.uint64(permuted[other_x[one] + j] > limit)
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
                copy_node[n_on] = (split[at] >> HALF) + np.uint64(value > threshold[at])
                n_on += 1
            n_copies = n_on
    return votes, entry[:n], replaced[:n]
