"""Whether the method that was developed here does worse on scenarios that took no part in its development.

Every scenario is either for development or for judgement of that method (`Scenario.role`). The other methods
show how much of a difference between the two is one in difficulty.
"""

import numpy as np
import pandas as pd
from scipy import stats

from xcompare.studies.benchmark.families import FEWEST, LEVEL
from xcompare.studies.benchmark.scenarios import SCENARIOS

ROLES = ("development", "judgement")


def by_role(results: pd.DataFrame) -> pd.DataFrame:
    """Mean AUC of each method on scenarios of each role, and their difference.

    ``results``: as `Leaderboard.results`. Returns ``development, judgement, gap`` by method, NaN where no
    scenario has the role; the gap is that of judgement less that of development.
    """
    roles = _roles(results)
    found = results.groupby(roles).mean().reindex(ROLES).T
    return found.assign(gap=found["judgement"] - found["development"]).rename_axis(columns=None)


def lead(results: pd.DataFrame, method: str) -> tuple[float, float, float, float] | None:
    """Lead over the mean of the others on scenarios of each role, and Welch's 95% interval of its change.

    None without others, or 5 scenarios of each role.
    """
    ahead = results[method] - results.drop(columns=method).mean(axis=1)
    roles = _roles(results)
    seen, unseen = (ahead[roles == role].to_numpy() for role in ROLES)
    if min(len(seen), len(unseen)) < FEWEST or np.isnan(ahead).any():
        return None
    interval = stats.ttest_ind(unseen, seen, equal_var=False).confidence_interval(1 - LEVEL)
    return seen.mean(), unseen.mean(), float(interval.low), float(interval.high)


def gap_sentences(results: pd.DataFrame, method: str) -> list[str]:
    """What the scenarios of the two roles say of the method that was developed on some of them."""
    if method not in results:
        return []
    found, roles = by_role(results), _roles(results)
    if found.loc[method].isna().any():
        return []
    line, others, counts = found.loc[method], found.drop(index=method), roles.value_counts()
    hard = f"; the median gap of the other methods is {others['gap'].median():+.3f}" if len(others) else ""
    said = [
        f"{method} was developed on {counts['development']} of these scenarios, with other draws;"
        f" {counts['judgement']} took no part in it. Its mean AUC is {line['development']:.3f} on the former"
        f" and {line['judgement']:.3f} on the latter, a gap of {line['gap']:+.3f}{hard}."
    ]
    ahead = lead(results, method)
    if ahead is not None:
        before, after, low, high = ahead
        said.append(
            f"Its lead over the mean of the others is {before:.3f} and {after:.3f}: a change of"
            f" {after - before:+.3f} (95% interval {low:+.3f} to {high:+.3f})."
        )
    return said


def _roles(results: pd.DataFrame) -> pd.Series:
    return pd.Series([SCENARIOS[str(name)].role for name in results.index], results.index, dtype=object)
