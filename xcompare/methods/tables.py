"""Run a method on a table with several kinds of features, or missing values.

A method that takes such tables gets the codes and the features. Others get complete numbers: missing values
are imputed once, with the seed of the run, so that several runs are multiple imputations. A nominal feature
then has several columns, whose scores are combined into one by the rule that the row of the method declares.
Of a group of columns it is that of the most important one, unless the method takes groups; of p-values the
smallest times their number.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from xcompare.core.features import Feature, feature_of_columns
from xcompare.core.imputation import complete_points
from xcompare.methods.base import Combination, Engine, Method, Scores
from xcompare.methods.forest.subsets import MOST_LEVELS

Rule = Combination | Literal["min", "bonferroni"]
IMPUTING, KEEPING = 1, 2  # streams of the seed, apart from that of the method


def run_on_table(
    method: Method,
    X: np.ndarray,
    target: int | np.ndarray,
    features: Sequence[Feature],
    *,
    random_state: int,
    engine: Engine,
    options: Mapping[str, Any],
    weights: np.ndarray | None = None,
) -> Any:
    """One run of a method.

    ``X`` of shape (n_samples, n_features): standardised numbers, codes of levels; NaN where missing.
    ``target``: number of clusters, or labels. ``features``: empty for complete numbers, which the method gets
    as they are. ``random_state``, ``engine``, ``options``: of the run. ``weights`` of shape (n_samples,) or
    None: of the rows; a test, or the choice of K, gets rows kept with probabilities proportional to them.
    Returns as from the method, with one score per feature.
    """
    settings = {"random_state": random_state, "engine": engine, **options}
    if weights is not None and method.kind in ("tests", "choice"):
        rng = np.random.default_rng((random_state, KEEPING))
        X = X[rng.random(len(X)) * weights.max() < weights]
    elif weights is not None:
        settings["sample_weight"] = weights
    if not features:
        return method.run(X, target, **settings)
    found = _by_column(method, X, target, features, settings)
    rule: Rule = "bonferroni" if method.kind == "tests" else "max" if method.larger_is_better else "min"
    return with_scores_of(found, method, feature_of_columns(features), rule)


def _by_column(
    method: Method,
    X: np.ndarray,
    target: int | np.ndarray,
    features: Sequence[Feature],
    settings: dict[str, Any],
) -> Scores:
    """One run with a score per column, or per feature if the method takes groups of columns."""
    if method.tables == "native" and settings["engine"] == "python":
        return method.run(X, target, features=features, **settings)
    rng = np.random.default_rng((settings["random_state"], IMPUTING))
    points, block = complete_points(X, features, None, rng)
    if method.tables in ("ordered", "codes"):
        most = MOST_LEVELS if method.tables == "codes" else 0
        columns, nominal, ranked = one_column_each(points, block, features, most)
        if not most:
            return method.run(columns, target, **settings)
        found = method.run(columns, target, nominal=nominal, **settings)
        if not ranked:
            return found
        text = f"more than {most} levels, ranked along the first principal component: {', '.join(ranked)}"
        return replace(found, warnings=(*found.warnings, text))
    if method.tables == "groups" and settings.get("groups") is None:
        # The weights within a group are a mean over its columns, so that many would seem less dispersed.
        block = feature_of_columns(features)[block]
        points = points * np.sqrt(np.bincount(block)[block])
        settings["groups"] = block.tolist()
    found = method.run(points, target, **settings)
    return with_scores_of(found, method, block, method.tables, points.var(axis=0))


def with_scores_of(
    found: Any, method: Method, block: np.ndarray, rule: Rule, variances: np.ndarray | None = None
) -> Scores:
    """A result with one score for each part that the ``block`` tells: a column, or a group of columns."""
    found = found if isinstance(found, Scores) else Scores(found, method.name)
    if "features" in found.numbers:  # the ones that a choice of K is based on
        used = np.unique(block[found.numbers["features"].astype(int)])
        found = replace(found, numbers={**found.numbers, "features": used.astype(float)})
    if np.size(found.scores) != len(block) or len(block) == block[-1] + 1:  # a clustering; nothing to combine
        return found
    return replace(
        found,
        scores=combined(found.scores, block, variances, rule),
        warnings=tuple(naming_features(text, block) for text in found.warnings),
        variants={name: combined(scores, block, variances, rule) for name, scores in found.variants.items()},
    )


def combined(scores: np.ndarray, block: np.ndarray, variances: np.ndarray | None, rule: Rule) -> np.ndarray:
    """One score per feature, from those of its dimensions.

    Examples
    --------
    >>> scores, block = np.array([0.2, 0.5, 0.1]), np.array([0, 1, 1])
    >>> [combined(scores, block, np.ones(3), rule).round(2).tolist() for rule in ("max", "sum", "mean")]
    [[0.2, 0.5], [0.2, 0.6], [0.2, 0.3]]
    """
    scores = np.asarray(scores, dtype=float)
    starts = np.unique(block, return_index=True)[1]
    if rule == "bonferroni":  # of p-values
        return np.minimum(np.minimum.reduceat(scores, starts) * np.bincount(block), 1.0)
    if rule in ("sum", "groups"):
        return np.add.reduceat(scores, starts)
    if rule == "mean":
        assert variances is not None
        weights = np.maximum(variances, np.finfo(float).tiny)
        return np.add.reduceat(weights * scores, starts) / np.add.reduceat(weights, starts)
    return (np.minimum if rule == "min" else np.maximum).reduceat(scores, starts)


def naming_features(text: str, block: np.ndarray) -> str:
    """A message about dimensions (x0, x1, ...) as one about features, each named once.

    Examples
    --------
    >>> naming_features("no density exists for x0, x2, x3: see x3", np.array([0, 1, 2, 2]))
    'no density exists for x0, x2: see x2'
    """

    def renamed(found: re.Match[str]) -> str:
        dimensions = [int(name[1:]) for name in found[0].split(", ")]
        return ", ".join(dict.fromkeys(f"x{block[d] if d < len(block) else d}" for d in dimensions))

    return re.sub(r"\bx\d+(?:, x\d+)*\b", renamed, text)


def one_column_each(
    points: np.ndarray, block: np.ndarray, features: Sequence[Feature], most_levels: int
) -> tuple[np.ndarray, list[int], list[str]]:
    """One column per feature: a nominal one as codes, or ranked if it has more levels than this.

    Levels are ranked along the first principal component, so that a tree finds with one cut levels that go
    together in the other features.

    ``block`` of shape (n_dimensions,). ``points`` of shape (n_samples, n_dimensions): from `complete_points`.
    Returns the columns, the indices of those that hold codes, and the names of those ranked.
    """
    along: np.ndarray | None = None
    columns, nominal, ranked = [], [], []
    for j, feature in enumerate(features):
        dimensions = points[:, block == j]
        if feature.kind != "nominal":
            columns.append(dimensions[:, 0])
            continue
        levels, codes = np.unique(dimensions.argmax(axis=1), return_inverse=True)
        if len(levels) <= most_levels:
            nominal.append(j)
        else:
            along = _first_component(points) if along is None else along
            codes = (np.bincount(codes, along) / np.bincount(codes)).argsort(kind="stable").argsort()[codes]
            ranked.append(feature.name)
        columns.append(codes.astype(float))
    return np.column_stack(columns), nominal, ranked


def _first_component(points: np.ndarray) -> np.ndarray:
    """Centred rows along the first principal component, whose largest coefficient is positive."""
    centred = points - points.mean(axis=0)
    axis = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    return centred @ (axis * np.sign(axis[np.abs(axis).argmax()]))
