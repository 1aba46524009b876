"""The answer of a comparison: are there clusters, which features matter most, do the methods agree?

The same for Python, the terminal, JSON, the report and notebooks; docs/the-answer.md has its error rates.

1. *Existence* is decided by the test of `existence`: found, no evidence, or cannot tell, with the reason.
2. *The ranking* is that of `RefinedClustering` if it ran. Features with at least half of its largest
   importance lead; if clusters are found, the leading features that differ between them are named, five at
   most.
3. *The other families of methods are a second opinion*: how many rank a leading feature first, and which
   rank another feature first. A family that gives most features the first rank has no opinion.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import stats

from xcompare.inference.existence import ClusterTests
from xcompare.inference.number_of_clusters import p_text
from xcompare.inference.rankings import LEADER, MOST_NAMED, Ranking, families, listed, mean_ranking

Outcome = Literal["found", "no evidence", "cannot tell"]
LEVEL = 0.05
WEAK_EVIDENCE = 0.3  # largest p-value for which the evidence is called weak
FEWEST_ROWS, ROWS_PER_CLUSTER = 60, 15  # below which the test has little power
DRIFT = 0.3  # autocorrelation of neighbouring rows from which they are not independent
FAMILIES = "families of methods"
OTHER_FEATURES = "there is evidence of clusters, but in other features than those that rank first"
LEADING = 0.5  # share of the largest importance
FEW_VALUES, CORRELATED, REDUNDANT, HEAVY = (
    10,
    0.6,
    0.9,
    3.0,
)  # of a feature that a disagreeing family ranks first


@dataclass(frozen=True)
class Answer:
    """The answer of a comparison.

    Attributes
    ----------
    outcome : {"found", "no evidence", "cannot tell"} or None
        Whether there are clusters; None if not tested.
    reason : str
        Reason for "cannot tell"; else "".
    p_clusters : float or None
        p-value of no clusters.
    named : tuple of str
        The most important features, five at most.
    leading : tuple of str
        All features with at least half of the largest importance, the most important first.
    differing : tuple of str or None
        Features that differ between the clusters (q <= .05); None unless clusters were found.
    n_features, n_clusters : int
    agreeing, n_opinions : int
        Number of other families of methods that rank a leading feature first, and number that count.
    led_by : str
        Family whose ranking leads; "" for the mean of all families.
    dissent : tuple of str
        What the others rank first, e.g. ``"forest ranks Ash first (few distinct values)"``.
    kind : str
        What has a second opinion.
    """

    outcome: Outcome | None
    reason: str
    p_clusters: float | None
    named: tuple[str, ...]
    leading: tuple[str, ...]
    differing: tuple[str, ...] | None
    n_features: int
    n_clusters: int
    agreeing: int
    n_opinions: int
    led_by: str = ""
    dissent: tuple[str, ...] = ()
    kind: str = FAMILIES

    def __str__(self) -> str:
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether there are clusters, which features matter most, the second opinions; those there are."""
        return tuple(part for part in (self._existence(), self._features(), self._opinions()) if part)

    def _existence(self) -> str:
        if self.outcome is None or self.p_clusters is None:
            return ""
        if self.outcome == "cannot tell":
            return f"Cannot tell whether there are clusters: {self.reason}."
        words = "Clusters found" if self.outcome == "found" else "No evidence of clusters"
        return f"{words} ({p_text(self.p_clusters)})."

    def _features(self) -> str:
        if not self.named:
            return "None of the methods could rank the features."
        out = self.leading if self.differing is None else set(self.leading) & set(self.differing)
        rest = max(len(out) - len(self.named), 0)
        names = f"{', '.join(self.named)} and {rest} more" if rest else listed(self.named)
        said = f"{names} {'matters' if len(self.named) + rest == 1 else 'matter'} most"
        if self.outcome in ("no evidence", "cannot tell"):
            said = f"If there are {self.n_clusters}, {said}"
        if self.differing is not None:
            said += f"; {len(self.differing)} of {self.n_features} features differ between the clusters"
        return f"{said}."

    def _opinions(self) -> str:
        if not self.n_opinions:
            return ""
        other = "other " if self.led_by and self.kind == FAMILIES else ""
        families = f"{self.n_opinions} {other}{self.kind}"
        if self.n_opinions == 1 and self.kind == FAMILIES:
            said = f"The other family of methods {'agrees' if self.agreeing else 'disagrees'}"
        elif self.agreeing == self.n_opinions:
            said = f"All {families} agree" if self.n_opinions > 2 else f"Both {families[2:]} agree"
        else:
            said = f"{self.agreeing or 'None'} of {families} agree{'s' if self.agreeing == 1 else ''}"
        return f"{'; '.join([said, *self.dissent])}."


def decide(tests: ClusterTests, n_samples: int, n_clusters: int) -> tuple[Outcome, str]:
    """Whether there are clusters, and the reason if the test cannot tell."""
    if tests.autocorrelation > DRIFT:
        return "cannot tell", (
            f"neighbouring rows are alike (autocorrelation {tests.autocorrelation:.2f}), as in a time series,"
            " and the test needs independent rows"
        )
    if tests.p_clusters <= LEVEL:
        return "found", ""
    if n_samples < max(FEWEST_ROWS, ROWS_PER_CLUSTER * n_clusters):
        return "cannot tell", f"{n_samples} rows are too few for the test ({p_text(tests.p_clusters)})"
    if tests.binary:
        return "cannot tell", (
            f"the features that separate them are binary, and too few agree ({p_text(tests.p_clusters)})"
        )
    if tests.p_clusters <= WEAK_EVIDENCE:
        return "cannot tell", f"the evidence is weak ({p_text(tests.p_clusters)})"
    return "no evidence", ""


def q_values(p_values: np.ndarray) -> np.ndarray:
    """Benjamini-Hochberg q-values, which control the false discovery rate.

    References
    ----------
    Benjamini and Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x

    Examples
    --------
    >>> q_values(np.array([0.01, 0.02, 0.9])).round(2)
    array([0.03, 0.03, 0.9 ])
    """
    return stats.false_discovery_control(p_values)


def combined_feature_p_values(tests: ClusterTests) -> np.ndarray:
    """p-value of each feature: association with clusters of the other features, or several modes."""
    return np.minimum(1.0, 2 * np.minimum(tests.p_associated, tests.p_modes))


def make_answer(
    rankings: Iterable[Ranking],
    feature_names: Sequence[str],
    n_clusters: int,
    *,
    tests: ClusterTests | None = None,
    n_samples: int = 0,
    X: np.ndarray | None = None,
    kind: str = FAMILIES,
) -> Answer:
    """The answer of a comparison.

    ``rankings``: one per method. ``tests``: None if not tested. ``X`` of shape (n_samples, n_features) or
    None: to say why a family may rank another feature first. ``kind``: what the families are.

    Examples
    --------
    >>> none = np.zeros(4)
    >>> rankings = [
    ...     Ranking("Refined", "refined", np.array([1.0, 0.9, 0.2, 0.0]), none),
    ...     Ranking("CUBT", "tree", np.array([1.0, 0.8, 0.1, 0.0]), none),
    ...     Ranking("URF", "forest", np.array([0.1, 0.2, 0.9, 0.3]), none),
    ... ]
    >>> print(make_answer(rankings, ["length", "width", "depth", "age"], 2))
    length and width matter most. 1 of 2 other families of methods agrees; forest ranks depth first.
    """
    grouped = families(rankings)
    outcome, reason = (None, "") if tests is None else decide(tests, n_samples, n_clusters)
    leader = next((one for one in grouped if one.family == LEADER), None)
    order = _leading(leader, grouped)
    out = None
    if tests is not None and outcome == "found":
        out = set(np.flatnonzero(q_values(combined_feature_p_values(tests)) <= LEVEL).tolist())
        if order and out and out.isdisjoint(order):  # two partitions, of which one at most is the clusters
            outcome, reason, out = "cannot tell", OTHER_FEATURES, None
    named = [j for j in order if out is None or j in out] or order[:1]
    others = (
        [one for one in grouped if one is not leader and one.is_decided]
        if leader is not None or (len(grouped) > 1)
        else []
    )
    against = [one for one in others if not _agrees(one, order, X)]
    return Answer(
        outcome,
        reason,
        None if tests is None else tests.p_clusters,
        tuple(feature_names[j] for j in named[:MOST_NAMED]),
        tuple(feature_names[j] for j in order),
        None if out is None else tuple(feature_names[j] for j in sorted(out)),
        len(feature_names),
        n_clusters,
        len(others) - len(against),
        len(others),
        "" if leader is None else leader.title,
        tuple(_dissent(one, order, feature_names, X) for one in against[:2]),
        kind,
    )


def _leading(leader: Ranking | None, grouped: Sequence[Ranking]) -> list[int]:
    """Leading features, the most important first."""
    if leader is not None:
        order = np.argsort(-leader.scores, kind="stable")
        return order[leader.scores[order] >= LEADING * leader.scores.max()].tolist()
    decided = [one for one in grouped if one.is_decided] or list(grouped)
    if not decided:
        return []
    together = replace(mean_ranking("", list(decided)), error=np.zeros_like(decided[0].scores))
    return sorted(together.first, key=lambda j: (-together.scores[j], j))


def _agrees(ranking: Ranking, leading: Sequence[int], X: np.ndarray | None) -> bool:
    """Whether a family ranks a leading feature first, or one that is redundant with it."""
    if not ranking.first.isdisjoint(leading):
        return True
    if X is None:
        return False
    correlations = np.abs(_correlations(X, int(ranking.scores.argmax())))
    return bool((correlations[list(leading)] >= REDUNDANT).any())


def _dissent(ranking: Ranking, leading: Sequence[int], names: Sequence[str], X: np.ndarray | None) -> str:
    """What a family ranks first instead, and the likely reason."""
    top = int(ranking.scores.argmax())
    first = [names[j] for j in sorted(ranking.first, key=lambda j: (-ranking.scores[j], j))]
    why = "" if X is None else _likely_reason(X, top, leading)
    return f"{ranking.title} ranks {listed(first, 2)} first{f' ({why})' if why else ''}"


def _likely_reason(X: np.ndarray, top: int, leading: Sequence[int]) -> str:
    """Why a method may rank a feature first that does not separate the clusters; "" if unknown."""
    if len(np.unique(X[:, top])) <= FEW_VALUES:
        return "few distinct values"
    correlations = np.abs(_correlations(X, top))
    correlations[[top, *leading]] = 0
    if (correlations >= CORRELATED).sum() >= 2:
        return "part of a correlated block"
    if stats.kurtosis(X[:, top]) > HEAVY:
        return "heavy tails"
    return ""


def _correlations(X: np.ndarray, column: int) -> np.ndarray:
    """Correlation of one column with every column."""
    centered = X - X.mean(axis=0)
    lengths = np.maximum(np.linalg.norm(centered, axis=0), np.finfo(float).tiny)
    return centered.T @ centered[:, column] / (lengths * lengths[column])
