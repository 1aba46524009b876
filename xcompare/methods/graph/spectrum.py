"""Low-frequency eigenvectors of the normalised Laplacian of a neighbour graph."""

from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from xcompare.core.checks import check_integer
from xcompare.core.errors import DataError
from xcompare.methods.graph.neighbours import TREE_FEATURES, knn_weights

DENSE_POINTS = 1000  # up to this number a dense solver is as fast, and more accurate
MOST_EDGES = 10**8  # 1.2 GB; exceeded only if rows repeat thousands of times
FASTER = "a sample of the rows is faster"
MAX_RESTARTS, TOLERANCE = 3000, 1e-9  # of the sparse solver


def neighbour_weights(X: np.ndarray, n_neighbors: int, t: float) -> csr_array:
    """Weights ``exp(-d^2 / t)`` between each point and its nearest neighbours.

    Raises
    ------
    DataError
        Invalid option, or rows repeat so often that the graph, which connects equal rows, is too large.
    """
    check_integer("n_neighbors", n_neighbors, 1)
    if not (np.isreal(t) and t > 0):
        raise DataError(f"t must be a positive number, or inf for equal weights; got {t!r}")
    copies = np.unique(X, axis=0, return_counts=True)[1]
    edges = int(np.square(copies[copies > n_neighbors]).sum())
    if edges > MOST_EDGES:
        raise DataError(
            f"rows must not repeat so often that their graph has more than {MOST_EDGES:,} edges; got"
            f" {edges:,}, one row {copies.max():,} times: take a sample of the rows"
        )
    return knn_weights(X, min(n_neighbors, len(X) - 1), t)


def smoothest(weights: csr_array, n_patterns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenpairs of the smallest eigenvalues of a graph's normalised Laplacian, the trivial one left out.

    A graph with several connected components has as many eigenvalues of 0, and any vectors constant on the
    components are eigenvectors. Those returned contrast the largest component with the rest, the second
    largest with the remaining ones, and so on, independent of the order of the rows.

    ``weights`` of shape (n_samples, n_samples): symmetric, without self-edges. ``n_patterns``: number of
    eigenpairs; fewer are returned if fewer points have an edge. Returns ``values`` of shape (n_patterns,):
    eigenvalues, from 0 to 2, smallest first; ``vectors`` of shape (n_samples, n_patterns): of unit length; 0
    at points without an edge. Divided by the square root of the degree they solve ``L y = lambda D y`` with
    ``y'Dy = 1``; ``degree`` of shape (n_samples,): sum of each point's weights.

    Raises
    ------
    DataError
        The sparse solver did not converge.
    """
    degree = weights.sum(axis=1)
    joined = np.flatnonzero(degree > 0)
    if len(joined) == 0:
        return np.empty(0), np.empty((len(degree), 0)), degree
    weights = weights[joined][:, joined]
    root = np.sqrt(degree[joined])
    contrasts = _parts(weights, root, n_patterns)
    values = np.zeros(contrasts.shape[1])
    missing = min(n_patterns, len(joined) - 1) - contrasts.shape[1]
    if missing > 0:
        scaled = diags_array(1 / root) @ weights @ diags_array(1 / root)
        known = np.column_stack([root / np.linalg.norm(root), contrasts])
        within_values, within = _within_parts(scaled.tocsr(), known, missing)
        values, contrasts = np.append(values, within_values), np.hstack([contrasts, within])
    vectors = np.zeros((len(degree), len(values)))
    vectors[joined] = contrasts
    return values, vectors, degree


def _parts(weights: csr_array, root: np.ndarray, most: int) -> np.ndarray:
    """Unit vectors that contrast each component with all smaller ones, at most ``most``."""
    n_parts, part = connected_components(weights, directed=False)
    volume = np.bincount(part, root**2)
    largest_first = np.argsort(-volume, kind="stable")
    place = np.argsort(largest_first)[part]
    volume = volume[largest_first]
    rest = volume[::-1].cumsum()[::-1] - volume
    contrasts = np.zeros((len(root), min(most, n_parts - 1)))
    for i, contrast in enumerate(contrasts.T):
        contrast[place == i] = 1 / volume[i]
        contrast[place > i] = -1 / rest[i]
        contrast *= root / np.sqrt(1 / volume[i] + 1 / rest[i])
    return contrasts


def _within_parts(scaled: csr_array, known: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The next eigenpairs after the known ones with eigenvalue 0."""
    # The Laplacian is 1 - scaled: its smallest eigenvalues are the largest of `scaled`.
    n = len(known)
    if n <= DENSE_POINTS:
        below_all = scaled.toarray() - 3 * known @ known.T
        largest, vectors = eigh(below_all, subset_by_index=[n - count, n - 1])
    else:
        vectors = _largest_of_many(scaled, known, count)
        largest = np.einsum("ij,ij->j", vectors, scaled @ vectors)
    order = np.argsort(-largest, kind="stable")
    return (1 - largest[order]).clip(0, 2), vectors[:, order]


def _largest_of_many(scaled: csr_array, known: np.ndarray, count: int) -> np.ndarray:
    """Eigenvectors of the largest eigenvalues of a sparse matrix of norm 1, after the known ones."""
    n = len(known)

    def deflated(v: np.ndarray) -> np.ndarray:
        return scaled @ v - known @ (known.T @ v)

    operator = LinearOperator((n, n), matvec=deflated, dtype=np.float64)
    start, basis = np.random.default_rng(0).normal(size=n), min(max(2 * count + 1, 20), n)
    try:
        return eigsh(operator, count, which="LA", v0=start, ncv=basis, tol=TOLERANCE, maxiter=MAX_RESTARTS)[1]
    except ArpackNoConvergence:
        raise DataError(
            f"the eigenvectors of the graph of {n:,} points did not converge: many eigenvalues are nearly"
            " equal; use a larger n_neighbors or a sample of the rows"
        ) from None


def seconds(n_samples: int, n_features: int, n_clusters: int, **_: Any) -> float:
    """Approximate time of one run."""
    all_pairs = n_features > TREE_FEATURES
    return (1 + n_clusters) * 5e-5 * n_samples + all_pairs * 9e-11 * n_samples**2 * n_features
