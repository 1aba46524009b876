"""SPEC: is a feature made of the smoothest patterns of the data? (Zhao and Liu, 2007)."""

import numpy as np

from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.core.threads import one_thread
from xcompare.methods.base import SOFTWARE, Engine, Method, Scores
from xcompare.methods.graph.spectrum import neighbour_weights, slow, smoothest
from xcompare.methods.option import Option, option_table

ENGINES: tuple[Engine, ...] = ("python",)
REFERENCE = (
    "Zhao, Liu (2007), Spectral feature selection for supervised and unsupervised learning,"
    " doi:10.1145/1273496.1273641"
)


def spec(
    X: np.ndarray,
    n_clusters: int,
    *,
    n_neighbors: int = 5,
    t: float = np.inf,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Spectral feature selection, third ranking function: how far a feature lies in the smoothest patterns.

    Points are joined with their nearest neighbours. The K - 1 smoothest patterns on this graph, the
    eigenvectors of its normalised Laplacian of the smallest eigenvalues after the trivial one, change little
    within clusters and much between them. With D the degrees, a feature f, as ``D^(1/2) f`` made of unit
    length, scores the sum over the patterns of its squared cosine with each, times 2 minus the eigenvalue.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, at least two rows. Standardise first: distances mix the features, and what a feature has
        of a constant counts against it.
    n_clusters : int
        Number of clusters K, from 2 to n_samples.
    n_neighbors : int, default=5
        Neighbours each point is joined with, ties with the last included; at most all others.
    t : float, default=inf
        Edges weigh ``exp(-d**2 / t)``: all the same by default.
    random_state : int, Generator or None, default=None
        Plays no part: nothing is drawn.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), from 0 to 2; larger means more important.
        ``details["eigenvalues"]``, of shape (n_patterns,), and ``details["cosines"]``, of shape
        (n_patterns, n_features), whose signs mean nothing.

    Notes
    -----
    The paper's second function, over all patterns and not only the smoothest, is the Laplacian Score:
    `laplacian_score`.

    References
    ----------
    Zhao, Z., Liu, H. (2007). Spectral feature selection for supervised and unsupervised learning. ICML 2007,
    1151-1157. doi:10.1145/1273496.1273641

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 4))
    >>> X[:, 1] += np.repeat([-4, 4], 50)
    >>> spec(X, 2).scores.round(1)
    array([0. , 1.9, 0. , 0. ])
    """
    check_choice("engine", engine, ENGINES)
    X = check_data(X, min_samples=2, squares=True)
    check_integer("n_clusters", n_clusters, 2, len(X))
    with one_thread():
        values, vectors, degree = smoothest(neighbour_weights(X, n_neighbors, t), n_clusters - 1)
        weighted = np.sqrt(degree)[:, None] * X
        length = np.linalg.norm(weighted, axis=0)
        cosines = vectors.T @ weighted / np.where(length > 0, length, 1.0)
    cosines[:, np.ptp(X, axis=0) == 0] = 0.0  # what rounding leaves of a constant
    scores = (2 - values) @ cosines**2
    return Scores(scores, SOFTWARE, details={"eigenvalues": values, "cosines": cosines})


SPEC = Method(
    name="spec",
    title="SPEC",
    run=spec,
    larger_is_better=True,
    normalization="max",
    reference=REFERENCE,
    family="graph",
    default=False,
    options=option_table(
        Option("n_neighbors", "neighbours of a point in the graph", least=1),
        Option("t", "width of the heat kernel; inf: equal weights", "number", 0),
    ),
    wide=True,
    stochastic=False,
    engines=ENGINES,
    slow=slow,
)
