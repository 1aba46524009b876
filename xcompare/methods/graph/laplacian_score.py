"""Laplacian Score: does a feature keep to the neighbourhoods of the data? (He, Cai and Niyogi, 2005)."""

from math import ceil
from typing import Any

import numpy as np

from xcompare import rbridge
from xcompare.core.checks import check_choice, check_data
from xcompare.core.threads import one_thread
from xcompare.methods.base import ENGINES, SOFTWARE, Engine, Method, Scores
from xcompare.methods.graph.neighbours import knn_weights, kth_distances, over_edges
from xcompare.methods.option import Option, option_table

REFERENCE = "He, Cai, Niyogi (2005), Laplacian Score for Feature Selection, NIPS 18, 507-514"

GRAPHS = ("knn", "radius", "proportion")
OFF_CENTER = 10.0  # variances that a squared mean of joined points may lie off before they are centred again
WORST = 2.0  # no vector f has f'Lf / f'Df above 2, the largest eigenvalue of a normalised Laplacian


def laplacian_score(
    X: np.ndarray,
    n_clusters: int | None = None,
    *,
    graph: tuple[str, float] = ("proportion", 1.0),
    t: float = 10.0,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Laplacian Score of each feature; smaller means more important.

    Points are joined into a graph with weights ``exp(-d**2 / t)``. With S the weights, D their row
    sums on the diagonal and L = D - S, feature f, centred by its D-weighted mean, scores
    ``f'Lf / f'Df``: how much it changes along edges, relative to how much it varies.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, at least two rows. Standardise first: distances mix the features.
    n_clusters : int or None, default=None
        Plays no part: the score looks for no clusters.
    graph : tuple of (str, number), default=("proportion", 1.0)
        Which points are joined. ``("knn", k)``: each point and its k nearest, ties with the k-th
        included, in either direction. ``("proportion", f)``: the same with ``k = ceil(f * n)``;
        ``("proportion", 1.0)`` joins all points. ``("radius", r)``: points closer than r.
    t : float, default=10.0
        Width of the heat kernel.
    random_state : int, Generator or None, default=None
        Plays no part: nothing is drawn.
    engine : {"python", "r"}, default="python"
        ``"r"`` computes the same in R, with Rdimtools where it is installed.

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), between 0 and 2. A feature that does not vary over the points that
        have a neighbour (a constant, or no point has one) has no score of its own and gets 2, the worst
        there is.

    Notes
    -----
    Never holds an n x n matrix: a small-k graph is sparse, any other is gone through in blocks of
    rows. The numbers are those of ``Rdimtools::do.lscore``, also where distances tie: a tie is one of
    floating-point distances, summed over the features in their order.

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
        result = rbridge.call("xc_laplacian_score", arguments)
        software = result.values["package"][0]
        return Scores(result.values["importance"], software, None, result.warnings, result.output)
    with one_thread():
        scores = _score(X, kind, amount, t)
    return Scores(scores, SOFTWARE)


def _check_graph(graph: tuple[str, float], n: int) -> tuple[str, float]:
    """The graph's kind and amount, or a ValueError that says what is wrong."""
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
    """Neighbours each point is joined with; None where a radius decides."""
    if kind == "radius":
        return None
    return min(int(amount) if kind == "knn" else ceil(max(amount * n, 1)), n - 1)


def _is_sparse(k: int, n: int) -> bool:
    """Whether a search for k neighbours is faster than going through all pairs."""
    return 20 * k <= n and k < n - 1


def _score(X: np.ndarray, kind: str, amount: float, t: float) -> np.ndarray:
    """Scores of checked data."""
    n = len(X)
    k = _n_neighbours(kind, amount, n)
    weights, reach = None, None
    if k is None:
        # Points at distance r itself are not joined: reach the largest float below r.
        reach = np.full(n, np.nextafter(amount, 0))
    elif _is_sparse(k, n):
        weights = knn_weights(X, k, t)
    elif k < n - 1:
        reach = kth_distances(X, k)

    def over_all_edges(f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if weights is None:
            return over_edges(X, f, t, reach)
        return np.einsum("ij,ij->j", f, weights @ f), weights.sum(axis=1)

    scores = np.full(X.shape[1], WORST)
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
    scores[varies] = (roughness[varies] / spread[varies]).clip(0, WORST)
    return scores


def _slow(
    n_samples: int, n_features: int, n_clusters: int, graph: Any = ("proportion", 1.0), **_: Any
) -> str:
    """What to know before a run over very many pairs of points."""
    try:
        k = _n_neighbours(*_check_graph(graph, n_samples), n_samples)
    except ValueError:  # the run itself will say what is wrong
        return ""
    if k is not None and _is_sparse(k, n_samples):
        return ""
    pairs = n_samples**2 / 2
    nanoseconds = 9 + n_features / 7
    if k is not None and k < n_samples - 1:  # looks for the k-th distance of each point first
        nanoseconds += 15 + 2 * n_features / 7
    seconds = pairs * nanoseconds * 1e-9
    if seconds < 10:
        return ""
    return (
        f"goes through {pairs / 1e9:.1f} billion pairs of {n_samples:,} points, about {seconds:.0f} s a run;"
        " a graph of the nearest few, graph=('knn', 10), or a sample of the rows takes less"
    )


LS = Method(
    name="ls",
    title="LS",
    run=laplacian_score,
    larger_is_better=False,
    normalization="max",
    reference=REFERENCE,
    family="graph",
    options=option_table(
        Option("graph", 'graph of neighbours: ("knn", k), ("enn", radius) or ("proportion", share)', "list"),
        Option("t", "width of the heat kernel", "number", 0),
    ),
    stochastic=False,
    slow=_slow,
    r_preferred=("Rdimtools",),
)
