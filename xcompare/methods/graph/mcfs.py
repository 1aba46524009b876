"""MCFS: multi-cluster feature selection (Cai, Zhang and He, 2010)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lars

from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.core.threads import one_thread
from xcompare.methods.base import PYTHON, SOFTWARE, Engine, Method, Scores
from xcompare.methods.graph.spectrum import FASTER, neighbour_weights, seconds, smoothest
from xcompare.methods.option import Option, option_table

REFERENCE = (
    "Cai, Zhang, He (2010), Unsupervised feature selection for multi-cluster data,"
    " doi:10.1145/1835804.1835848"
)
ROWS_PER_FEATURE = 10  # in the regression; with fewer it fits noise


def mcfs(
    X: np.ndarray,
    n_clusters: int,
    *,
    n_neighbors: int = 5,
    t: float = np.inf,
    n_nonzero: int | None = None,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Multi-cluster feature selection: sparse regression of graph eigenvectors on the features.

    The low-frequency eigenvectors of a neighbour graph (solutions of ``L y = lambda D y`` for the K - 1
    smallest nontrivial eigenvalues) vary little within clusters and much between them. Each is regressed on
    the features by least-angle regression, with a bound on the number of nonzero coefficients. The score
    of a feature is its largest absolute coefficient.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, at least two rows. Standardise first: distances and coefficients depend on the units.
    n_clusters : int
        Number of clusters K, from 2 to n_samples.
    n_neighbors : int, default=5
        Number of neighbours in the graph, including ties with the last; at most all other points.
    t : float, default=inf
        Edge weights are ``exp(-d**2 / t)``; equal by default.
    n_nonzero : int or None, default=None
        Nonzero coefficients per eigenvector, at most n_features. None: one for every ten rows.
    random_state : int, Generator or None, default=None
        Ignored: deterministic.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), 0 for features that are not selected; larger means more important.
        ``details["coefficients"]``, of shape (n_features, n_components).

    Notes
    -----
    A redundant feature gets a score near 0: the method selects a subset of features rather than scoring each
    on its own.

    References
    ----------
    Cai, D., Zhang, C., He, X. (2010). Unsupervised feature selection for multi-cluster data. KDD 2010,
    333-342. doi:10.1145/1835804.1835848

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 4))
    >>> X[:, 1] += np.repeat([-4, 4], 50)
    >>> int(mcfs(X, 2).scores.argmax())
    1
    """
    check_choice("engine", engine, PYTHON)
    X = check_data(X, min_samples=2, squares=True)
    n, p = X.shape
    check_integer("n_clusters", n_clusters, 2, n)
    if n_nonzero is None:
        n_nonzero = min(p, max(1, n // ROWS_PER_FEATURE))
    check_integer("n_nonzero", n_nonzero, 1, p)
    with one_thread():
        _, vectors, degree = smoothest(neighbour_weights(X, n_neighbors, t), n_clusters - 1)
        patterns = vectors / np.sqrt(np.where(degree > 0, degree, 1.0))[:, None]
        coefficients = _coefficients(X, patterns, n_nonzero)
    scores = np.abs(coefficients).max(axis=1, initial=0.0)
    return Scores(scores, SOFTWARE, details={"coefficients": coefficients})


def _coefficients(X: np.ndarray, patterns: np.ndarray, n_nonzero: int) -> np.ndarray:
    """Coefficients of each eigenvector on the features, at most ``n_nonzero`` of them nonzero."""
    coefficients = np.zeros((X.shape[1], patterns.shape[1]))
    varies = np.ptp(X, axis=0) > 0
    if varies.any():
        regression = Lars(n_nonzero_coefs=n_nonzero)
        for j, pattern in enumerate(patterns.T):
            with warnings.catch_warnings():
                # A feature that is a linear combination of others is left out, as it should be.
                warnings.simplefilter("ignore", ConvergenceWarning)
                coefficients[varies, j] = regression.fit(X[:, varies], pattern).coef_
    return coefficients


MCFS = Method(
    name="mcfs",
    title="MCFS",
    run=mcfs,
    reference=REFERENCE,
    family="graph",
    default=False,
    options=option_table(
        Option("n_neighbors", "neighbours of a point in the graph", least=1),
        Option("t", "width of the heat kernel; inf: equal weights", "number", 0),
        Option("n_nonzero", "features in each regression", least=1, or_none=True),
    ),
    stochastic=False,
    engines=PYTHON,
    seconds=seconds,
    faster=FASTER,
)
