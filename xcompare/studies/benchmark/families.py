"""Whether the first place is told apart: paired differences in each family of scenarios, with intervals."""

import numpy as np
import pandas as pd
from scipy import stats

from xcompare.inference.rankings import listed
from xcompare.results.wording import DASH
from xcompare.studies.benchmark.collect import AT_RANDOM, TRUTH
from xcompare.studies.benchmark.scenarios import SCENARIOS

ALL = "all scenarios"  # the first family, where there are several
LEVEL = 0.05  # of all intervals of a family together
FEWEST = 5  # paired differences for an interval: the standard error of fewer is itself hardly known
MOST_NAMED = 6  # methods in a sentence
COLUMNS = [
    "family", "scenarios", "draws", "first", "auc", "other", "difference", "low", "high", "over",
    "told_apart",
]  # fmt: skip


def first_places(scores: pd.DataFrame) -> pd.DataFrame:
    """The method with the largest mean AUC of each family of scenarios, and of all, against every other.

    All methods are applied to the same draws. The difference is the mean over the scenarios of the mean over
    their draws. Its interval is Student's, at 95% for all others of a family together (Bonferroni): over the
    scenarios, for new scenarios of the family, if there are at least 5; else over the draws, for new draws of
    the same scenarios, if each has at least 5; else there is none.

    ``scores``: as `Leaderboard.scores`. Returns ``family, scenarios, draws`` (numbers), ``first, auc, other,
    difference, low, high, over`` ("scenarios", "draws", or "" without an interval) and ``told_apart``; the
    others of a family by mean AUC, all scenarios before their families.
    """
    runs = scores[scores["method"] != TRUTH]
    runs = runs.assign(auc=runs["auc"].fillna(AT_RANDOM["auc"]))
    families = runs["scenario"].map(lambda name: SCENARIOS[name].family)
    parts = [(str(name), part) for name, part in runs.groupby(families, sort=False)]
    if len(parts) > 1:
        parts.insert(0, (ALL, runs))
    rows = []
    for family, part in parts:
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


def first_place_table(found: pd.DataFrame) -> pd.DataFrame:
    """One row per family: its first method, the difference from the next, and all that are not told apart.

    ``found``: as `first_places` returns.
    """
    rows = []
    for family, part in found.groupby("family", sort=False):
        line = part.iloc[0]
        rows.append(
            (family, line["scenarios"], line["first"], f"{line['auc']:.3f}", line["other"],
             _difference(line), line["over"] or DASH, _not_told_apart(part) if line["over"] else DASH)
        )  # fmt: skip
    columns = ["family", "scenarios", "first", "auc", "next", "difference", "over", "not told apart"]
    return pd.DataFrame(rows, columns=columns)


def first_place_sentences(found: pd.DataFrame) -> list[str]:
    """One sentence per family: its first method, and which others are not told apart from it.

    `winner` has one on all scenarios together.
    """
    said = []
    for family, part in found[found["family"] != ALL].groupby("family", sort=False):
        line = part.iloc[0]
        if not line["over"]:
            apart = f"too few draws for intervals ({line['draws']} of {line['scenarios']} scenarios)"
        else:
            near = _not_told_apart(part)
            some = "told apart from all others" if near == "none" else f"not told apart from {near}"
            apart = f"{some} (intervals over {line['over']})"
        said.append(f"{family}: {line['first']}, mean AUC {line['auc']:.3f}, {apart}.")
    return said


def winner(found: pd.DataFrame) -> str:
    """What may be said of the first method over all scenarios; a winner only if it is told apart from all."""
    part = found[found["family"] == found["family"].iloc[0]]
    line = part.iloc[0]
    where = f"Over {line['scenarios']} scenario{'s' if line['scenarios'] > 1 else ''}"
    largest = f"{where} {line['first']} has the largest mean AUC, {line['auc']:.3f}"
    if not line["over"]:
        return f"{largest}; no winner is named, with too few scenarios and draws for intervals."
    next_best = f"Its difference from the next, {line['other']}, is {_difference(line)}."
    if part["told_apart"].all():
        return (
            f"{where} {line['first']} finds the relevant features best: its mean AUC, {line['auc']:.3f}, is"
            f" told apart from all others by 95% intervals of the paired differences. {next_best}"
        )
    return (
        f"{largest}, but is not told apart from {_not_told_apart(part)}: the 95% intervals of the paired"
        f" differences include 0. {next_best}"
    )


def _not_told_apart(part: pd.DataFrame) -> str:
    return listed(part.loc[~part["told_apart"], "other"].tolist(), MOST_NAMED) or "none"


def _difference(line: pd.Series) -> str:
    """A paired difference with its interval."""
    if not line["over"]:
        return f"{line['difference']:.3f}"
    return f"{line['difference']:.3f} ({line['low']:.3f} to {line['high']:.3f})"


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
