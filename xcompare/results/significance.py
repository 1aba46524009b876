"""`Significance`: the tests behind the answer, by feature."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from xcompare.inference.answer import LEVEL, Outcome, combined_feature_p_values, q_values
from xcompare.inference.existence import RELEVANT, ClusterTests
from xcompare.inference.number_of_clusters import p_text
from xcompare.inference.rankings import LEADER, families
from xcompare.results.export import frame_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xcompare.results.comparison import Comparison

Verdict = Literal["relevant", "differs between clusters", "noise"]


@dataclass(frozen=True, eq=False)
class Significance:
    """Tests of the clusters and of each feature. Part of a `Comparison`, and made by `significance`.

    Attributes
    ----------
    name : str
        Name of the dataset.
    feature_names : tuple of str
    outcome : {"found", "no evidence", "cannot tell"}
        Whether there are clusters.
    p_clusters : float
        p-value of the null hypothesis of no clusters.
    importance : ndarray of shape (n_features,)
        Importance by the leading method, divided by its maximum.
    p_associated : ndarray of shape (n_features,)
        p-values of independence from the clusters found by the other features.
    p_modes : ndarray of shape (n_features,)
        p-values of unimodality of the feature.
    """

    name: str
    feature_names: tuple[str, ...]
    outcome: Outcome
    p_clusters: float
    importance: np.ndarray
    p_associated: np.ndarray
    p_modes: np.ndarray

    @property
    def q(self) -> np.ndarray:
        """q-values of both tests combined; rejecting at q <= .05 controls the false discovery rate at 5%."""
        tests = ClusterTests(self.p_clusters, self.p_associated, self.p_modes, 0.0, False)
        return q_values(combined_feature_p_values(tests))

    @property
    def table(self) -> pd.DataFrame:
        """One row per feature: importance, p-values of the two tests, combined q-value, verdict."""
        columns: dict[str, Any] = {
            "importance": self.importance,
            "p_associated": self.p_associated,
            "p_modes": self.p_modes,
            "q": self.q,
            "verdict": self._verdicts(),
        }
        return pd.DataFrame(columns, pd.Index(self.feature_names, name="feature"))

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """ "relevant", "differs between clusters" or "noise" by feature; all noise without clusters."""
        return dict(zip(self.feature_names, self._verdicts(), strict=True))

    def plot(self, ax: Any = None) -> "Axes":
        """Importance of each feature, coloured by verdict."""
        from xcompare.results.plots.scores import verdict_bars

        return verdict_bars(self.table, self.name, ax)

    def __repr__(self) -> str:
        return f"<Significance {self._caption}>\n{self.table.round(3).to_string()}"

    def _repr_html_(self) -> str:
        return frame_html(self.table, self._caption, digits=3)

    @property
    def _caption(self) -> str:
        words = {"found": "clusters found", "no evidence": "no evidence of clusters"}
        return f"{self.name}: {words.get(self.outcome, 'cannot tell')} ({p_text(self.p_clusters)})"

    def _verdicts(self) -> list[Verdict]:
        if self.outcome != "found":
            return ["noise"] * len(self.feature_names)
        makes = (self.importance >= RELEVANT) | (q_values(self.p_modes) <= LEVEL)
        return [
            "noise" if q > LEVEL else "relevant" if one else "differs between clusters"
            for q, one in zip(self.q, makes, strict=True)
        ]


def tested(comparison: "Comparison", tests: ClusterTests) -> Significance:
    """The tests of a comparison, with the importances of the leading method."""
    grouped = families(comparison.rankings.values())
    leader = [one for one in grouped if one.family == LEADER] or grouped
    scores = np.mean([one.scores for one in leader], axis=0) if leader else np.zeros(len(tests.p_modes))
    outcome = comparison.decision.outcome
    assert outcome is not None
    return Significance(
        comparison.name,
        comparison.feature_names,
        outcome,
        tests.p_clusters,
        scores / (scores.max() or 1.0),
        tests.p_associated,
        tests.p_modes,
    )
