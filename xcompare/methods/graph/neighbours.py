"""Sums over the edges of a neighbourhood graph, without ever storing an n x n matrix.

Whether two points are joined depends on their floating-point distance, summed over the features in order as
in R's ``dist``, so that ties are the same in both languages.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from xcompare.core.blocks import slices

BLOCK_ROWS, BLOCK_COLUMNS = 64, 2048  # wide, as blocks on the diagonal have every pair twice
TREE_FEATURES = 15  # above this number, brute force is faster than a k-d tree


def over_edges(
    X: np.ndarray, values: np.ndarray, t: float, reach: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Sums over the edges of a graph: quadratic forms of values at the points, and degrees.

    ``X`` of shape (n_samples, n_features). ``values`` of shape (n_samples, n_values): centred near 0, to
    limit cancellation. ``t``: the weight of an edge is ``exp(-d^2 / t)``. ``reach`` of shape (n_samples,) or
    None: i and j are joined if ``d(i, j) <= max(reach[i], reach[j])``; None joins all points. Returns
    ``products`` of shape (n_values,): ``f'Sf`` for each column f of values, with S the weights; every edge
    counts in both directions; ``degree`` of shape (n_samples,): sum of the weights at each point.
    """
    n = len(X)
    ones = np.ones(n)
    with_ones = np.column_stack([values, ones])
    products, degree = np.zeros(values.shape[1]), np.zeros(n)
    for here in slices(n, BLOCK_ROWS):
        for there in slices(n, BLOCK_COLUMNS, here.start):
            squares = cdist(X[here], X[there], "sqeuclidean")
            weights = np.exp(squares / -t)
            if reach is not None:
                weights *= np.sqrt(squares) <= np.maximum.outer(reach[here], reach[there])
            if here.start == there.start:  # this block has the pairs in both directions
                both = weights[:, : here.stop - here.start]
                both *= 0.5
                np.fill_diagonal(both, 0)  # no self-edges
            sums = weights @ with_ones[there]
            products += 2 * np.einsum("ij,ij->j", values[here], sums[:, :-1])
            degree[here] += sums[:, -1]
            degree[there] += ones[here] @ weights
    return products, degree


def kth_distances(X: np.ndarray, k: int) -> np.ndarray:
    """Distance of each point to its k-th nearest other point: (n_samples,)."""
    blocks = (X[here] for here in slices(len(X), max(16, BLOCK_ROWS * BLOCK_COLUMNS // len(X))))
    return np.concatenate([np.partition(cdist(block, X), k, axis=1)[:, k] for block in blocks])


def knn_weights(X: np.ndarray, k: int, t: float) -> csr_array:
    """Sparse symmetric weights of the k-nearest-neighbour graph, ties with the k-th included.

    Searches a few neighbours more than k, and twice as many if the last one found is tied with the k-th, as
    more ties could follow.
    """
    n = len(X)
    f = X - X.mean(axis=0)
    search = _search(f)
    # Rounding error of squared distances in the search, which may use matrix products.
    rounding = 1e-12 * np.einsum("ij,ij->i", f, f).max()
    rows, sources, targets, squares = np.arange(n), [], [], []
    m = k + 8
    while len(rows):
        m = min(m, n)
        found = search(f[rows], m)
        # Summed in the order of R's dist(), so that ties are the same in both languages.
        square = np.zeros(found.shape)
        for column in X.T:
            square += (column[rows, None] - column[found]) ** 2
        distance = np.sqrt(square)
        kth = np.partition(distance, k, axis=1)[:, k]
        complete = (square.max(axis=1) > kth**2 * (1 + 1e-9) + rounding) | (m == n)
        at, position = np.nonzero((distance <= kth[:, None]) & complete[:, None])
        sources.append(rows[at])
        targets.append(found[at, position])
        squares.append(square[at, position])
        rows, m = rows[~complete], 2 * m
    source, target = np.concatenate(sources), np.concatenate(targets)
    other = source != target
    weight = np.exp(np.concatenate(squares)[other] / -t)
    directed = csr_array((weight, (source[other], target[other])), shape=(n, n))
    return directed.maximum(directed.T)


def _search(points: np.ndarray) -> Callable[[np.ndarray, int], np.ndarray]:
    """A function that finds the m nearest points to each query point."""
    if points.shape[1] <= TREE_FEATURES:
        tree = cKDTree(points, balanced_tree=False)  # balancing is slow with repeated points
        return lambda others, m: tree.query(others, m)[1].reshape(len(others), m)
    neighbours = NearestNeighbors(algorithm="brute").fit(points)
    return lambda others, m: neighbours.kneighbors(others, m, return_distance=False)
