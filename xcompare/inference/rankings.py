"""Rankings of the features by methods and families of methods, and their majority."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

LEADER = "refined"  # the family whose ranking leads if it ran
STANDARD_ERRORS = 2.0  # within which scores are tied
DECIMALS = 2  # of printed scores
MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class Ranking:
    """Ranking of the features by a method or a family of methods."""

    title: str  # displayed name
    family: str  # methods of one family tend to agree on any data; each family counts once
    scores: np.ndarray  # (n_features,): larger means more important; NaN if unknown
    error: np.ndarray  # (n_features,): standard errors of the scores; 0 for deterministic methods

    @property
    def ranks_features(self) -> bool:
        """Whether the scores are known and not all tied."""
        return not np.isnan(self.scores).any() and np.ptp(np.round(self.scores, DECIMALS)) > 0

    @property
    def first(self) -> frozenset[int]:
        """Features ranked first: all that tie with the best as printed, or within two standard errors."""
        best = int(self.scores.argmax())
        printed = np.round(self.scores, DECIMALS)
        margin = STANDARD_ERRORS * np.hypot(self.error, self.error[best])
        equal = (printed == printed[best]) | (self.scores[best] - self.scores <= margin)
        return frozenset(np.flatnonzero(equal).tolist())

    @property
    def is_decided(self) -> bool:
        """Whether at most half of the features are ranked first."""
        return self.ranks_features and 2 * len(self.first) <= len(self.scores)


def families(rankings: Iterable[Ranking]) -> list[Ranking]:
    """One ranking per family: the mean of its members that rank features, each divided by its maximum.

    Of the leading family, features that all matter equally are a ranking, too.
    """
    members: dict[str, list[Ranking]] = {}
    for one in rankings:
        if one.ranks_features or (one.family == LEADER and one.scores.max() > 0):
            members.setdefault(one.family, []).append(one)
    return [mean_ranking(family, some) for family, some in members.items()]


def overall_ranks(rankings: Iterable[Ranking], feature_names: Sequence[str]) -> pd.Series:
    """Rank of each feature, the most important first: by the leading ranking, else the mean over families.

    Returns by feature, ascending; ties in the order of the data. NaN if no method ranks the features.
    """
    grouped = families(rankings)
    leader = [one for one in grouped if one.family == LEADER]
    mean = mean_ranks(leader or grouped, len(feature_names))
    order = np.argsort(mean, kind="stable")
    index = pd.Index([feature_names[j] for j in order], name="feature")
    return pd.Series(mean[order], index, name="rank")


def mean_ranks(rankings: Sequence[Ranking], n_features: int) -> np.ndarray:
    """Mean rank of each feature; NaN if no method ranks the features."""
    ranks = [stats.rankdata(-np.round(one.scores, DECIMALS)) for one in rankings]
    return np.mean(ranks, axis=0) if ranks else np.full(n_features, np.nan)


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a, b and c', 'a, b and 1 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def majority(
    rankings: Iterable[Ranking], feature_names: Sequence[str], kind: str, verb: tuple[str, str]
) -> str:
    """The features that most rankings put first, in a sentence; undecided rankings do not count.

    ``kind``: noun for the families, e.g. ``"kinds of measures"``. ``verb``: verb for one feature, and for
    several.

    Examples
    --------
    >>> none = np.zeros(3)
    >>> both = [Ranking(name, name, np.array([1.0, 0.5, 0.2]), none) for name in ("a", "b")]
    >>> majority(both, ["x", "y", "z"], "kinds of measures", ("differs most", "differ most"))
    'x differs most: both kinds of measures agree.'
    """
    grouped = families(rankings)
    decided = [one for one in grouped if one.is_decided] or grouped
    if not decided:
        return "No answer: none of the methods could rank the features."
    support = [sum(bool(one.first & other.first) for other in decided) for one in decided]
    best = decided[int(np.argmax(support))]
    ranks = mean_ranks(decided, len(feature_names))
    names = [feature_names[j] for j in sorted(best.first, key=lambda j: (ranks[j], j))]
    said, agree, total = f"{listed(names)} {verb[len(names) > 1]}", max(support), len(decided)
    if total == 1:
        return f"{said}, by {best.title}."
    if agree == total:
        return f"{said}: {'both' if total == 2 else f'all {total}'} {kind} agree."
    apart = [one for one in decided if not one.first & best.first]
    other = [feature_names[j] for j in sorted(apart[0].first, key=lambda j: (ranks[j], j))]
    return f"{said}, for {agree} of {total} {kind}; {apart[0].title}: {listed(other)}."


def mean_ranking(family: str, members: list[Ranking]) -> Ranking:
    largest = [np.abs(one.scores).max() for one in members]
    scores = np.mean([one.scores / top for one, top in zip(members, largest, strict=True)], axis=0)
    squares = [np.square(one.error / top) for one, top in zip(members, largest, strict=True)]
    return Ranking(family, family, scores, np.sqrt(np.sum(squares, axis=0)) / len(members))
