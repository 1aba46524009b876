"""Measures of one feature at a time: how well it separates given clusters.

Each is computed on the rows where the feature was observed.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from scipy.stats import rankdata

from xcompare.bagging import mutual_information
from xcompare.bagging.information.kinds import KindInformation
from xcompare.core.features import Feature


def information(
    X: np.ndarray,
    labels: np.ndarray,
    cluster: int | None,
    seed: int | None,
    features: Sequence[Feature] = (),
) -> np.ndarray:
    """Mutual information of each feature with the labels, in nats, as in `BaggedClustering`."""
    codes = against_rest(labels, cluster)
    if not features:
        return mutual_information(X, codes)
    known = KindInformation.of(np.ascontiguousarray(X.T), [one.kind for one in features], "auto")
    return known.mutual_information(codes[None], np.ones((1, len(features)), dtype=bool))[0][0]


def eta_squared(
    X: np.ndarray,
    labels: np.ndarray,
    cluster: int | None,
    seed: int | None,
    features: Sequence[Feature] = (),
) -> np.ndarray:
    """Between-cluster share of each feature's sum of squares; of a nominal one, Goodman and Kruskal's tau.

    Tau is the same share for the indicators of the levels together. Ordered levels enter by rank.
    """
    codes = against_rest(labels, cluster)
    if not features:
        between, total = _squares(X, codes)
        return between / np.where(total > 0, total, 1.0)
    return _shares(_observed(X, features), codes)


def kruskal(
    X: np.ndarray,
    labels: np.ndarray,
    cluster: int | None,
    seed: int | None,
    features: Sequence[Feature] = (),
) -> np.ndarray:
    """The same for ranks, robust to outliers: the Kruskal-Wallis H divided by n - 1."""
    if not features:
        return eta_squared(rankdata(X, axis=0), labels, cluster, seed)
    ranked = ((rows, rankdata(points, axis=0)) for rows, points in _observed(X, features))
    return _shares(ranked, against_rest(labels, cluster))


def _squares(X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of squares between the clusters, and in total, of each column."""
    centred = X - X.mean(axis=0)
    sizes = np.bincount(codes)
    member = (codes == np.arange(len(sizes))[:, None]).astype(float)
    between = (np.square(member @ centred) / np.maximum(sizes, 1)[:, None]).sum(axis=0)
    return between, np.square(centred).sum(axis=0)


def _shares(blocks: Iterable[tuple[np.ndarray, np.ndarray]], codes: np.ndarray) -> np.ndarray:
    """Between-cluster share of the sum of squares of each block of columns, given with its rows."""
    found = []
    for rows, points in blocks:
        between, total = _squares(points, codes[rows]) if len(rows) else (np.zeros(1), np.zeros(1))
        found.append(between.sum() / (total.sum() or 1.0))
    return np.array(found)


def _observed(X: np.ndarray, features: Sequence[Feature]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rows where each feature was observed, and its columns there: numbers, ranks or indicators."""
    for feature, x in zip(features, X.T, strict=True):
        rows = np.flatnonzero(~np.isnan(x))
        values = x[rows, None]
        if feature.kind == "nominal":
            values = (values == np.unique(values)).astype(float)
        elif feature.kind == "ordinal":
            values = rankdata(values, axis=0)
        yield rows, values


def against_rest(labels: np.ndarray, cluster: int | None) -> np.ndarray:
    """All clusters, or one (as 1) against the rest (as 0)."""
    return labels if cluster is None else (labels == cluster).astype(np.intp)
