"""SPEC: spectral feature selection (Zhao and Liu, 2007)."""

import numpy as np

from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.core.threads import one_thread
from xcompare.methods.base import PYTHON, SOFTWARE, Engine, Method, Scores
from xcompare.methods.graph.spectrum import FASTER, neighbour_weights, seconds, smoothest
from xcompare.methods.option import Option, option_table

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
    """Spectral feature selection with the third ranking function of the paper.

    The low-frequency eigenvectors of a neighbour graph (those of the K - 1 smallest nontrivial eigenvalues of
    its normalised Laplacian) vary little within clusters and much between them. With D the degrees, the
    score of a feature f, normalised as ``D^(1/2) f`` to unit length, is the sum over these eigenvectors
    of the squared cosine with f times 2 minus the eigenvalue.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, at least two rows. Standardise first: distances combine the features, and a nonzero mean
        lowers the score.
    n_clusters : int
        Number of clusters K, from 2 to n_samples.
    n_neighbors : int, default=5
        Number of neighbours in the graph, including ties with the last; at most all other points.
    t : float, default=inf
        Edge weights are ``exp(-d**2 / t)``; equal by default.
    random_state : int, Generator or None, default=None
        Ignored: deterministic.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), from 0 to 2; larger means more important.
        ``details["eigenvalues"]``, of shape (n_components,), and ``details["cosines"]``, of shape
        (n_components, n_features), whose signs are arbitrary.

    Notes
    -----
    The paper's second ranking function, over all eigenvectors, is the Laplacian score: see
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
    check_choice("engine", engine, PYTHON)
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
    reference=REFERENCE,
    family="graph",
    default=False,
    options=option_table(
        Option("n_neighbors", "neighbours of a point in the graph", least=1),
        Option("t", "width of the heat kernel; inf: equal weights", "number", 0),
    ),
    wide=True,
    stochastic=False,
    engines=PYTHON,
    seconds=seconds,
    faster=FASTER,
)
