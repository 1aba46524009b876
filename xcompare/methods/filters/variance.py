"""Variance over squared range: the control that knows the data but no clusters."""

import numpy as np

from xcompare.core.checks import check_choice, check_data
from xcompare.methods.base import CONTROL, PYTHON, SOFTWARE, Engine, Method, Scores


def variance(
    X: np.ndarray,
    n_clusters: int | None = None,
    *,
    sample_weight: np.ndarray | None = None,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Variance of each feature after scaling to [0, 1].

    The usual filter that keeps the features with the largest variance. Methods get standardised data, where
    all variances are 1, so the range takes the place of the unit. The score is largest, 1/4, for two equally
    frequent values, 1/12 for a uniform distribution and small for one with outliers.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_clusters : int or None, default=None
        Ignored.
    sample_weight : ndarray of shape (n_samples,) or None, default=None
        Weights of the rows.
    random_state : int, Generator or None, default=None
        Ignored; deterministic.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), between 0 and 1/4; 0 for a constant.

    References
    ----------
    Worse than random: the importance of a baseline for unsupervised feature
    selection (2026). doi:10.48550/arXiv.2605.22973

    Examples
    --------
    >>> import numpy as np
    >>> variance(np.column_stack([[0, 0, 1, 1], [0, 1, 1, 8]])).scores.round(2)
    array([0.25, 0.16])
    """
    check_choice("engine", engine, PYTHON)
    X = check_data(X, squares=True)
    extent = np.ptp(X, axis=0)
    scaled = X / np.where(extent > 0, extent, 1.0)
    squares = np.square(scaled - np.average(scaled, axis=0, weights=sample_weight))
    return Scores(np.average(squares, axis=0, weights=sample_weight) * (extent > 0), SOFTWARE)


VARIANCE = Method(
    name="variance",
    title="Variance",
    run=variance,
    reference="control: variance over squared range, as in arXiv doi:10.48550/arXiv.2605.22973",
    family=CONTROL,
    default=False,
    takes_weights=True,
    stochastic=False,
    engines=PYTHON,
)
