"""Run a method on a table with several kinds of features, or missing values.

A method that takes such tables gets the codes and the features. Others get complete numbers, one column per
feature: missing values are imputed once, with the seed of the run, so that several runs are multiple
imputations, and the levels of a nominal feature become numbers, see `placed_levels`. The score of a group of
columns is that of the most important one, unless the method takes groups; of p-values the smallest times
their number.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.linalg import eigh

from xcompare.core.features import Feature, feature_of_columns
from xcompare.core.imputation import complete_points
from xcompare.core.standardization import standardize
from xcompare.methods.base import Engine, Method, Scores
from xcompare.methods.forest.subsets import MOST_LEVELS

Rule = Literal["max", "min", "sum", "bonferroni"]
IMPUTING, KEEPING = 1, 2  # streams of the seed, apart from that of the method
MOST_COMPONENTS = 3  # along which levels are placed; with 2 or 5, relevant categories are found less often


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
    codes = method.tables == "codes"
    columns, nominal, placed = one_column_each(points, block, features, MOST_LEVELS if codes else 0)
    if codes:
        found = method.run(columns, target, nominal=nominal, **settings)
        if not placed:
            return found
        text = f"more than {MOST_LEVELS} levels, placed along a principal component: {', '.join(placed)}"
        return replace(found, warnings=(*found.warnings, text))
    grouped = any(feature.group for feature in features)
    if not grouped or "groups" not in method.options or settings.get("groups") is not None:
        return method.run(columns, target, **settings)
    # The weights within a group are a mean over its columns, so that many would seem less dispersed.
    of_group = feature_of_columns(features)
    columns = columns * np.sqrt(np.bincount(of_group)[of_group])
    found = method.run(columns, target, groups=of_group.tolist(), **settings)
    return with_scores_of(found, method, of_group, "sum")


def with_scores_of(found: Any, method: Method, block: np.ndarray, rule: Rule) -> Scores:
    """A result with one score for each feature that the ``block`` tells of the columns."""
    found = found if isinstance(found, Scores) else Scores(found, method.name)
    if "features" in found.numbers:  # the ones that a choice of K is based on
        used = np.unique(block[found.numbers["features"].astype(int)])
        found = replace(found, numbers={**found.numbers, "features": used.astype(float)})
    if np.size(found.scores) != len(block) or len(block) == block[-1] + 1:  # a clustering; nothing to combine
        return found
    return replace(
        found,
        scores=combined(found.scores, block, rule),
        warnings=tuple(naming_features(text, block) for text in found.warnings),
        variants={name: combined(scores, block, rule) for name, scores in found.variants.items()},
    )


def combined(scores: np.ndarray, block: np.ndarray, rule: Rule) -> np.ndarray:
    """One score per feature, from those of its columns.

    Examples
    --------
    >>> scores, block = np.array([0.2, 0.5, 0.1]), np.array([0, 1, 1])
    >>> [combined(scores, block, rule).round(2).tolist() for rule in ("max", "sum", "bonferroni")]
    [[0.2, 0.5], [0.2, 0.6], [0.2, 0.2]]
    """
    scores = np.asarray(scores, dtype=float)
    starts = np.unique(block, return_index=True)[1]
    if rule == "bonferroni":  # of p-values
        return np.minimum(np.minimum.reduceat(scores, starts) * np.bincount(block), 1.0)
    return {"max": np.maximum, "min": np.minimum, "sum": np.add}[rule].reduceat(scores, starts)


def naming_features(text: str, block: np.ndarray) -> str:
    """A message about columns (x0, x1, ...) as one about features, each named once.

    Examples
    --------
    >>> naming_features("no density exists for x0, x2, x3: see x3", np.array([0, 1, 2, 2]))
    'no density exists for x0, x2: see x2'
    """

    def renamed(found: re.Match[str]) -> str:
        columns = [int(name[1:]) for name in found[0].split(", ")]
        return ", ".join(dict.fromkeys(f"x{block[j] if j < len(block) else j}" for j in columns))

    return re.sub(r"\bx\d+(?:, x\d+)*\b", renamed, text)


def one_column_each(
    points: np.ndarray, block: np.ndarray, features: Sequence[Feature], most_levels: int
) -> tuple[np.ndarray, list[int], list[str]]:
    """One column per feature: a nominal one as codes, or as numbers if it has more levels than this.

    ``points`` of shape (n_samples, n_dimensions) and ``block`` of shape (n_dimensions,): from
    `complete_points`. Returns the columns, the indices of those that hold codes, and the names of nominal
    ones that hold numbers.
    """
    along: np.ndarray | None = None
    columns, nominal, placed = [], [], []
    for j, feature in enumerate(features):
        dimensions = points[:, block == j]
        if feature.kind != "nominal":
            columns.append(dimensions[:, 0])
            continue
        levels, codes = np.unique(dimensions.argmax(axis=1), return_inverse=True)
        if len(levels) <= most_levels:
            nominal.append(j)
            columns.append(codes.astype(float))
            continue
        along = principal_components(points) if along is None else along
        columns.append(standardize(placed_levels(codes, along)[:, None])[:, 0])
        placed.append(feature.name)
    return np.column_stack(columns), nominal, placed


def placed_levels(codes: np.ndarray, components: np.ndarray) -> np.ndarray:
    """Levels as numbers: the mean of their rows along a principal component (optimal scaling).

    As in nonlinear principal component analysis (Linting et al. 2007, doi:10.1037/1082-989X.12.3.336), levels
    that go together in the other features are near each other. It is the component along which the levels
    differ most: clusters need not be along the first. The first level is below the last.

    ``codes`` of shape (n_samples,): 0, 1, ..., all of which occur. ``components`` of shape (n_samples,
    n_components): centred. Returns shape (n_samples,).

    Examples
    --------
    >>> components = np.array([[-2.0, 1.0], [-2.0, -1.0], [1.0, 1.0], [3.0, -1.0]])
    >>> placed_levels(np.array([0, 0, 1, 1]), components)
    array([-2., -2.,  2.,  2.])
    """
    if not components.size:
        return codes.astype(float)
    counts = np.bincount(codes)
    means = np.stack([np.bincount(codes, x) / counts for x in components.T])
    best = means[(means**2 @ counts).argmax()]
    return (best if best[0] <= best[-1] else -best)[codes]


def principal_components(points: np.ndarray) -> np.ndarray:
    """Rows along the first principal components, shape (n_samples, at most `MOST_COMPONENTS`)."""
    centred = points - points.mean(axis=0)
    by_rows = len(centred) < centred.shape[1]
    products = centred @ centred.T if by_rows else centred.T @ centred
    last = len(products) - 1
    values, vectors = eigh(products, subset_by_index=(max(0, last + 1 - MOST_COMPONENTS), last))
    kept = values > last * np.finfo(float).eps * values[-1]
    return (vectors * np.sqrt(values.clip(0)) if by_rows else centred @ vectors)[:, kept][:, ::-1]
