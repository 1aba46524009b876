"""Measures of how well each feature separates given clusters.

A measure is a method whose second argument is the labels instead of the number of clusters:
``measure(X, labels, *, cluster=None, reference=None, bootstrap=False, random_state=None, engine="python") ->
Scores``. With ``cluster`` it scores that cluster against the rest, or against the clusters of ``reference``;
with ``bootstrap`` on rows drawn with replacement.

Of a table with several kinds of features, or missing values, the measures of one feature at a time take the
rows where it was observed. Those of all features together get missing values imputed, once in every run, and
the centroids then judge a feature on the rows where it was observed.
"""

from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from math import ceil, log2
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from xcompare.core.features import Feature, feature_of_columns
from xcompare.core.imputation import complete_points
from xcompare.methods.base import PYTHON, SOFTWARE, WITH_SKLEARN, Engine, Method, Scores
from xcompare.methods.option import Option, option_table
from xcompare.methods.single_feature_measures import (
    against_rest,
    eta_squared,
    information,
    kruskal,
    mean_row,
    part_of,
)
from xcompare.methods.tables import IMPUTING

Measure = Callable[..., np.ndarray]
Loss = Callable[[np.ndarray, np.ndarray], float]


def centroid_permutation(
    X: np.ndarray,
    labels: np.ndarray,
    cluster: int | None,
    seed: int | None,
    features: Sequence[Feature] = (),
    n_repeats: int = 10,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Permutation importance for assignment to the nearest centroid.

    Decrease in balanced accuracy (with ``cluster``: of that cluster against the rest) when the feature is
    permuted; mean over the repeats.
    """

    def loss_in(rows: np.ndarray) -> Loss:
        weights, right = _judge(labels[rows], cluster, part_of(sample_weight, rows))
        return lambda before, after: weights @ right(before) - weights @ right(after)

    return _lost(X, labels, seed, n_repeats, loss_in, features, sample_weight)


def scoring_after_permutation(
    X: np.ndarray,
    labels: np.ndarray,
    cluster: int | None,
    seed: int | None,
    features: Sequence[Feature] = (),
    n_repeats: int = 10,
) -> np.ndarray:
    """SMART of the FACT framework: how many assignments to the nearest centroid change.

    One less the F1 score (mean over the clusters; with ``cluster``, of that one) between the assignments with
    and without permutation of the feature; mean over the repeats. Unlike `centroid_permutation`, it compares
    assignments with each other rather than with the labels.
    """
    chosen = np.arange(int(labels.max()) + 1) if cluster is None else np.array([cluster])

    def changed(before: np.ndarray, after: np.ndarray) -> float:
        one, other = before == chosen[:, None], after == chosen[:, None]
        sizes = one.sum(axis=1) + other.sum(axis=1)
        if not sizes.any():
            return 0.0
        return float(1 - (2 * (one & other).sum(axis=1)[sizes > 0] / sizes[sizes > 0]).mean())

    return _lost(X, labels, seed, n_repeats, lambda rows: changed, features)


def _lost(
    X: np.ndarray,
    labels: np.ndarray,
    seed: int | None,
    n_repeats: int,
    loss_in: Callable[[np.ndarray], Loss],
    features: Sequence[Feature],
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Mean loss when each feature is permuted, from the nearest centroids before and after.

    Permuted and judged are the rows where the feature was observed.
    """
    n_features = X.shape[1]
    block, observed = np.arange(n_features), np.ones(X.T.shape, dtype=bool)
    if features:
        parts = feature_of_columns(features)
        n_features = int(parts[-1]) + 1
        observed = np.stack([~np.isnan(X[:, parts == j]).any(axis=1) for j in range(n_features)])
        rng = np.random.default_rng(None if seed is None else (seed, IMPUTING))
        X, block = complete_points(X, features, None, rng)
        block = parts[block]
    n_clusters = int(labels.max()) + 1
    members = [np.flatnonzero(labels == k) for k in range(n_clusters)]
    centers = np.stack([mean_row(X[some], part_of(sample_weight, some)) for some in members])
    distances = np.stack([np.square(X - center).sum(axis=1) for center in centers], axis=1)
    before = distances.argmin(axis=1)
    orders = np.random.default_rng(seed).permuted(np.tile(np.arange(len(X)), (n_repeats, 1)), axis=1)
    lost = np.zeros(n_features)
    for j in range(n_features):
        own = np.zeros_like(distances)  # contribution of the feature to each distance
        for at in np.flatnonzero(block == j):
            own += np.square(X[:, at, None] - centers[:, at])
        rows = np.flatnonzero(observed[j])
        if not rows.size:
            continue
        others, loss = (distances - own)[rows], loss_in(rows)
        shuffled = (order[observed[j, order]] for order in orders)
        lost[j] = np.mean([loss(before[rows], (others + own[some]).argmin(axis=1)) for some in shuffled])
    return lost


def forest_permutation(
    X: np.ndarray,
    labels: np.ndarray,
    cluster: int | None,
    seed: int | None,
    n_trees: int = 100,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Out-of-bag permutation importance in a random forest that predicts the labels.

    Decrease in balanced accuracy of each tree on its out-of-bag rows.
    """
    rng = np.random.default_rng(seed)
    weights, right = _judge(labels, cluster, sample_weight)
    lost = np.zeros(X.shape[1])
    for _ in range(n_trees):
        drawn = rng.integers(len(X), size=len(X))
        out = np.setdiff1d(np.arange(len(X)), drawn)
        state = int(rng.integers(2**31 - 1))
        if not len(out):
            continue
        tree = DecisionTreeClassifier(max_features="sqrt", random_state=state)
        tree.fit(X[drawn], labels[drawn], part_of(sample_weight, drawn))
        share = weights[out] / weights[out].sum()
        rows, order = X[out].astype(np.float32), rng.permutation(len(out))
        used = np.unique(tree.tree_.feature[tree.tree_.feature >= 0])
        # The original rows, then a copy for every feature the tree uses, with that feature permuted.
        asked = np.repeat(rows[None], len(used) + 1, axis=0)
        for at, j in enumerate(used, 1):
            asked[at, :, j] = rows[order, j]
        leaves = tree.tree_.apply(asked.reshape(-1, X.shape[1])).reshape(asked.shape[:2])
        predicted = tree.classes_[tree.tree_.value[:, 0].argmax(axis=1)][leaves]
        score = np.array([share @ right(one, out) for one in predicted])
        lost[used] += score[0] - score[1:]
    return lost / n_trees


def forest_gini(
    X: np.ndarray,
    labels: np.ndarray,
    cluster: int | None,
    seed: int | None,
    n_trees: int = 100,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Mean decrease in Gini impurity, in scikit-learn's random forest that predicts the labels."""
    forest = RandomForestClassifier(n_trees, class_weight="balanced", random_state=seed)
    codes = against_rest(labels, cluster)
    return forest.fit(X, codes, _balancing(codes, sample_weight)).feature_importances_


def tree_gini(
    X: np.ndarray,
    labels: np.ndarray,
    cluster: int | None,
    seed: int | None,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Decrease in Gini impurity in one small tree, a level deeper than needed for the clusters.

    With labels of K-means, the tree explains its clusters by thresholds of a few features, as in Dasgupta,
    Frost, Moshkovitz, Rashtchian (2020), but is grown by impurity rather than by the cost of K-means.
    """
    codes = against_rest(labels, cluster)
    depth = ceil(log2(max(int(codes.max()) + 1, 2))) + 1
    tree = DecisionTreeClassifier(max_depth=depth, class_weight="balanced", random_state=seed)
    return tree.fit(X, codes, _balancing(codes, sample_weight)).feature_importances_


def _balancing(codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
    """Weights of rows for trees that balance numbers of rows, so that they balance weights."""
    return None if weights is None else weights * (np.bincount(codes) / np.bincount(codes, weights))[codes]


def _run(
    X: np.ndarray,
    labels: np.ndarray,
    *,
    measure: Measure,
    software: str,
    cluster: int | None = None,
    reference: Sequence[int] | None = None,
    bootstrap: bool = False,
    features: Sequence[Feature] = (),
    sample_weight: np.ndarray | None = None,
    random_state: int | None = None,
    engine: Engine = "python",
) -> Scores:
    """One run of a measure, with ``bootstrap`` on a bootstrap sample stratified by cluster."""
    if reference is not None:
        assert cluster is not None
        compared = np.isin(labels, [cluster, *reference])
        X, sample_weight = X[compared], part_of(sample_weight, compared)
        codes, labels = np.unique(labels[compared], return_inverse=True)
        cluster = int(np.searchsorted(codes, cluster))
    if bootstrap:
        rng = np.random.default_rng(random_state)
        rows = np.concatenate(
            [
                rng.choice(members, size=len(members))
                for members in (np.flatnonzero(labels == k) for k in range(int(labels.max()) + 1))
            ]
        )
        X, labels, sample_weight = X[rows], labels[rows], part_of(sample_weight, rows)
    given: dict[str, Any] = {"features": features} if features else {}
    if sample_weight is not None:
        given["sample_weight"] = sample_weight
    return Scores(measure(X, labels, cluster, random_state, **given), software)


def _judge(labels: np.ndarray, cluster: int | None, row_weights: np.ndarray | None = None):
    """Row weights for balanced accuracy, and a function that checks predictions."""
    codes = against_rest(labels, cluster)
    sizes = np.bincount(codes, row_weights)
    weights = (1.0 if row_weights is None else row_weights) / (sizes[codes] * np.count_nonzero(sizes))

    def right(predicted: np.ndarray, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        return against_rest(predicted, cluster) == codes[rows]

    return weights, right


def _row(name: str, title: str, measure: Measure, family: str, reference: str, **fields) -> Method:
    """A registry row."""
    software = fields.pop("software", SOFTWARE)
    return Method(
        name=name,
        title=title,
        run=partial(_run, measure=measure, software=software),
        family=family,
        reference=reference,
        options=option_table(
            Option("cluster", "cluster to tell from the rest", least=0, or_none=True),
            Option("reference", "clusters to tell it from in place of the rest", "list", or_none=True),
            Option("bootstrap", "whether rows are drawn with replacement", "flag"),
        ),
        engines=PYTHON,
        kind="measure",
        tables=fields.pop("tables", "native"),
        takes_weights="sample_weight" in signature(measure).parameters,
        **fields,
    )


BREIMAN = "Breiman (2001), Random forests, doi:10.1023/A:1010933404324"

MEASURES: dict[str, Method] = {
    row.name: row
    for row in (
        _row(
            "information", "Information", information, "information",
            "Quetti, Ballante, Figini, Giudici, doi:10.48550/arXiv.2603.19840", stochastic=False,
        ),
        _row(
            "eta_squared", "Eta squared", eta_squared, "effect size",
            "Fisher (1925), Statistical methods for research workers", stochastic=False,
        ),
        _row(
            "kruskal", "Kruskal", kruskal, "effect size",
            "Kruskal, Wallis (1952), doi:10.1080/01621459.1952.10483441", stochastic=False,
        ),
        _row("centroid_perm", "Centroids permuted", centroid_permutation, "permutation", BREIMAN),
        _row(
            "fact", "FACT", scoring_after_permutation, "permutation",
            "Scholbeck, Funk, Casalicchio (2023), Algorithm-agnostic feature attributions for clustering,"
            " doi:10.1007/978-3-031-44064-9_13", default=False,
        ),
        _row(
            "forest_perm", "Forest permuted", forest_permutation, "forest", BREIMAN, software=WITH_SKLEARN,
            tables="columns",
        ),
        _row(
            "forest_gini", "Forest Gini", forest_gini, "forest", BREIMAN, software=WITH_SKLEARN,
            tables="columns",
        ),
        _row(
            "tree_gini", "Tree", tree_gini, "tree",
            "Breiman, Friedman, Olshen, Stone (1984), doi:10.1201/9781315139470; of K-means: Dasgupta, Frost,"
            " Moshkovitz, Rashtchian (2020), doi:10.48550/arXiv.2002.12538",
            software=WITH_SKLEARN, stochastic=False, tables="columns",
        ),
    )
}  # fmt: skip
