"""Whether the first place is told apart: paired differences in each family of scenarios, with intervals."""

import numpy as np
import pandas as pd
from scipy import stats

from xcompare.studies.benchmark.collect import TRUTH
from xcompare.studies.benchmark.scenarios import SCENARIOS

LEVEL = 0.05  # of all intervals of a family together
AT_RANDOM = 0.5  # AUC of a run without a result
COLUMNS = ["family", "scenarios", "draws", "first", "auc", "other", "difference", "low", "high", "told_apart"]


def first_places(scores: pd.DataFrame) -> pd.DataFrame:
    """The method with the largest mean AUC of each family of scenarios, against every other.

    All methods are applied to the same draws. The difference is the mean over the scenarios of the mean over
    their draws; its interval is Student's, from the variation of the paired differences between the draws of
    a scenario. It holds for new draws of these scenarios, at 95% for all others of a family together
    (Bonferroni).

    ``scores``: as `Leaderboard.scores`. Returns ``family, scenarios, draws`` (numbers), ``first, auc, other,
    difference, low, high, told_apart``; without an interval (NaN, not told apart) if a scenario has a single
    draw.
    """
    runs = scores[scores["method"] != TRUTH]
    runs = runs.assign(
        auc=runs["auc"].fillna(AT_RANDOM), family=[SCENARIOS[name].family for name in runs["scenario"]]
    )
    rows = []
    for family, part in runs.groupby("family", sort=False):
        values = part.pivot_table("auc", ["scenario", "draw"], "method", sort=False).dropna(axis=1)
        means = values.groupby("scenario").mean().mean().sort_values(ascending=False, kind="stable")
        n_scenarios, n_draws = values.index.get_level_values("scenario").nunique(), len(values)
        for other in means.index[1:]:
            first = str(means.index[0])
            paired = values[first] - values[other]
            low, high = _interval(paired, LEVEL / (len(means) - 1))
            rows.append(
                (family, n_scenarios, n_draws, first, means[first], other, means[first] - means[other],
                 low, high, bool(low > 0))
            )  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


def first_place_sentences(found: pd.DataFrame) -> list[str]:
    """One sentence per family: its first method, and which others are not told apart from it."""
    said = []
    for family, part in found.groupby("family", sort=False):
        near = part.loc[~part["told_apart"], "other"].tolist()
        apart = f"not told apart from {', '.join(near)}" if near else "told apart from all others"
        said.append(f"{family}: {part['first'].iloc[0]}, mean AUC {part['auc'].iloc[0]:.3f}, {apart}.")
    return said


def _interval(paired: pd.Series, level: float) -> tuple[float, float]:
    """Student's interval of the mean over scenarios of the means over draws."""
    groups = paired.groupby("scenario")
    counts = groups.size()
    if (counts < 2).any():
        return float("nan"), float("nan")
    error = np.sqrt((groups.var() / counts).sum()) / len(counts)
    reach = stats.t.ppf(1 - level / 2, counts.sum() - len(counts)) * error
    middle = groups.mean().mean()
    return float(middle - reach), float(middle + reach)
