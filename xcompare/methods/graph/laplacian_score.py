"""Laplacian score: preservation of local neighbourhoods (He, Cai and Niyogi, 2005)."""

from math import ceil
from typing import Any

import numpy as np

from xcompare import rbridge
from xcompare.core.checks import check_choice, check_data
from xcompare.core.threads import one_thread
from xcompare.methods.base import ENGINES, SOFTWARE, Engine, Method, Scores, scores_from_r
from xcompare.methods.graph.neighbours import knn_weights, kth_distances, over_edges
from xcompare.methods.option import Option, option_table

REFERENCE = "He, Cai, Niyogi (2005), Laplacian Score for Feature Selection, NIPS 18, 507-514"

GRAPHS = ("knn", "radius", "proportion")
OFF_CENTER = 10.0  # ratio of squared mean to variance above which the points are centred again
WORST_SCORE = 2.0  # f'Lf / f'Df is at most 2, the largest eigenvalue of a normalised Laplacian


def laplacian_score(
    X: np.ndarray,
    n_clusters: int | None = None,
    *,
    graph: tuple[str, float] = ("proportion", 1.0),
    t: float = 10.0,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Laplacian score of each feature; smaller means more important.

    The points form a graph with edge weights ``exp(-d**2 / t)``. With S the weights, D their row
    sums on the diagonal and L = D - S, the score of a feature f, centred by its D-weighted mean, is
    ``f'Lf / f'Df``: its variation along edges, relative to its variance.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, at least two rows. Standardise first: distances combine the features.
    n_clusters : int or None, default=None
        Ignored: the score does not depend on clusters.
    graph : tuple of (str, number), default=("proportion", 1.0)
        Edges of the graph. ``("knn", k)``: each point and its k nearest neighbours, including ties with the
        k-th, in either direction. ``("proportion", f)``: the same with ``k = ceil(f * n)``;
        ``("proportion", 1.0)`` connects all points. ``("radius", r)``: points closer than r.
    t : float, default=10.0
        Width of the heat kernel.
    random_state : int, Generator or None, default=None
        Ignored: deterministic.
    engine : {"python", "r"}, default="python"
        ``"r"`` computes the same in R, with Rdimtools if installed.

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), between 0 and 2. The score is undefined for a feature that is
        constant over the points with a neighbour, or if there are none; it is then 2, the worst value.

    Notes
    -----
    No n x n matrix is stored: a graph with small k is sparse, any other is processed in blocks of
    rows. The scores equal those of ``Rdimtools::do.lscore``, including the treatment of ties: ties are
    between floating-point distances, summed over the features in order.

    References
    ----------
    He, Cai, Niyogi (2005), Laplacian Score for Feature Selection, Advances in Neural Information
    Processing Systems 18, 507-514.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> clustered = np.repeat([-1.0, 1.0], 50) + rng.normal(0, 0.1, 100)
    >>> X = np.column_stack([clustered, rng.normal(size=100)])
    >>> laplacian_score(X, graph=("knn", 5)).scores.round(2)
    array([0.01, 0.04])
    """
    X = check_data(X, min_samples=2, squares=True)
    kind, amount = _check_graph(graph, len(X))
    if not (np.isreal(t) and np.isfinite(t) and t > 0):
        raise ValueError(f"t must be a positive number; got {t!r}")
    check_choice("engine", engine, ENGINES)
    if engine == "r":
        arguments = {"x": X, "type": kind, "amount": float(amount), "t": float(t)}
        return scores_from_r(rbridge.call("xc_laplacian_score", arguments))
    with one_thread():
        scores = _score(X, kind, amount, t)
    return Scores(scores, SOFTWARE)


def _check_graph(graph: tuple[str, float], n: int) -> tuple[str, float]:
    """Validate ``graph``; return its kind and its number."""
    try:
        kind, amount = graph
        amount = float(amount)
    except (TypeError, ValueError):
        kind, amount = None, np.nan
    if kind not in GRAPHS:
        raise ValueError(f"graph must be ('knn', k), ('radius', r) or ('proportion', f); got {graph!r}")
    if kind == "knn" and not (amount.is_integer() and 1 <= amount < n):
        raise ValueError(f"graph ('knn', k) must have a whole k from 1 to n - 1 = {n - 1}; got {graph[1]!r}")
    if kind == "radius" and not 0 < amount < np.inf:
        raise ValueError(f"graph ('radius', r) must have a positive number r; got {graph[1]!r}")
    if kind == "proportion" and not 0 < amount <= 1:
        raise ValueError(f"graph ('proportion', f) must have f above 0 and at most 1; got {graph[1]!r}")
    return kind, amount


def _n_neighbours(kind: str, amount: float, n: int) -> int | None:
    """Number of neighbours of each point; None for a radius."""
    if kind == "radius":
        return None
    return min(int(amount) if kind == "knn" else ceil(max(amount * n, 1)), n - 1)


def _is_sparse(k: int, n: int) -> bool:
    """Whether a search for k neighbours is faster than computing all pairs."""
    return 20 * k <= n and k < n - 1


def _score(X: np.ndarray, kind: str, amount: float, t: float) -> np.ndarray:
    """Scores of validated data."""
    n = len(X)
    k = _n_neighbours(kind, amount, n)
    weights, reach = None, None
    if k is None:
        # Points at distance r exactly are not neighbours: use the largest float below r.
        reach = np.full(n, np.nextafter(amount, 0))
    elif _is_sparse(k, n):
        weights = knn_weights(X, k, t)
    elif k < n - 1:
        reach = kth_distances(X, k)

    def over_all_edges(f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if weights is None:
            return over_edges(X, f, t, reach)
        return np.einsum("ij,ij->j", f, weights @ f), weights.sum(axis=1)

    scores = np.full(X.shape[1], WORST_SCORE)
    f = X - X.mean(axis=0)
    products, degree = over_all_edges(f)
    joined, total = degree > 0, degree.sum()
    if not joined.any():
        return scores
    mean = degree @ f / total
    spread = degree @ (f - mean) ** 2
    varies = (np.ptp(X[joined], axis=0) > 0) & (spread > 0)
    if (total * mean**2 > OFF_CENTER * spread)[varies].any():  # digits cancel
        f = f - mean
        products, _ = over_all_edges(f)
        mean = degree @ f / total
    roughness = spread - (products - total * mean**2)
    scores[varies] = (roughness[varies] / spread[varies]).clip(0, WORST_SCORE)
    return scores


def _seconds(
    n_samples: int, n_features: int, n_clusters: int, graph: Any = ("proportion", 1.0), **_: Any
) -> float:
    """Approximate time of a run over all pairs of points; 0 for a sparse graph."""
    try:
        k = _n_neighbours(*_check_graph(graph, n_samples), n_samples)
    except ValueError:  # reported by the run itself
        return 0.0
    if k is not None and _is_sparse(k, n_samples):
        return 0.0
    pairs = n_samples**2 / 2
    nanoseconds = 9 + n_features / 7
    if k is not None and k < n_samples - 1:  # which first finds the k-th distance of each point
        nanoseconds += 15 + 2 * n_features / 7
    return pairs * nanoseconds * 1e-9


LS = Method(
    name="ls",
    title="LS",
    run=laplacian_score,
    larger_is_better=False,
    reference=REFERENCE,
    family="graph",
    options=option_table(
        Option("graph", 'graph of neighbours: ("knn", k), ("enn", radius) or ("proportion", share)', "list"),
        Option("t", "width of the heat kernel", "number", 0),
    ),
    stochastic=False,
    seconds=_seconds,
    faster="a sparse graph, graph=('knn', 10), or a sample of the rows is faster",
    r_preferred=("Rdimtools",),
)
