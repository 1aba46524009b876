"""Rules that describe clusters, from shallow decision trees."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from xcompare.core.features import Feature
from xcompare.results.value_counts import shortest_between

MAX_DEPTH = 3  # maximum number of conditions
MIN_F1_GAIN = 0.02  # required of each condition

Bounds = tuple[int, float, float]  # feature, low, high


@dataclass(frozen=True)
class Condition:
    """An interval of one feature: ``low < value <= high``, either end possibly infinite.

    Of a feature with levels ``words`` says it: "plan is pro".
    """

    feature: str
    low: float = -np.inf
    high: float = np.inf
    words: str = ""

    def __str__(self) -> str:
        if self.words:
            return self.words
        if np.isinf(self.low):
            return f"{self.feature} <= {_digits(self.high)}"
        if np.isinf(self.high):
            return f"{self.feature} > {_digits(self.low)}"
        return f"{_digits(self.low)} < {self.feature} <= {_digits(self.high)}"


@dataclass(frozen=True)
class Rule:
    """Conjunction of conditions that separates one cluster from the rest."""

    cluster: Hashable  # the label, as given
    conditions: tuple[Condition, ...]
    purity: float  # share of the selected rows that belong to the cluster (precision)
    coverage: float  # share of the cluster's rows that are selected (recall)
    size: int  # number of rows of the cluster

    @property
    def features(self) -> tuple[str, ...]:
        """The features used."""
        return tuple(condition.feature for condition in self.conditions)

    def __str__(self) -> str:
        if not self.conditions:
            return f"no rule separates {self.cluster} from the rest"
        return (
            f"{' and '.join(map(str, self.conditions))}: {self.cluster}, "
            f"{self.purity:.0%} pure, covers {self.coverage:.0%}"
        )


def cluster_rules(
    X: np.ndarray,
    codes: np.ndarray,
    clusters: Sequence[Hashable],
    features: Sequence[Feature],
) -> tuple[Rule, ...]:
    """Best rule for each cluster: a leaf of a shallow tree that separates it from the rest.

    "Best" is the largest F1, the harmonic mean of purity and coverage, of trees of depth 1, 2 and 3, without
    conditions that add less than 0.02 to it. Purity and coverage are computed with the rounded thresholds.

    ``X`` of shape (n_samples, n_features): in the units of the data, or codes of levels; NaN where missing:
    such a row meets no condition on the feature. ``codes`` of shape (n_samples,): clusters ``0..K-1``.
    ``clusters``: name of each code.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [2.0, 3.0], [8.0, 4.0], [9.0, 4.5]])
    >>> features = Feature("height"), Feature("age")
    >>> print(*cluster_rules(X, np.array([0, 0, 1, 1]), ["small", "large"], features), sep="; ")
    height <= 5: small, 100% pure, covers 100%; height > 5: large, 100% pure, covers 100%
    """
    rules = []
    X, columns = _with_indicators(X, features)
    indicators = [j for j, column in enumerate(columns) if column.level]
    shown = np.where(np.isnan(X), np.nanmedian(X, axis=0), X) if np.isnan(X).any() else X
    for code, cluster in enumerate(clusters):
        inside = codes == code
        candidates: list[tuple[Bounds, ...]] = [()]
        for at in indicators:  # one level alone, which a tree may reach by excluding the others
            candidates += [((at, 0.5, np.inf),), ((at, -np.inf, 0.5),)]
        for depth in range(1, MAX_DEPTH + 1):
            tree = DecisionTreeClassifier(max_depth=depth, class_weight="balanced", random_state=0)
            candidates += _paths(tree.fit(shown, inside).tree_, X)
        shortened = {_without_little(X, inside, bounds) for bounds in candidates}
        shortest_first = sorted(shortened, key=lambda bounds: (len(bounds), bounds))
        best = max(shortest_first, key=lambda bounds: _f1(X, inside, bounds))
        rules.append(_rule(X, inside, cluster, best, columns))
    return tuple(rules)


@dataclass(frozen=True)
class _Column:
    """A column that trees see: a feature, or whether it has a level."""

    feature: Feature
    level: str = ""

    def condition(self, low: float, high: float) -> Condition:
        """An interval of its values, in words if they are levels."""
        name = self.feature.name
        if self.level:
            return Condition(name, low, high, f"{name} is {'' if low >= 0 else 'not '}{self.level}")
        if not self.feature.levels:
            return Condition(name, low, high)
        said = [level for code, level in enumerate(self.feature.levels) if low < code <= high]
        between = " or " if len(said) == 2 else " to "
        return Condition(name, low, high, f"{name} is {between.join(dict.fromkeys([said[0], said[-1]]))}")


def _with_indicators(X: np.ndarray, features: Sequence[Feature]) -> tuple[np.ndarray, list[_Column]]:
    """A column per feature, or per level in use of a nominal one."""
    parts: list[np.ndarray] = []
    columns: list[_Column] = []
    for feature, x in zip(features, X.T, strict=True):
        if feature.kind != "nominal":
            parts.append(x)
            columns.append(_Column(feature))
            continue
        for code in np.unique(x[~np.isnan(x)]).astype(int):
            parts.append(np.where(np.isnan(x), np.nan, x == code))
            columns.append(_Column(feature, feature.levels[code]))
    return np.column_stack(parts), columns


def _paths(tree, X: np.ndarray) -> list[tuple[Bounds, ...]]:
    """The conditions of every leaf, one per feature on its path."""
    paths: list[tuple[Bounds, ...]] = []
    todo: list[tuple[int, dict[int, tuple[float, float]]]] = [(0, {})]
    while todo:
        node, bounds = todo.pop()
        feature = int(tree.feature[node])
        if feature < 0:
            paths.append(tuple((j, low, high) for j, (low, high) in bounds.items()))
            continue
        cut, x = float(tree.threshold[node]), X[:, feature]
        # No value changes sides.
        cut = shortest_between(x[x <= cut].max(initial=-np.inf), x[x > cut].min(initial=np.inf), cut)
        low, high = bounds.get(feature, (-np.inf, np.inf))
        todo.append((int(tree.children_right[node]), {**bounds, feature: (max(low, cut), high)}))
        todo.append((int(tree.children_left[node]), {**bounds, feature: (low, min(high, cut))}))
    return paths


def _without_little(X, inside, bounds: tuple[Bounds, ...]) -> tuple[Bounds, ...]:
    """Drop conditions that add less than 0.02 to F1, the least useful first."""
    while len(bounds) > 1:
        fewer = [bounds[:i] + bounds[i + 1 :] for i in range(len(bounds))]
        best = max(fewer, key=lambda shorter: _f1(X, inside, shorter))
        if _f1(X, inside, best) < _f1(X, inside, bounds) - MIN_F1_GAIN:
            break
        bounds = best
    return bounds


def _found(X, bounds: tuple[Bounds, ...]) -> np.ndarray:
    """Mask of the rows that meet all conditions."""
    found = np.ones(len(X), dtype=bool)
    for j, low, high in bounds:
        found &= (X[:, j] > low) & (X[:, j] <= high)
    return found


def _f1(X, inside, bounds: tuple[Bounds, ...]) -> float:
    """Harmonic mean of purity and coverage; 0 without conditions."""
    found = _found(X, bounds)
    return 2 * float((found & inside).sum()) / float(found.sum() + inside.sum()) if bounds else 0.0


def _rule(X, inside, cluster, bounds: tuple[Bounds, ...], columns: Sequence[_Column]) -> Rule:
    """The rule with these conditions, with purity and coverage."""
    found = _found(X, bounds)
    hits = int((found & inside).sum())
    return Rule(
        cluster=cluster,
        conditions=tuple(columns[j].condition(low, high) for j, low, high in bounds),
        purity=hits / max(int(found.sum()), 1),
        coverage=hits / max(int(inside.sum()), 1),
        size=int(inside.sum()),
    )


def _digits(value: float) -> str:
    return repr(value).removesuffix(".0")
