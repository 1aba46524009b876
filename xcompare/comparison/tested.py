"""What the tests of a comparison found: which features have anything to do with clusters, and what."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xcompare.bagging.reference import p_more
from xcompare.comparison import runs
from xcompare.harness.plan import Plan
from xcompare.harness.unit import UnitResult
from xcompare.hypotheses.verdict import Verdict, q_values, stand_out, verdicts
from xcompare.methods._hypotheses import ONE_GAUSSIAN, OWN_GROUPS, SHARED_STRUCTURE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLOOR = 0.95  # of what features know of partitions of one Gaussian


@dataclass(frozen=True, eq=False)
class Significance:
    """What each feature has to do with the clusters. Made by `significance`, or by `compare` if asked for.

    Attributes
    ----------
    name : str
        Of the dataset.
    feature_names : tuple of str
    importance : ndarray of shape (n_features,)
        Information with the partitions of bagged K-means on half of the features each, by their quality;
        divided by the largest.
    noise_floor : ndarray of shape (n_features,)
        What 95% of draws from one Gaussian stay below, on the same scale.
    p_shared, p_own_groups, p_one_gaussian : ndarray of shape (n_features,)
        p-values of the three tests.
    """

    name: str
    feature_names: tuple[str, ...]
    importance: np.ndarray
    noise_floor: np.ndarray
    p_shared: np.ndarray
    p_own_groups: np.ndarray
    p_one_gaussian: np.ndarray

    @property
    def table(self) -> pd.DataFrame:
        """One row per feature: importance, noise floor, p- and q-values of the tests, and the verdict."""
        columns: dict[str, Any] = {"importance": self.importance, "noise_floor": self.noise_floor}
        for test in ("shared", "own_groups", "one_gaussian"):
            p_values = getattr(self, f"p_{test}")
            columns |= {f"p_{test}": p_values, f"q_{test}": q_values(p_values)}
        columns["verdict"] = self._verdicts()
        return pd.DataFrame(columns, pd.Index(self.feature_names, name="feature"))

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """ "makes clusters", "goes along with others" or "noise", by feature."""
        return dict(zip(self.feature_names, self._verdicts(), strict=True))

    def plot(self, ax: Any = None) -> "Axes":
        """Importance of each feature beside its noise floor, coloured by verdict."""
        from xcompare.plots.significance import verdict_bars

        return verdict_bars(self.table, self.name, ax)

    def __repr__(self) -> str:
        return f"<Significance {self.name}>\n{self.table.round(3).to_string()}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.name)}</p>\n{self.table.round(3).to_html()}"

    def _verdicts(self) -> list[Verdict]:
        return verdicts(q_values(self.p_shared), q_values(self.p_own_groups), q_values(self.p_one_gaussian))


def tested(
    name: str, plan: Plan, results: Mapping[str, UnitResult], feature_names: tuple[str, ...]
) -> Significance | None:
    """The significance that is part of a comparison; None where it was not asked for, or did not finish."""
    shared = _scores(plan, results, SHARED_STRUCTURE.name)
    own, observed, draws = _reference(plan, results)
    if shared is None or own is None or observed is None or draws is None:
        return None
    largest = observed.max() or 1.0
    floor = np.quantile(draws, FLOOR, axis=0)
    return Significance(
        name, feature_names, observed / largest, floor / largest, shared, own, p_more(observed, draws)
    )


def standing_out(
    plan: Plan, results: Mapping[str, UnitResult], feature_names: tuple[str, ...]
) -> list[str] | None:
    """Names of the features that stand out; None where the tests are no part of the plan, or unfinished."""
    own, observed, draws = _reference(plan, results)
    if own is None or observed is None or draws is None:
        return None
    out = stand_out(observed, draws, own)
    return [name for name, one in zip(feature_names, out, strict=True) if one]


def _reference(
    plan: Plan, results: Mapping[str, UnitResult]
) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    """p-values of the dip test, what features know of the data's partitions, and of those of the draws."""
    rows = [row for row in plan.tests if row.method == ONE_GAUSSIAN.name and row.options["n_draws"]]
    found = [result.scores for row in rows for result in runs.finished(plan, results, row)]
    draws = [draw for scores in found if scores is not None for draw in scores.variants.values()]
    asked = sum(row.n_runs * row.options["n_draws"] for row in rows)
    complete = np.array(draws) if draws and len(draws) == asked else None
    return _scores(plan, results, OWN_GROUPS.name), _scores(plan, results, ONE_GAUSSIAN.name), complete


def _scores(plan: Plan, results: Mapping[str, UnitResult], test: str) -> np.ndarray | None:
    """Scores of a test that gives one number per feature; None where there are none."""
    for row in plan.tests:
        if row.method == test and not row.options.get("n_draws"):
            for result in runs.finished(plan, results, row):
                return result.scores.scores if result.scores is not None else None
    return None
