"""Whether the first place is told apart: paired differences in each family of scenarios, with intervals."""

import numpy as np
import pandas as pd
from scipy import stats

from xcompare.studies.benchmark.collect import TRUTH
from xcompare.studies.benchmark.scenarios import SCENARIOS

LEVEL = 0.05  # of all intervals of a family together
FEWEST = 5  # paired differences for an interval: the standard error of fewer is itself hardly known
AT_RANDOM = 0.5  # AUC of a run without a result
COLUMNS = [
    "family", "scenarios", "draws", "first", "auc", "other", "difference", "low", "high", "over",
    "told_apart",
]  # fmt: skip


def first_places(scores: pd.DataFrame) -> pd.DataFrame:
    """The method with the largest mean AUC of each family of scenarios, against every other.

    All methods are applied to the same draws. The difference is the mean over the scenarios of the mean over
    their draws. Its interval is Student's, at 95% for all others of a family together (Bonferroni): over the
    scenarios, for new scenarios of the family, if there are at least 5; else over the draws, for new draws of
    the same scenarios, if each has at least 5; else there is none.

    ``scores``: as `Leaderboard.scores`. Returns ``family, scenarios, draws`` (numbers), ``first, auc, other,
    difference, low, high, over`` ("scenarios", "draws", or "" without an interval) and ``told_apart``.
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
            low, high, over = _interval(values[first] - values[other], LEVEL / (len(means) - 1))
            rows.append(
                (family, n_scenarios, n_draws, first, means[first], other, means[first] - means[other],
                 low, high, over, low > 0)
            )  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS).astype({"told_apart": bool})


def first_place_sentences(found: pd.DataFrame) -> list[str]:
    """One sentence per family: its first method, and which others are not told apart from it."""
    said = []
    for family, part in found.groupby("family", sort=False):
        near, line = part.loc[~part["told_apart"], "other"].tolist(), part.iloc[0]
        if not line["over"]:
            apart = f"too few draws for intervals ({line['draws']} of {line['scenarios']} scenarios)"
        else:
            some = f"not told apart from {', '.join(near)}" if near else "told apart from all others"
            apart = f"{some} (intervals over {line['over']})"
        said.append(f"{family}: {line['first']}, mean AUC {line['auc']:.3f}, {apart}.")
    return said


def _interval(paired: pd.Series, level: float) -> tuple[float, float, str]:
    """Student's interval of the mean over scenarios of the means over draws, and what it is over."""
    by = paired.unstack("draw")
    over, units = "scenarios", by.mean(axis=1)
    if len(units) < FEWEST:
        over, units = "draws", by.dropna(axis=1).mean()
    if len(units) < FEWEST:
        return float("nan"), float("nan"), ""
    reach = stats.t.ppf(1 - level / 2, len(units) - 1) * units.std() / np.sqrt(len(units))
    return float(units.mean() - reach), float(units.mean() + reach), over
