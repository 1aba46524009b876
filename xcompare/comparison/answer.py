"""The answer of a comparison in one line: what matters most, who says so, and whether anything stands out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from xcompare.comparison.table import PRINTED

FAMILIES = "families of methods"
MATTERS = ("matters most", "matter most")  # what is said of one feature, and of several
ERRORS = 2.0  # standard errors by which scores must differ to differ
OPPOSED = -0.5  # rank correlation with all others from which a method is said to contradict them
NAMED = 6  # features named before the rest is counted
NOTHING = "No feature stands out: the data may have no clusters."


@dataclass(frozen=True, eq=False)
class Voice:
    """Who ranks features: a method, or a family of them.

    Attributes
    ----------
    title : str
        What people call it.
    family : str
        Those of one family tend to agree whatever the data says, and have one vote together.
    scores : ndarray of shape (n_features,)
        Larger means more important; NaN when unknown.
    error : ndarray of shape (n_features,)
        Their standard errors; 0 where nothing is random.
    """

    title: str
    family: str
    scores: np.ndarray
    error: np.ndarray

    @property
    def ranks_features(self) -> bool:
        """Whether the scores are known and not all equal as printed."""
        return not np.isnan(self.scores).any() and np.ptp(np.round(self.scores, PRINTED)) > 0

    @property
    def first(self) -> frozenset[int]:
        """The features in the first place: all that equal the best as printed, or but for chance."""
        best = int(self.scores.argmax())
        printed = np.round(self.scores, PRINTED)
        margin = ERRORS * np.hypot(self.error, self.error[best])
        equal = (printed == printed[best]) | (self.scores[best] - self.scores <= margin)
        return frozenset(np.flatnonzero(equal).tolist())


def families(voices: Iterable[Voice]) -> list[Voice]:
    """One voice per family: the mean of its members that rank features, each divided by its maximum."""
    members: dict[str, list[Voice]] = {}
    for voice in voices:
        if voice.ranks_features:
            members.setdefault(voice.family, []).append(voice)
    return [_together(family, some) for family, some in members.items()]


def overall_ranks(voices: Iterable[Voice], feature_names: Sequence[str]) -> pd.Series:
    """Mean place of each feature over the families, the most important feature first.

    Parameters
    ----------
    voices : iterable of Voice
    feature_names : sequence of str

    Returns
    -------
    Series
        By feature, ascending; of equals, the first in the data. NaN when nobody ranks.
    """
    mean = _mean_places(families(voices), len(feature_names))
    order = np.argsort(mean, kind="stable")
    index = pd.Index([feature_names[j] for j in order], name="feature")
    return pd.Series(mean[order], index, name="mean_rank")


def answer(
    voices: Iterable[Voice],
    feature_names: Sequence[str],
    *,
    kind: str = FAMILIES,
    matters: tuple[str, str] = MATTERS,
    verdicts: Mapping[str, str] | None = None,
    standing_out: Sequence[str] | None = None,
    with_half: Voice | None = None,
) -> str:
    """What matters most, how many agree, who contradicts, and how many features stand out.

    Each family has one vote, for all features that share its first place. Of the families' first places,
    the one that most others share a feature with is named.

    Parameters
    ----------
    voices : iterable of Voice
    feature_names : sequence of str
    kind : str, default="families of methods"
        What the families are.
    matters : (str, str), default=("matters most", "matter most")
        What is said of the feature that comes first, and of several that do.
    verdicts : mapping of str to str or None, default=None
        What each feature has to do with the clusters, where that was tested.
    standing_out : sequence of str or None, default=None
        Features that know more of the partitions than in one Gaussian, or have groups of their own; None:
        not looked at.
    with_half : Voice or None, default=None
        What one of the voices says with half of the features drawn, under the same title.

    Examples
    --------
    >>> none = np.zeros(3)
    >>> voices = [
    ...     Voice("Efron", "bagging", np.array([1.0, 1.0, 0.2]), none),
    ...     Voice("CUBT", "tree", np.array([1.0, 0.8, 0.1]), none),
    ...     Voice("URF", "forest", np.array([0.9, 0.8, 0.0]), none),
    ...     Voice("TWKM", "weighted K-means", np.array([0.1, 0.2, 1.0]), none),
    ... ]
    >>> answer(voices, ["length", "width", "depth"], standing_out=["length", "width"])
    'length and width matter most; 3 of 4 families of methods agree. TWKM ranks the features the other way \
round (-1.00). 2 of 3 features stand out.'
    """
    said = [voice for voice in voices if voice.ranks_features]
    if (standing_out is not None and not standing_out) or (
        verdicts and "makes clusters" not in verdicts.values()
    ):
        return NOTHING
    votes = families(said)
    if not votes:
        return "No answer: none of the methods could rank the features."
    against = _contradicted(said)
    named, agreed, lead = _lead(votes, feature_names, kind, matters, unanimous=not against)
    found = _found(named, len(feature_names), verdicts, standing_out)
    otherwise = "" if with_half is None else _with_half(said, with_half, feature_names)
    parts = (lead, against if agreed else "", found, otherwise)
    return " ".join(part for part in parts if part)


def _together(family: str, members: list[Voice]) -> Voice:
    largest = [np.abs(voice.scores).max() for voice in members]
    scores = np.mean([v.scores / top for v, top in zip(members, largest, strict=True)], axis=0)
    squares = [np.square(v.error / top) for v, top in zip(members, largest, strict=True)]
    return Voice(family, family, scores, np.sqrt(np.sum(squares, axis=0)) / len(members))


def _lead(
    votes: list[Voice],
    feature_names: Sequence[str],
    kind: str,
    matters: tuple[str, str],
    *,
    unanimous: bool,
) -> tuple[list[str], bool, str]:
    """The features that come first, whether most agree, and the sentence that says so.

    "All" is said only where no single method contradicts its family.
    """
    support = [sum(bool(vote.first & other.first) for other in votes) for vote in votes]
    best = int(np.argmax(support))  # of equals, the first in the table
    places = _mean_places(votes, len(feature_names))

    def names(features: frozenset[int]) -> list[str]:
        return [feature_names[j] for j in sorted(features, key=lambda j: (places[j], j))]

    named, total, agree = names(votes[best].first), len(votes), support[best]
    matter = f"{listed(named)} {matters[len(named) > 1]}"
    if total == 1:
        return named, True, f"{matter}, by {votes[0].title} alone."
    if agree == total and unanimous:
        return named, True, f"{matter}: all {total} {kind} agree."
    if 2 * agree > total:
        return named, True, f"{matter}; {agree} of {total} {kind} agree."
    apart = [n for n, vote in enumerate(votes) if not vote.first & votes[best].first]
    second = max(apart, key=lambda n: support[n])
    return (
        named,
        False,
        (
            f"The {kind} disagree: {listed(named)} first in {agree} of {total},"
            f" {listed(names(votes[second].first))} in {support[second]}."
        ),
    )


def _contradicted(voices: list[Voice]) -> str:
    """Methods that rank the features against all families but their own."""
    against = []
    for voice in voices:
        others = families(other for other in voices if other.family != voice.family)
        if len(others) > 1:
            places = _mean_places(others, len(voice.scores))
            rho = (
                stats.spearmanr(np.round(voice.scores, PRINTED), -places).statistic if np.ptp(places) else 0.0
            )
            if rho <= OPPOSED:
                against.append((voice.title, f"{rho:.2f}"))
    if not against:
        return ""
    who, by = listed([title for title, _ in against]), ", ".join(rho for _, rho in against)
    return f"{who} {'ranks' if len(against) == 1 else 'rank'} the features the other way round ({by})."


def _found(
    named: list[str],
    n_features: int,
    verdicts: Mapping[str, str] | None,
    standing_out: Sequence[str] | None,
) -> str:
    """How many features have something to do with the clusters."""
    if verdicts:
        words = list(verdicts.values())
        makes, along = words.count("makes clusters"), words.count("goes along with others")
        found = f"{makes} of {n_features} features make clusters, {along} go along with others"
        among = any(verdicts[name] == "makes clusters" for name in named)
    elif standing_out is not None:
        found = f"{len(standing_out)} of {n_features} features stand out"
        among = not set(named).isdisjoint(standing_out)
    else:
        return ""
    return f"{found}." if among else f"{found}; {listed(named)} not among them."


def _with_half(voices: list[Voice], half: Voice, feature_names: Sequence[str]) -> str:
    """What comes first with half of the features drawn, where nothing of that does with all but one."""
    for voice in voices:
        if voice.title == half.title and half.ranks_features and not voice.first & half.first:
            named = listed([feature_names[j] for j in sorted(half.first)])
            return f"With half of the features drawn, {named} first by {half.title}: see xcompare sweep."
    return ""


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _mean_places(votes: Sequence[Voice], n_features: int) -> np.ndarray:
    """Mean place of each feature; NaN when nobody ranks."""
    ranks = [stats.rankdata(-np.round(vote.scores, PRINTED)) for vote in votes]
    return np.mean(ranks, axis=0) if ranks else np.full(n_features, np.nan)
