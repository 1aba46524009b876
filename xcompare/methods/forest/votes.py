"""Votes of a forest on the original rows, and with one feature replaced."""

import numpy as np

from xcompare.core.compilation import compiled
from xcompare.methods.forest.growing import Trees
from xcompare.methods.forest.subsets import goes_right

# Rows x features routed through trees at once: small enough for the cache.
ROUTE_AT_ONCE = 1 << 18


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
        nodes = trees.feature, trees.threshold, trees.left, trees.nominal, trees.label
        return _votes(*nodes, X, permuted, tree, row, source)
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
def _votes(feature, threshold, left, nominal, label, X, permuted, tree, row, source):
    """The same, one entry at a time."""

    def step(node, value):
        """Child of a node that `goes_right` sends a value to."""
        limit = threshold[node]
        if nominal[feature[node]]:
            return left[node] + (np.int64(limit) >> np.int64(value) & 1 == 0)
        return left[node] + (value > limit)

    votes = np.empty(row.size, label.dtype)
    n, most = 0, row.size * X.shape[1]
    entry, replaced = np.empty(most, np.intp), np.empty(most, np.intp)
    copied = np.full(X.shape[1], -1)  # last entry with a copy that has this feature replaced
    starts, features = np.empty(X.shape[1], np.intp), np.empty(X.shape[1], np.intp)  # of copies
    for i in range(row.size):
        x, other = X[row[i]], permuted[source[i]]
        node, n_copies = tree[i], 0
        while feature[node] >= 0:
            j = feature[node]
            child, other_child = step(node, x[j]), step(node, other[j])
            if child != other_child and copied[j] != i:
                copied[j] = i
                starts[n_copies], features[n_copies] = other_child, j
                n_copies += 1
            node = child
        votes[i] = label[node]
        for a in range(n_copies):
            node, j = starts[a], features[a]
            while feature[node] >= 0:
                k = feature[node]
                node = step(node, other[k] if k == j else x[k])
            if label[node] != votes[i]:
                entry[n], replaced[n] = i, j
                n += 1
    return votes, entry[:n], replaced[:n]
