"""Laplacian Score: does a feature keep to the neighbourhoods of the data? (He, Cai and Niyogi, 2005)."""

from math import ceil

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from xcompare import rbridge
from xcompare.checks import check_choice, check_data
from xcompare.methods._base import ENGINES, SOFTWARE, Engine, Method, Scores
from xcompare.threads import one_thread

REFERENCE = "He, Cai, Niyogi (2005), Laplacian Score for Feature Selection, NIPS 18, 507-514"

GRAPHS = ("knn", "radius", "proportion")
WORST = 2.0  # no vector f has f'Lf / f'Df above 2, the largest eigenvalue of a normalised Laplacian
BLOCK = 2**18  # entries of the n x n weight matrix held at a time: 2 MB stay in the cache


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
    X = check_data(X, min_samples=2)
    kind, amount = _check_graph(graph, len(X))
    if not (np.isreal(t) and np.isfinite(t) and t > 0):
        raise ValueError(f"t must be a positive number; got {t!r}")
    check_choice("engine", engine, ENGINES)
    if engine == "r":
        arguments = {"x": X, "type": kind, "amount": float(amount), "t": float(t)}
        result = rbridge.call("laplacian_score.R", "xc_laplacian_score", arguments)
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


def _score(X: np.ndarray, kind: str, amount: float, t: float) -> np.ndarray:
    """Scores of checked data."""
    n = len(X)
    f = X - X.mean(axis=0)  # a large mean would cost digits
    if kind == "radius":
        # Points at distance r itself are not joined: reach the largest float below r.
        smoothed, degree = _smooth_in_blocks(X, f, t, np.full(n, np.nextafter(amount, 0)))
    else:
        k = min(int(amount) if kind == "knn" else ceil(max(amount * n, 1)), n - 1)
        if k == n - 1:
            smoothed, degree = _smooth_in_blocks(X, f, t, None)
        elif 20 * k <= n:
            weights = _knn_weights(X, f, k, t)
            smoothed, degree = weights @ f, weights.sum(axis=1)
        else:
            smoothed, degree = _smooth_in_blocks(X, f, t, _kth_distances(X, k))

    joined = degree > 0
    scores = np.full(X.shape[1], WORST)
    if not joined.any():
        return scores
    mean = degree @ f / degree.sum()
    f = f - mean
    smoothed = smoothed - degree[:, None] * mean
    spread = degree @ f**2
    varies = (np.ptp(X[joined], axis=0) > 0) & (spread > 0)
    roughness = spread - np.einsum("ij,ij->j", f, smoothed)
    scores[varies] = (roughness[varies] / spread[varies]).clip(0, WORST)
    return scores


def _smooth_in_blocks(
    X: np.ndarray, f: np.ndarray, t: float, reach: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """S @ f and the row sums of S, where i and j are joined if d(i, j) <= max(reach[i], reach[j]).

    f is X centred. Without reach all points are joined, which needs no exact distances: -d^2 / t is
    then one matrix product.
    """
    n, p = f.shape
    norms = np.einsum("ij,ij->i", f, f) / t
    # Beyond this the product would cancel more than 10 digits of -d^2 / t.
    exact = reach is not None or norms.max() > 1e5
    left = np.column_stack([f * (2 / t), -norms, np.ones(n)])
    right = np.column_stack([f, np.ones(n), -norms])
    with_ones = np.column_stack([f, np.ones(n)])
    total = np.zeros((n, p + 1))
    for rows in _blocks(n):
        # S is symmetric: compute it from the diagonal on, and use what is beyond the block twice.
        here, beyond, onward = slice(rows.start, rows.stop), slice(rows.stop, n), slice(rows.start, n)
        if exact:
            distance = cdist(X[here], X[onward])
            weights = np.exp(np.square(distance) / -t)
            if reach is not None:
                weights *= distance <= np.maximum(reach[here, None], reach[onward])
        else:
            weights = left[here] @ right[onward].T
            np.exp(weights, out=weights)
        np.fill_diagonal(weights, 0)  # no self-edges
        total[here] += weights @ with_ones[onward]
        total[beyond] += weights[:, rows.stop - rows.start :].T @ with_ones[here]
    return total[:, :p], total[:, p]


def _blocks(n: int) -> list[slice]:
    """Slices of rows that keep a block of the n x n matrix below BLOCK entries."""
    step = max(1, BLOCK // n)
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def _kth_distances(X: np.ndarray, k: int) -> np.ndarray:
    """Distance of each point to its k-th nearest other point, in blocks of rows."""
    # The point itself is at distance 0 and takes position 0.
    return np.concatenate([np.partition(cdist(X[rows], X), k, axis=1)[:, k] for rows in _blocks(len(X))])


def _knn_weights(X: np.ndarray, f: np.ndarray, k: int, t: float) -> csr_array:
    """Sparse symmetric weights of the k-nearest-neighbour graph, ties with the k-th included.

    Asks for a few neighbours more than k, and for twice as many wherever the last one found is no
    farther than the k-th: more ties could follow. f is X centred.
    """
    n = len(X)
    search = NearestNeighbors().fit(f)
    # The search rounds squared distances by about this much (it uses products above 15 features).
    rounding = 1e-12 * np.einsum("ij,ij->i", f, f).max()
    rows, sources, targets, squares = np.arange(n), [], [], []
    m = k + 8
    while len(rows):
        m = min(m, n)
        found = search.kneighbors(f[rows], m, return_distance=False)
        # Summed in the order of R's dist(), so that a tie is a tie in both languages.
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


LS = Method(
    name="ls",
    title="LS",
    run=laplacian_score,
    larger_is_better=False,
    normalization="max",
    reference=REFERENCE,
    family="graph",
    options=("graph", "t"),
    stochastic=False,
    r_preferred=("Rdimtools",),
)
