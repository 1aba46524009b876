"""Statistical comparison of methods: Friedman, Nemenyi, Wilcoxon with Holm, Bayesian signed rank.

Results have scenarios as rows and methods as columns; larger is better.

References
----------
Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7, 1-30.
Benavoli, Corani, Demšar, Zaffalon (2017), Time for a change: a tutorial for comparing multiple classifiers
through Bayesian analysis, JMLR 18(77).
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

LEVEL = 0.05
ROPE = 0.01  # region of practical equivalence: AUCs that differ by less count as equal
SAMPLES = 5_000  # from the posterior of the Bayesian test
EXTRA = "pip install 'xcompare-clustering[leaderboard]'"


class Friedman(NamedTuple):
    """Friedman's test of equal methods, and the less conservative version of Iman and Davenport."""

    chi_square: float
    p_value: float
    f: float
    f_p_value: float


def average_ranks(results: pd.DataFrame) -> pd.Series:
    """Mean rank of each method over the scenarios, 1 is best; ties share their mean rank."""
    return results.rank(axis=1, ascending=False).mean().sort_values(kind="stable").rename("rank")


def friedman(results: pd.DataFrame) -> Friedman:
    """Friedman's test, as in Demšar's paper: without a correction for ties."""
    n, k = results.shape
    ranks = average_ranks(results).to_numpy()
    chi_square = 12 * n / (k * (k + 1)) * ((ranks**2).sum() - k * (k + 1) ** 2 / 4)
    f = (n - 1) * chi_square / (n * (k - 1) - chi_square) if chi_square < n * (k - 1) else np.inf
    return Friedman(
        float(chi_square),
        float(stats.chi2.sf(chi_square, k - 1)),
        float(f),
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
    )


def critical_difference(n_methods: int, n_scenarios: int, level: float = LEVEL) -> float:
    """Critical difference of average ranks for Nemenyi's test.

    The quantile is that of the studentized range for infinite degrees of freedom, over the square root of 2.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = stats.studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_scenarios)))


def alike(ranks: pd.Series, difference: float) -> list[tuple[str, ...]]:
    """Maximal groups of methods whose average ranks differ by less than the critical difference.

    Examples
    --------
    >>> alike(pd.Series({"a": 1.0, "b": 1.5, "c": 2.5}), 1.2)
    [('a', 'b'), ('b', 'c')]
    """
    ordered = ranks.sort_values(kind="stable")
    values, names = ordered.to_numpy(), [str(name) for name in ordered.index]
    ends = [int(np.searchsorted(values, value + difference, side="left")) for value in values]
    groups = []
    for start, end in enumerate(ends):
        if end - start > 1 and (start == 0 or end > ends[start - 1]):
            groups.append(tuple(names[start:end]))
    return groups


def pairwise(results: pd.DataFrame) -> pd.DataFrame:
    """All pairs of methods: Wilcoxon's signed rank test with Holm's correction (scikit-posthocs).

    Uses the exact distribution without ties, which is conservative with ties.

    Returns ``method, other, difference`` (mean of the first minus mean of the second), ``p_value``.

    Raises
    ------
    ImportError
        Without ``xcompare-clustering[leaderboard]``.
    """
    from scikit_posthocs import posthoc_wilcoxon

    long = results.melt(var_name="method", value_name="value")
    p_values = posthoc_wilcoxon(long, "value", "method", "exact", "zsplit", p_adjust="holm")
    means = results.mean()
    rows = [
        (one, other, means[one] - means[other], float(p_values.loc[one, other]))
        for one, other in combinations(average_ranks(results).index, 2)
    ]
    return pd.DataFrame(rows, columns=["method", "other", "difference", "p_value"])


def against_best(results: pd.DataFrame, rope: float = ROPE, seed: int = 0) -> pd.DataFrame:
    """The top-ranked method against every other, by the Bayesian signed rank test (baycomp).

    Returns ``method, other, p_better, p_equal, p_worse``: probabilities that the first is better, that they
    differ by less than ``rope``, and that it is worse.

    Raises
    ------
    ImportError
        Without ``xcompare-clustering[leaderboard]``.
    """
    from baycomp import SignedRankTest

    best, *others = average_ranks(results).index
    rows = []
    for other in others:
        pair = results[best].to_numpy(), results[other].to_numpy()
        posterior = SignedRankTest(*pair, rope, nsamples=SAMPLES, random_state=seed)
        better, equal, worse = posterior.probs()
        rows.append((best, other, float(better), float(equal), float(worse)))
    return pd.DataFrame(rows, columns=["method", "other", "p_better", "p_equal", "p_worse"])
