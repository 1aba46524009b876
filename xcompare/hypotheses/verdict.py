"""From three p-values to one word: what a feature has to do with the clusters."""

from typing import Literal

import numpy as np
from scipy.stats import false_discovery_control

from xcompare.bagging.reference import p_more, p_most

Verdict = Literal["makes clusters", "goes along with others", "noise"]
MAKES_CLUSTERS: Verdict = "makes clusters"
GOES_ALONG: Verdict = "goes along with others"
NOISE: Verdict = "noise"
LEVEL = 0.05


def q_values(p_values: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's: rejecting those up to .05 makes 5% of the rejections wrong, on average.

    References
    ----------
    Benjamini and Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x

    Examples
    --------
    >>> q_values(np.array([0.01, 0.02, 0.9])).round(2)
    array([0.03, 0.03, 0.9 ])
    """
    return false_discovery_control(p_values)


def stand_out(
    observed: np.ndarray, draws: np.ndarray, p_own_groups: np.ndarray, level: float = LEVEL
) -> np.ndarray:
    """Which features stand out, after a quick look.

    First of all features together: does any know more of the partitions than one Gaussian explains, or have
    groups of its own? Where there is nothing, the chance of a yes is at most ``level``; half of it goes to
    each. After a no, none stands out; after a yes, those do that passed, and those with q-values up to it.

    Parameters
    ----------
    observed : ndarray of shape (n_features,)
    draws : ndarray of shape (n_draws, n_features)
        At least 39 for a level of .05: with fewer the first question cannot be answered yes.
    p_own_groups : ndarray of shape (n_features,)
    level : float, default=0.05

    Returns
    -------
    ndarray of bool of shape (n_features,)
    """
    passed = (p_most(observed, draws) <= level / 2) | (p_own_groups * len(p_own_groups) <= level / 2)
    if not passed.any():
        return passed
    return passed | (q_values(p_more(observed, draws)) <= level) | (q_values(p_own_groups) <= level)


def verdicts(
    q_shared: np.ndarray, q_own_groups: np.ndarray, q_one_gaussian: np.ndarray, level: float = LEVEL
) -> list[Verdict]:
    """What each feature has to do with the clusters.

    It makes clusters if it has groups of its own, or knows more of the partitions than in one Gaussian; else
    it goes along with others if it shares its structure with them; else it is noise.
    """
    makes = (q_own_groups <= level) | (q_one_gaussian <= level)
    along = q_shared <= level
    return [MAKES_CLUSTERS if m else GOES_ALONG if a else NOISE for m, a in zip(makes, along, strict=True)]
