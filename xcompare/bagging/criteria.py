"""How good the partitions into K clusters are, by four criteria, of data and of draws from one Gaussian.

Features that have nothing to do with the clusters hide how many there are: they add the same to all
distances. So a bag comes first, and then a feature counts by what it knows of the bag's partitions. Draws get
the same treatment, so that what it makes of noise is part of what data are held against.

- *stability*: adjusted Rand index (Hubert and Arabie 1985, doi:10.1007/BF01908075) between the replicas of a
  second bag, mean over all pairs by the replicas' weights;
- *dunn*: Dunn index (doi:10.1080/01969727408546059) of K-means in all features so weighted;
- *silhouette*: mean silhouette width (Rousseeuw 1987, doi:10.1016/0377-0427(87)90125-7) of the same;
- *gap*: logarithm of the total over the pooled sum of squares within the clusters of K-means, in which all
  features count alike. Its excess over the mean of draws is the gap statistic (Tibshirani, Walther,
  Hastie 2001, doi:10.1111/1467-9868.00293), with one Gaussian as its reference.
"""

import numpy as np

from xcompare.bagging.contingency import contingency_tables
from xcompare.bagging.kmeans import random_starts
from xcompare.bagging.partitions import Partitions, bag_partitions, best_labels, known, some_rows
from xcompare.bagging.reference import Gaussian
from xcompare.standardize import standardize
from xcompare.threads import one_blas_thread

CRITERIA = ("stability", "dunn", "silhouette", "gap")
N_DRAWS = 20  # from one Gaussian: the fewest that can reject at .05
N_REPLICAS, N_STARTS = 20, 5  # of each of the two bags, and of K-means in each replica
KMEANS_STARTS = 10  # of K-means on all rows and features
MAX_ROWS = 500
MOST = 1e6  # a Dunn index without end: every cluster is one point, repeated


def criteria_and_draws(
    X: np.ndarray, n_clusters: int, seed: int, n_draws: int = N_DRAWS
) -> tuple[np.ndarray, np.ndarray]:
    """The criteria for K clusters, of the data and of draws from one Gaussian.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        No column constant; columns are standardised here. Of more than 500 rows, 500 are taken.
    n_clusters : int
        From 2 to n_samples - 1.
    seed : int
        The same seed takes the same rows and draws for any number of clusters, so that draws can be followed
        from one number to the next.
    n_draws : int, default=20

    Returns
    -------
    observed : ndarray of shape (4,)
        In the order of `CRITERIA`.
    draws : ndarray of shape (n_draws, 4)
    """
    X = standardize(some_rows(X, MAX_ROWS, np.random.default_rng([seed, 0])))
    cloud, noise = Gaussian.of(X), np.random.default_rng([seed, 1])
    samples = [X, *(standardize(cloud.draw(noise)) for _ in range(n_draws))]
    rngs = (np.random.default_rng([seed, 2, n_clusters, at]) for at in range(n_draws + 1))
    found = np.array([criteria(Y, n_clusters, rng) for Y, rng in zip(samples, rngs, strict=True)])
    return found[0], found[1:]


def criteria(X: np.ndarray, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    """The four criteria for K clusters of standardised data, in the order of `CRITERIA`."""
    with one_blas_thread():
        told = known(X, _bag(X, n_clusters, rng))
        weights = told / told.max() if told.max() > 0 else np.ones_like(told)
        labels = _kmeans(X * weights, n_clusters, rng)
        distances = _distances(X * weights)
        return np.array(
            [
                stability(_bag(X, n_clusters, rng, weights)),
                dunn(distances, labels),
                silhouette(distances, labels),
                log_reduction(X, _kmeans(X, n_clusters, rng)),
            ]
        )


def stability(replicas: Partitions) -> float:
    """Adjusted Rand index between replicas, mean over all pairs by the product of their weights."""
    tables = contingency_tables(replicas.labels, int(replicas.labels.max()) + 1)
    together = _pairs(tables).sum(axis=(1, 3))
    own = _pairs(np.einsum("ikik->ik", tables)).sum(axis=1)
    by_chance = np.outer(own, own) / _pairs(replicas.labels.shape[1])
    most = (own[:, None] + own) / 2
    differ = most > by_chance  # else both are one cluster, and agree
    index = np.where(differ, (together - by_chance) / np.where(differ, most - by_chance, 1.0), 1.0)
    weights = np.outer(replicas.weights, replicas.weights)
    np.fill_diagonal(weights, 0.0)
    return float((index * weights).sum() / weights.sum()) if weights.any() else 1.0


def dunn(distances: np.ndarray, labels: np.ndarray) -> float:
    """Dunn index from all distances: the smallest between clusters over the largest within one."""
    same = labels[:, None] == labels
    if same.all():
        return 0.0
    between, within = distances[~same].min(), distances[same].max()
    return float(min(between / within, MOST)) if within > 0 else MOST


def silhouette(distances: np.ndarray, labels: np.ndarray) -> float:
    """Mean silhouette width from all distances; a row alone in its cluster has 0, as has a single cluster."""
    codes = np.arange(labels.max() + 1)
    members = (labels == codes[:, None]).astype(float)
    sizes = members.sum(axis=1)
    if np.count_nonzero(sizes) < 2:
        return 0.0
    sums = distances @ members.T
    own = sums[np.arange(len(labels)), labels] / np.maximum(sizes[labels] - 1, 1)
    away = np.where((codes == labels[:, None]) | (sizes == 0), np.inf, sums / np.maximum(sizes, 1))
    nearest = away.min(axis=1)
    larger = np.maximum(own, nearest)
    widths = np.where(
        (sizes[labels] > 1) & (larger > 0), (nearest - own) / np.where(larger > 0, larger, 1), 0
    )
    return float(widths.mean())


def log_reduction(X: np.ndarray, labels: np.ndarray) -> float:
    """Logarithm of the total over the pooled sum of squares within clusters."""
    total = np.square(X - X.mean(axis=0)).sum()
    groups = (X[labels == k] for k in np.unique(labels))
    within = sum(np.square(group - group.mean(axis=0)).sum() for group in groups)
    return float(np.log(total / max(within, total / MOST)))


def _bag(
    X: np.ndarray, n_clusters: int, rng: np.random.Generator, scale: np.ndarray | float = 1.0
) -> Partitions:
    return bag_partitions(X, n_clusters, rng, n_replicas=N_REPLICAS, n_starts=N_STARTS, scale=scale)


def _kmeans(X: np.ndarray, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    """Labels of all rows by the best of several K-means runs."""
    points, once = np.ascontiguousarray(X.T), np.ones(len(X), dtype=np.intp)
    starts = random_starts(points, once, n_clusters, KMEANS_STARTS, rng)
    return best_labels(points[None], once[None], starts[None])[0]


def _distances(X: np.ndarray) -> np.ndarray:
    """Euclidean distances between all rows."""
    squares = np.square(X).sum(axis=1)
    found = np.maximum(squares[:, None] + squares - 2.0 * (X @ X.T), 0.0)
    np.fill_diagonal(found, 0.0)
    return np.sqrt(found)


def _pairs(counts: np.ndarray | int) -> np.ndarray:
    """Pairs that can be made of so many."""
    return np.asarray(counts) * (np.asarray(counts) - 1) / 2
