"""Measures of one feature at a time: how well it separates given clusters.

Each is computed on the rows where the feature was observed.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from scipy.stats import rankdata

from xcompare.bagging import mutual_information
from xcompare.bagging.information.kinds import KindInformation
from xcompare.core.features import Feature, feature_of_columns


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
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Between-cluster share of each feature's sum of squares; of a nominal one, Goodman and Kruskal's tau.

    Tau is the same share for the indicators of the levels together. Ordered levels enter by rank.
    """
    codes = against_rest(labels, cluster)
    if not features:
        between, total = _squares(X, codes, sample_weight)
        return between / np.where(total > 0, total, 1.0)
    return _shares(_observed(X, features, sample_weight), codes, sample_weight)


def kruskal(
    X: np.ndarray,
    labels: np.ndarray,
    cluster: int | None,
    seed: int | None,
    features: Sequence[Feature] = (),
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """The same for ranks, robust to outliers: the Kruskal-Wallis H divided by n - 1."""
    if not features:
        return eta_squared(_ranks(X, sample_weight), labels, cluster, seed, sample_weight=sample_weight)
    ranked = (
        (rows, _ranks(points, sample_weight, rows)) for rows, points in _observed(X, features, sample_weight)
    )
    return _shares(ranked, against_rest(labels, cluster), sample_weight)


def _squares(
    X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of squares between the clusters, and in total, of each column."""
    centred = X - mean_row(X, weights)
    member = (codes == np.arange(codes.max() + 1)[:, None]) * (1.0 if weights is None else weights)
    sizes = np.bincount(codes, weights)
    between = np.square(member @ centred) / np.where(sizes > 0, sizes, 1)[:, None]
    squares = np.square(centred, out=centred)
    return between.sum(axis=0), squares.sum(axis=0) if weights is None else weights @ squares


def _shares(
    blocks: Iterable[tuple[np.ndarray, np.ndarray]], codes: np.ndarray, weights: np.ndarray | None
) -> np.ndarray:
    """Between-cluster share of the sum of squares of each block of columns, given with its rows."""
    found = []
    for rows, points in blocks:
        between, total = np.zeros(1), np.zeros(1)
        if len(rows):
            between, total = _squares(points, codes[rows], part_of(weights, rows))
        found.append(between.sum() / (total.sum() or 1.0))
    return np.array(found)


def _ranks(X: np.ndarray, weights: np.ndarray | None, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Mean ranks of each column, as if a row occurred as often as its weight says."""
    if weights is None:
        return rankdata(X, axis=0)
    ranks = np.empty(X.shape)
    for j, x in enumerate(X.T):
        codes = np.unique(x, return_inverse=True)[1]
        mass = np.bincount(codes, weights[rows])
        ranks[:, j] = (mass.cumsum() - mass / 2)[codes]
    return ranks


def _observed(
    X: np.ndarray, features: Sequence[Feature], weights: np.ndarray | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rows where each feature was observed, and its columns there: numbers, ranks or indicators."""
    whole = feature_of_columns(features)
    for part in range(whole[-1] + 1):
        columns = np.flatnonzero(whole == part).tolist()
        rows = np.flatnonzero(~np.isnan(X[:, columns]).any(axis=1))
        blocks = []
        for j in columns:
            values = X[rows, j, None]
            if features[j].kind == "nominal":
                values = (values == np.unique(values)).astype(float)
            elif features[j].kind == "ordinal":
                values = _ranks(values, weights, rows)
            blocks.append(values)
        yield rows, np.hstack(blocks)


def part_of(weights: np.ndarray | None, rows: np.ndarray | slice) -> np.ndarray | None:
    """Weights of some rows."""
    return None if weights is None else weights[rows]


def mean_row(X: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Mean of the rows."""
    return X.mean(axis=0) if weights is None else np.average(X, axis=0, weights=weights)


def against_rest(labels: np.ndarray, cluster: int | None) -> np.ndarray:
    """All clusters, or one (as 1) against the rest (as 0)."""
    return labels if cluster is None else (labels == cluster).astype(np.intp)
