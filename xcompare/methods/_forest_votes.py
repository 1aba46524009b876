"""Votes of a forest on rows as they are, and with one feature replaced."""

import numpy as np

from xcompare.compiled import compiled
from xcompare.methods._forest import Trees

ROUTE_AT_ONCE = (
    1 << 18
)  # rows x features that find their way through trees at once: small enough for the cache


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
        feature, left = (values.astype(np.uint32) for values in (trees.feature, trees.left))
        return _votes(feature, trees.threshold, left, trees.label, X, permuted, tree, row, source)
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
def _votes(feature, threshold, left, label, X, permuted, tree, row, source):
    """Votes, entry after entry: first its path, and where copies leave it, then the ways of the copies.

    Root 0 is no child: a node whose left child would be 0 is a leaf. A place is written whether or not a copy
    starts there, and counts if it does: a branch there would be a coin that no processor can guess. The same
    goes for copies that have the other vote.
    """
    n_features = X.shape[1]
    votes = np.empty(row.size, label.dtype)
    entry = np.empty(row.size * n_features + 1, np.intp)
    replaced = np.empty(row.size * n_features + 1, np.intp)
    starts, features = np.empty(n_features + 1, np.uint64), np.empty(n_features + 1, np.uint64)  # of copies
    copied = np.full(n_features, -1, np.intp)  # the last entry that has its copy
    n = 0
    for i in range(row.size):
        x, other_x, node, n_copies = X[row[i]], permuted[source[i]], np.uint64(tree[i]), 0
        while left[node]:
            j = feature[node]
            child = left[node] + np.uint64(x[j] > threshold[node])
            other = left[node] + np.uint64(other_x[j] > threshold[node])
            starts[n_copies], features[n_copies] = other, j
            leaves = (other != child) & (copied[j] != i)
            copied[j] = i if leaves else copied[j]
            n_copies += leaves
            node = child
        votes[i] = label[node]
        for copy in range(n_copies):
            node, j = starts[copy], features[copy]
            while left[node]:
                k = feature[node]
                value = other_x[k] if k == j else x[k]
                node = left[node] + np.uint64(value > threshold[node])
            entry[n], replaced[n] = i, j
            n += label[node] != votes[i]
    return votes, entry[:n], replaced[:n]
