"""Clusters in plain words, with numbers in the units of the data: what a reader without statistics needs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from xcompare.inference.rankings import listed
from xcompare.inference.validated import ValidatedFeatures
from xcompare.results.clustered_table import REST, ClusteredTable, Contrast, deviations
from xcompare.results.effect_sizes import effect_sizes, largest, sizes_of
from xcompare.results.wording import condition_text, named, numbers, share, threshold_text, value_texts

if TYPE_CHECKING:
    from xcompare.results.explanation import Explanation

FEATURES = 3  # named per cluster
LEAST_SCORE = 0.3  # of a feature named in a sentence with the rule
SMALL = 0.15  # Cliff's delta below which a cluster is neither high nor low
CLEAR = 0.33  # least Cliff's delta or Cramér's V of a feature that is named, a medium effect
CONSIDERED = 50  # features searched for what sets a cluster apart from the nearest one
FEW_ROWS = 30
MANY_MISSING = 0.2
LISTED = 5  # names at most
NO_P_VALUES = (
    "The differences have no p-values: clusters made from the same table were chosen to differ, so a test of"
    " their differences would reject even in noise."
)
VALIDATE = "With validate=, clusters are found in one part of the data and tested in another."


@dataclass(frozen=True)
class ClusterSummary:
    """A cluster in words."""

    name: str
    rows: int
    share: float  # of all rows
    sentences: tuple[str, ...]  # what is different, the best single condition, and the nearest cluster

    def __str__(self) -> str:
        return f"{self.name} ({share(self.share)}): {' '.join(self.sentences)}"


def cluster_summaries(table: ClusteredTable, effects: pd.DataFrame) -> tuple[ClusterSummary, ...]:
    """Three sentences about each cluster.

    ``effects``: of `effect_sizes`, of each cluster against the rest; of other contrasts not used.

    Examples
    --------
    >>> from xcompare.core.features import Feature
    >>> X = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]])
    >>> table = ClusteredTable(X, (Feature("age"),), np.array([0, 0, 0, 1, 1, 1]), ("young", "old"))
    >>> young, old = cluster_summaries(table, effect_sizes(table, table.against_rest()))
    >>> young.sentences[0]
    'age 2 against 8 elsewhere.'
    >>> young.sentences[1]
    'All of its rows have age at most 5; no other row has.'
    """
    rest = effects[effects["reference"] == REST]
    described, rest = rest[rest["described"].astype(bool)], rest[~rest["described"].astype(bool)]
    near = _nearest(table)
    searched = set(largest(rest, CONSIDERED)["feature"])
    part = table.select(j for j, feature in enumerate(table.features) if feature.name in searched)
    between = effect_sizes(part, near, n_bootstraps=2) if near else rest.iloc[:0]
    found = []
    for code, name in enumerate(table.clusters):
        own = rest[rest["cluster"] == name]
        size = int(table.sizes[code])
        sentences = [_differences(table, code, own), *_condition(own)]
        if len(described):
            said = _differences(table, code, described[described["cluster"] == name])
            sentences.append(
                f"Not used for clustering: {said[0].lower() + said[1:] if said.startswith('No ') else said}"
            )
        if near:
            sentences.append(_against_nearest(near[code], table, between[between["cluster"] == name]))
        found.append(ClusterSummary(named(name), size, size / len(table.codes), tuple(sentences)))
    return tuple(found)


def about_tests(tested: ValidatedFeatures | None) -> list[str]:
    """Why there are no p-values for the labels as given; or how valid ones were computed."""
    return [f"{NO_P_VALUES} {VALIDATE}"] if tested is None else [tested.sentence]


def cautions(table: ClusteredTable, effects: pd.DataFrame) -> list[str]:
    """What to be careful about: small clusters, unclear ones, missing values."""
    said = []
    small = [
        f"{named(name)} ({size})"
        for name, size in zip(table.clusters, table.sizes, strict=True)
        if size < FEW_ROWS
    ]
    if small:
        said.append(f"Fewer than {FEW_ROWS} rows, so numbers are uncertain: {listed(small, len(small))}.")
    rest = effects[(effects["reference"] == REST) & ~effects["described"].astype(bool)]
    strongest = sizes_of(rest).groupby(rest["cluster"], sort=False).max()
    unclear = [named(name) for name, size in strongest.items() if not size >= CLEAR]
    if unclear:
        who, verb = listed(unclear, len(unclear)), "is" if len(unclear) == 1 else "are"
        said.append(f"{who} {verb} neither clearly above nor clearly below the other rows in any feature.")
    tails = list(dict.fromkeys(effects.loc[effects["heavy_tail"].astype(bool), "feature"]))
    if tails:
        which = listed(tails[:LISTED], LISTED)
        said.append(f"Outlying values distort the mean, so medians are given: {which}.")
    missing = np.isnan(table.X).mean(axis=0)
    gaps = [
        f"{feature.name} ({share(part)})"
        for feature, part in zip(table.features, missing, strict=True)
        if part > MANY_MISSING
    ]
    if gaps:
        said.append(f"Many values are missing and were left out: {listed(gaps, len(gaps))}.")
    return said


def _nearest(table: ClusteredTable) -> list[Contrast]:
    """Each cluster against the one with the most similar means; none if there are only two."""
    if len(table.clusters) < 3:
        return []
    own = table.select(j for j, feature in enumerate(table.features) if not feature.described)
    centers = deviations(own).fillna(0.0).to_numpy().T
    distances = np.square(centers[:, None] - centers[None]).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    return [Contrast.of(k, (int(j),), table.clusters) for k, j in enumerate(distances.argmin(axis=1))]


def _differences(table: ClusteredTable, code: int, own: pd.DataFrame) -> str:
    """What is clearly different, the most important first."""
    clear = own[sizes_of(own).to_numpy() >= CLEAR]
    if "importance" in own:
        in_the_middle = own[
            (own["importance"] >= 0.5) & ~own.index.isin(clear.index) & (own["kind"] == "numeric")
        ]
        clear = pd.concat([clear, in_the_middle])
    if clear.empty:
        kinds = own[["feature", "kind"]].to_numpy()
        clear = own[[kind == "numeric" and _apart(table, code, name) for name, kind in kinds]]
    chosen = largest(clear, FEATURES).to_dict(orient="records")
    if not chosen:
        return "No single feature differs clearly from the other rows."
    first, *others = (_difference(table, code, effect) for effect in chosen)
    return f"{'; '.join([f'{first} elsewhere', *others])}."


def _apart(table: ClusteredTable, code: int, name: str) -> bool:
    """Whether few other rows lie where most of the cluster does, as of one between two others."""
    x = table.column(name)[1]
    inside, others = (x[at & ~np.isnan(x)] for at in (table.codes == code, table.codes != code))
    if not (len(inside) and len(others)):
        return False
    low, high = np.quantile(inside, [0.05, 0.95])
    return bool(((others >= low) & (others <= high)).mean() <= CLEAR)


def _difference(table: ClusteredTable, code: int, effect: dict) -> str:
    """One feature: 1,116 against 585; or where most rows lie, if the means are about the same."""
    if effect["level"] or not abs(effect["cliffs_delta"]) < CLEAR:
        return _values(effect)
    x = table.column(effect["feature"])[1]
    inside = table.codes == code
    ends = numbers(*np.nanquantile(x[inside], [0.25, 0.75]), *np.nanquantile(x[~inside], [0.25, 0.75]))
    return f"{_spaced(effect['feature'])}mostly {ends[0]} to {ends[1]} against {ends[2]} to {ends[3]}"


def _values(effect: dict) -> str:
    """Means of a number, or shares of a level."""
    if effect["level"]:
        here, there = share(effect["value"]), share(effect["reference_value"])
        return f"{_spaced(effect['feature'])}{effect['level']} for {here} against {there}"
    here, there = value_texts(effect)
    return f"{_spaced(effect['feature'])}{here} against {there}"


def _spaced(name: str) -> str:
    """A name before a number: "age ", but "item 6: "."""
    return f"{name}: " if name[-1:].isdigit() else f"{name} "


def _condition(own: pd.DataFrame) -> list[str]:
    """The single condition that recovers the cluster best, if it is better than chance."""
    shares = own[["coverage", "purity"]].to_numpy(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        f1 = np.nan_to_num(2 * shares.prod(axis=1) / shares.sum(axis=1))
    clear = np.where(sizes_of(own).to_numpy() >= CLEAR, f1, 0.0)
    if not clear.max(initial=0.0) > 0:
        return []
    effect = own.iloc[int(clear.argmax())].to_dict()
    if effect["direction"] == "=":
        what = f"{effect['feature']} {condition_text(effect)}"
    else:
        words = {">": "above", "<=": "at most"}[effect["direction"]]
        what = f"{effect['feature']} {words} {threshold_text(effect)}"
    covers = "All" if effect["coverage"] == 1 else share(effect["coverage"])
    pure = (
        "no other row has"
        if effect["purity"] == 1
        else f"{share(effect['purity'])} of all such rows are in it"
    )
    return [f"{covers} of its rows have {what}; {pure}."]


def _against_nearest(near: Contrast, table: ClusteredTable, between: pd.DataFrame) -> str:
    """The most similar cluster, and what sets the two apart most."""
    sizes = sizes_of(between).to_numpy()
    said = f"Most similar to {named(near.against)}"
    if not np.nan_to_num(sizes).max(initial=0.0) > 0:
        return f"{said}."
    effect = between.iloc[int(np.nanargmax(sizes))].to_dict()
    return f"{said}, but {_values(effect)}."


def cluster_sentences(found: "Explanation") -> tuple[str, ...]:
    """A sentence about each cluster: its most important features, high or low, and its rule."""
    said, importances = [], found.cluster_importances
    for at, (name, rule) in enumerate(zip(found.clusters, found.rules, strict=True)):
        scores = importances.iloc[at]
        important = scores[scores >= LEAST_SCORE].nlargest(FEATURES).index
        features = ", ".join(_characterised(found, name, feature) for feature in important)
        said.append(f"{rule.cluster} ({rule.size} rows): {features or 'no important feature'}. {rule}")
    return tuple(said)


def _characterised(found: "Explanation", cluster: str, feature: str) -> str:
    """A feature in a cluster: "high age", "medium age", or "plan pro", the most over-represented level."""
    effects = found.effects
    own = effects[(effects["cluster"] == cluster) & (effects["reference"] == REST)].set_index("feature")
    members = found.overall.info.groups.get(feature, [feature])
    own = own.loc[members]
    member = members[int(np.nan_to_num(sizes_of(own)).argmax())]
    effect = own.loc[member]
    if effect["level"]:
        return f"{member} {effect['level']}"
    delta = effect["cliffs_delta"]
    return f"{'medium' if abs(delta) < SMALL else 'high' if delta > 0 else 'low'} {member}"
