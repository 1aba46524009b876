"""Hartigan's dip of each feature: distance of its distribution from unimodality."""

import numpy as np
from diptest import dipstat

from xcompare import rbridge
from xcompare.core.checks import check_choice, check_data
from xcompare.core.ties import spread_ties
from xcompare.methods.base import ENGINES, SOFTWARE, Engine, Method, Scores, scores_from_r

REFERENCE = "Hartigan, Hartigan (1985), The dip test of unimodality, doi:10.1214/aos/1176346577"

FEWEST_ROWS = 4  # for which the dip is defined


def dip(
    X: np.ndarray,
    n_clusters: int | None = None,
    *,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Hartigan's dip of each feature.

    The largest distance between the feature's distribution function and the closest unimodal one.
    Tied values, which the dip would take for modes, are first spread evenly over their rounding interval, so
    a binary feature gets the lowest score.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data. The scale of a column does not matter.
    n_clusters : int or None, default=None
        Ignored: the dip does not depend on clusters.
    random_state : int, Generator or None, default=None
        Ignored: deterministic.
    engine : {"python", "r"}, default="python"
        "r" calls R's diptest.

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): from 1 / (2 n_samples) to 1 / 4; larger means more important.

    References
    ----------
    Hartigan, J. A., Hartigan, P. M. (1985). The dip test of unimodality. Annals of Statistics 13(1).
    doi:10.1214/aos/1176346577

    Examples
    --------
    >>> import numpy as np
    >>> two_groups = np.r_[np.linspace(0, 1, 30), np.linspace(4, 5, 30)]
    >>> dip(np.column_stack([two_groups, np.linspace(0, 1, 60)])).scores.round(2)
    array([0.19, 0.01])
    """
    X = check_data(X, squares=True)
    check_choice("engine", engine, ENGINES)
    if engine == "r":
        rbridge.require(("diptest",), caller='dip with engine="r"')
        return scores_from_r(rbridge.call("xc_dip", {"x": X}))
    return Scores(np.array([_dip(np.sort(column)) for column in X.T]), SOFTWARE)


def _dip(x: np.ndarray) -> float:
    """The dip of values in ascending order."""
    if len(x) < FEWEST_ROWS or x[0] == x[-1]:
        return 0.5 / len(x)
    return float(dipstat(spread_ties(x)))


DIP = Method(
    name="dip",
    title="Dip",
    run=dip,
    reference=REFERENCE,
    default=False,
    stochastic=False,
    r_required=("diptest",),
)
