"""Sums over the edges of a neighbourhood graph, without ever storing an n x n matrix.

Whether two points are joined depends on their floating-point distance, summed over the features in order as
in R's ``dist``, so that ties are the same in both languages. Most pairs are far from any tie and decided by a
matrix product; only near-ties are computed in that order.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

BLOCK_ROWS, BLOCK_COLUMNS = 64, 2048  # wide, as blocks on the diagonal have every pair twice
NARROW_KERNEL = 4e5  # largest d^2 / t: above it a product loses more than 10 digits of a small one
EPSILON = float(np.finfo(float).eps)
TREE_FEATURES = 15  # above this number, brute force is faster than a k-d tree


class Exponents:
    """``-d^2 / t`` for pairs of points by a matrix product, with bounds on its rounding error.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    t : float, default=1.0

    Attributes
    ----------
    rounding : float
        Bound on the error of an exponent.
    lowest : float
        Lower bound of the exponents, up to rounding.
    """

    def __init__(self, X: np.ndarray, t: float = 1.0) -> None:
        n_samples, n_features = X.shape
        self._X = X
        f = X - X.mean(axis=0)  # a large mean would lose precision
        norms, ones = np.einsum("ij,ij->i", f, f) / t, np.ones(n_samples)
        self._left = np.column_stack([f * (2 / t), -norms, ones])
        self._right = np.column_stack([f, ones, -norms])
        self.rounding = 16 * (n_features + 4) * EPSILON * norms.max()
        self.lowest = -4 * norms.max()

    def __call__(self, rows: slice, columns: slice) -> np.ndarray:
        """The exponents of a block of pairs."""
        return self._left[rows] @ self._right[columns].T

    def distances(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Distances of single pairs, summed over the features in order."""
        squares = np.zeros(i.shape)
        for column in self._X.T:
            squares += (column[i] - column[j]) ** 2
        return np.sqrt(squares)


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
    exponents = Exponents(X, t)
    narrow = exponents.lowest < -NARROW_KERNEL
    if reach is not None:
        with np.errstate(over="ignore"):  # a reach whose square is infinite joins all
            reach_of_exponents = reach**2 / t
    ones = np.ones(n)
    with_ones = np.column_stack([values, ones])
    products, degree = np.zeros(values.shape[1]), np.zeros(n)
    for here in _slices(0, n, BLOCK_ROWS):
        for there in _slices(here.start, n, BLOCK_COLUMNS):
            if narrow:
                weights = _weights_of_exact_distances(X, here, there, t, reach)
            elif reach is None:
                weights = exponents(here, there)
                np.exp(weights, out=weights)
            else:
                weights = _weights_within_reach(exponents, here, there, reach, reach_of_exponents)
            if here.start == there.start:  # this block has the pairs in both directions
                both = weights[:, : here.stop - here.start]
                both *= 0.5
                np.fill_diagonal(both, 0)  # no self-edges
            sums = weights @ with_ones[there]
            products += 2 * np.einsum("ij,ij->j", values[here], sums[:, :-1])
            degree[here] += sums[:, -1]
            degree[there] += ones[here] @ weights
    return products, degree


def _weights_of_exact_distances(
    X: np.ndarray, here: slice, there: slice, t: float, reach: np.ndarray | None
) -> np.ndarray:
    """Weights of a block of pairs, from exact distances, for very narrow kernels."""
    distance = cdist(X[here], X[there])
    weights = np.exp(np.square(distance) / -t)
    if reach is not None:
        weights *= distance <= np.maximum.outer(reach[here], reach[there])
    return weights


def _weights_within_reach(
    exponents: Exponents, here: slice, there: slice, reach: np.ndarray, reach_of_exponents: np.ndarray
) -> np.ndarray:
    """Weights of a block of pairs by a matrix product, 0 for pairs without an edge."""
    block = exponents(here, there)
    gap = np.maximum.outer(reach_of_exponents[here], reach_of_exponents[there])
    gap += block
    joined = gap >= 0
    slack = exponents.rounding - 4 * EPSILON * exponents.lowest  # squaring and scaling the reach rounds too
    i, j = np.nonzero(np.abs(gap, out=gap) <= slack)
    if len(i):
        rows, columns = i + here.start, j + there.start
        joined[i, j] = exponents.distances(rows, columns) <= np.maximum(reach[rows], reach[columns])
    return np.exp(block, out=np.zeros(block.shape), where=joined)


def kth_distances(X: np.ndarray, k: int) -> np.ndarray:
    """Distance of each point to its k-th nearest other point: (n_samples,)."""
    n = len(X)
    exponents = Exponents(X)
    tolerance = 2 * exponents.rounding
    kth = np.empty(n)
    for here in _slices(0, n, max(16, BLOCK_ROWS * BLOCK_COLUMNS // n)):
        block = exponents(here, slice(0, n))
        # In descending order: the point itself is last, at exponent 0, preceded by its neighbours.
        parted = np.partition(block, n - 1 - k, axis=1)
        about = parted[:, [n - 1 - k]]
        nearer = np.count_nonzero(parted[:, n - k :] > about + tolerance, axis=1)
        block -= about
        row, j = np.divmod(np.flatnonzero(np.abs(block, out=block) <= tolerance), n)
        distance = exponents.distances(row + here.start, j)
        order = np.lexsort((distance, row))
        first = np.searchsorted(row, np.arange(len(block)))
        kth[here] = distance[order[first + k - nearer]]
    return kth


def _slices(start: int, stop: int, step: int) -> list[slice]:
    return [slice(first, min(first + step, stop)) for first in range(start, stop, step)]


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
