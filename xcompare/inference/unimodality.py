"""Two tests of unimodality.

Hartigan's dip test is more powerful for clusters of similar size. The gap test detects a small cluster far
from the rest: intervals are chosen on one sample and tested on another, so its p-value is exact.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from diptest import diptest
from scipy.stats import binom, landau, norm

from xcompare.core.ties import spread_ties

DIP_ROWS = 70_000  # largest sample in the table of critical values of the dip
FEWEST_VALUES = 8  # needed for a test
LOCATION = 1 + np.log(np.pi / 2) - np.euler_gamma  # of the Landau distribution of a mean of inverse p-values
POINT_MASS = 0.2  # share of the rows
N_CELLS = 24  # of equal width; the intervals end at their edges
_CUTS = np.array(list(combinations(range(N_CELLS + 1), 4))).T


def dip_p_value(x: np.ndarray) -> float:
    """p-value of Hartigan's dip test, calibrated with the uniform distribution.

    The uniform distribution has the largest dips of all unimodal ones, so the test is conservative for
    others.

    ``x`` of shape (n_samples,): without ties; see `spread_ties`.

    References
    ----------
    Hartigan and Hartigan (1985), The dip test of unimodality. doi:10.1214/aos/1176346577

    Examples
    --------
    >>> dip_p_value(np.r_[np.linspace(0, 1, 30), np.linspace(4, 5, 30)])
    0.0
    """
    if len(x) < FEWEST_VALUES:
        return 1.0
    x = np.sort(x)
    if len(x) > DIP_ROWS:
        x = x[np.linspace(0, len(x) - 1, DIP_ROWS).round().astype(int)]
    return float(diptest(x, sort_x=False)[1])


def dip_p_values(X: np.ndarray) -> np.ndarray:
    """`dip_p_value` of every column, after spreading ties.

    A minimum or maximum shared by a fifth of the rows, such as the zeros of a count, is left out: a
    point mass beside a continuous part is a second mode, but no evidence of clusters.

    ``X`` of shape (n_samples, n_features). Returns shape (n_features,).
    """
    return np.array([dip_p_value(spread_ties(_without_point_masses(column))) for column in X.T])


def _without_point_masses(x: np.ndarray) -> np.ndarray:
    ends = [end for end in (x.min(), x.max()) if (x == end).mean() >= POINT_MASS]
    return x[~np.isin(x, ends)]


class Gap(NamedTuple):
    """Three adjacent intervals; a unimodal density is not larger on both outer ones than in the middle."""

    edges: np.ndarray  # (4,), ascending
    depth: float  # log likelihood ratio of the gap in the sample it was chosen on; none if 0 or less

    @classmethod
    def of(cls, x: np.ndarray, bandwidth: float) -> "Gap":
        """The deepest gap in a kernel density estimate.

        ``x`` of shape (n_samples,).
        """
        edges = np.linspace(x.min() - bandwidth, x.max() + bandwidth, N_CELLS + 1)
        below = norm.cdf((edges[:, None] - x) / bandwidth).sum(axis=1)
        left, middle, right = (below[_CUTS[at + 1]] - below[_CUTS[at]] for at in range(3))
        widths = np.diff(_CUTS, axis=0)
        depth = np.minimum(_excess(left, middle, widths[0] / widths[1]),
                           _excess(right, middle, widths[2] / widths[1]))  # fmt: skip
        best = int(depth.argmax())
        return cls(edges[_CUTS[:, best]], float(depth[best]))

    def p_value(self, x: np.ndarray) -> float:
        """p-value of unimodality on a sample that was not used to choose the intervals.

        Given the number of values in an outer interval and the middle, the number in the outer one is
        binomial, with a success probability of at most its share of the width if the density is not larger
        there. Under unimodality this holds for one of the two, so the larger p-value is valid.
        """
        counts = np.histogram(x, self.edges)[0]
        widths = np.diff(self.edges)
        p_values = [
            binom.sf(counts[at] - 1, counts[at] + counts[1], widths[at] / (widths[at] + widths[1]))
            for at in (0, 2)
        ]
        return float(max(p_values))


def _excess(outer: np.ndarray, middle: np.ndarray, ratio: np.ndarray) -> np.ndarray:
    """Log likelihood ratio of two densities against one, negative if the outer one is not larger."""
    outer, middle = outer + 1e-9, middle + 1e-9
    share, expected = outer / (outer + middle), ratio / (1 + ratio)
    found = outer * np.log(share / expected) + middle * np.log((1 - share) / (1 - expected))
    return np.where(share > expected, found, -1.0)


def combined_p_value(p_values: np.ndarray) -> float:
    """Harmonic mean p-value, which combines dependent tests of one hypothesis.

    Asymptotically exact for independent p-values and robust to positive dependence; few small ones suffice.

    References
    ----------
    Wilson (2019), The harmonic mean p-value for combining dependent tests. doi:10.1073/pnas.1814092116

    Examples
    --------
    >>> round(combined_p_value(np.array([0.001, 0.5, 0.9])), 4)
    0.0031
    """
    p_values = np.maximum(np.ravel(p_values), 1e-15)
    mean = len(p_values) / (1 / p_values).sum()
    return float(landau.sf(1 / mean, loc=np.log(len(p_values)) + LOCATION, scale=np.pi / 2))
