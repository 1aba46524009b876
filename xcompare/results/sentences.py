"""A sentence about each given cluster: its most important features, high or low, and its rule."""

from typing import TYPE_CHECKING

import numpy as np

from xcompare.results.clustered_table import REST
from xcompare.results.effect_sizes import sizes_of

if TYPE_CHECKING:
    from xcompare.results.explanation import Explanation

NAMED, LEAST_SCORE = 3, 0.3  # features named per cluster at most, and their least score


def cluster_sentences(found: "Explanation") -> tuple[str, ...]:
    """The sentences, in the order of the clusters."""
    said, importances = [], found.cluster_importances
    for at, (name, rule) in enumerate(zip(found.clusters, found.rules, strict=True)):
        scores = importances.iloc[at]
        important = scores[scores >= LEAST_SCORE].nlargest(NAMED).index
        features = ", ".join(_described(found, name, feature) for feature in important)
        said.append(f"{rule.cluster} ({rule.size} rows): {features or 'no important feature'}. {rule}")
    return tuple(said)


def _described(found: "Explanation", cluster: str, feature: str) -> str:
    """A feature in a cluster: "high age", or "plan pro", the most over-represented level."""
    if not found.overall.info.features:
        profile = found.profiles[found.profiles["cluster"] == cluster]
        differences = profile.set_index("feature")["difference"]
        return f"{'high' if differences[feature] > 0 else 'low'} {feature}"
    effects = found.effects
    own = effects[(effects["cluster"] == cluster) & (effects["reference"] == REST)].set_index("feature")
    members = found.overall.info.groups.get(feature, [feature])
    own = own.loc[members]
    member = members[int(np.nan_to_num(sizes_of(own)).argmax())]
    effect = own.loc[member]
    if effect["level"]:
        return f"{member} {effect['level']}"
    return f"{'high' if effect['difference'] > 0 else 'low'} {member}"
