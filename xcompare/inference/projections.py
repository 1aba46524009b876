"""Tests of unimodality on projections of the data that separate given clusters.

One half of the rows has the clusters and fixes the directions; the other half is projected and tested.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from diptest import dipstat

from xcompare.inference.unimodality import FEWEST_VALUES, Gap, dip_p_value

# Of within-cluster covariances towards the diagonal; the second with few rows per feature.
SHRINKAGE = (0.1, 0.3)
ROWS_PER_FEATURE = 5
NEAR_SHARE = 0.9  # of the rows of two clusters that count as near the line through their means


class HalfClusters(NamedTuple):
    """Clusters that one half of the rows shows, in the features that separate them, made round."""

    root: np.ndarray  # (n_used, n_used), inverse root of the covariance within clusters
    points: np.ndarray  # (n_samples, n_used), rows of the half, whitened by ``root``
    labels: np.ndarray  # (n_samples,) of the rows, from 0
    means: np.ndarray  # (n_clusters, n_used), whitened
    longest: np.ndarray  # (n_used,), first principal component of the rows before whitening

    @classmethod
    def of(cls, rows: np.ndarray, labels: np.ndarray) -> "HalfClusters":
        """From standardised rows of shape (n_samples, n_used), and their clusters."""
        _, labels = np.unique(labels, return_inverse=True)
        means = np.stack([rows[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
        residuals = rows - means[labels]
        within = residuals.T @ residuals / len(rows)
        # Shrunk towards the diagonal, as few rows estimate it.
        share = SHRINKAGE[len(rows) < ROWS_PER_FEATURE * rows.shape[1]]
        within = (1 - share) * within + share * np.diag(np.maximum(np.diag(within), 1e-9))
        variances, vectors = np.linalg.eigh(within)
        root = vectors / np.sqrt(variances) @ vectors.T
        component = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][0]
        # The direction among whitened rows that gives the same projection.
        longest = vectors * np.sqrt(variances) @ vectors.T @ component
        return cls(root, rows @ root, labels, means @ root, longest)


class Projection(NamedTuple):
    """A direction, and a maximum distance of the rows from a line along it, in whitened features."""

    direction: np.ndarray  # (n_used,), unit vector
    center: np.ndarray  # (n_used,), a point of the line
    radius: float  # infinite for all rows

    def of(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position of each row along the direction, and whether it is near the line."""
        moved = points - self.center
        along = moved @ self.direction
        across = np.square(moved).sum(axis=1) - along**2
        return along, across <= self.radius


def projection_p_values(train: np.ndarray, test: np.ndarray, labels: np.ndarray) -> list[float]:
    """p-values of unimodality on ``test``, in the projections with the most evidence of modes in ``train``.

    ``train`` and ``test`` of shape (n_rows, n_used); ``labels`` of the rows of ``train``. Two tests for each
    of two kinds of projection: of all rows, and of the rows near the line through two neighbouring means.
    """
    clusters = HalfClusters.of(train, labels)
    seen, unseen = clusters.points, test @ clusters.root
    p_values = []
    for projections in (_of_all_rows, _of_neighbours):
        dips, gaps = [], []
        for projection in projections(clusters):
            along, near = projection.of(seen)
            x, groups = along[near], clusters.labels[near]
            if len(x) < FEWEST_VALUES or np.ptp(x) == 0:
                continue
            dips.append((dipstat(x) * np.sqrt(len(x)), projection))
            gap = Gap.of(x, _bandwidth(x, groups))
            gaps.append((gap.depth, projection, gap))
        if not dips:
            p_values += [1.0, 1.0]
            continue
        along, near = max(dips, key=lambda one: one[0])[1].of(unseen)
        p_values.append(dip_p_value(along[near]))
        depth, projection, gap = max(gaps, key=lambda one: one[0])
        along, near = projection.of(unseen)
        p_values.append(gap.p_value(along[near]) if depth > 0 else 1.0)
    return p_values


def _of_all_rows(clusters: HalfClusters) -> Iterator[Projection]:
    """Through all pairs of means, from each mean to the rest, and along the longest axes of means and rows.

    Clusters that follow each other on a line are often found as others, but the line is the longest axis.
    """
    means = clusters.means
    n = len(means)
    differences = [clusters.longest]
    differences += [means[i] - means[j] for i in range(n) for j in range(i)]
    if n > 2:
        sizes = np.bincount(clusters.labels)
        rest = (sizes @ means - sizes[:, None] * means) / (sizes.sum() - sizes)[:, None]
        differences += [*(means - rest), np.linalg.svd(means - means.mean(axis=0))[2][0]]
    for difference in differences:
        length = np.linalg.norm(difference)
        if length > 0:
            yield Projection(difference / length, means.mean(axis=0), np.inf)


def _of_neighbours(clusters: HalfClusters) -> Iterator[Projection]:
    """From each mean to its nearest neighbour, with only the rows near that line, to exclude others."""
    means, points = clusters.means, clusters.points
    apart = np.square(means[:, None] - means).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    pairs = (
        {tuple(sorted((i, int(row.argmin())))) for i, row in enumerate(apart)} if len(means) > 1 else set()
    )
    for i, j in sorted(pairs):
        difference = means[j] - means[i]
        length = np.linalg.norm(difference)
        if length == 0:
            continue
        line = Projection(difference / length, (means[i] + means[j]) / 2, np.inf)
        members = points[(clusters.labels == i) | (clusters.labels == j)] - line.center
        across = np.square(members).sum(axis=1) - (members @ line.direction) ** 2
        yield line._replace(radius=float(np.quantile(across, NEAR_SHARE)))


def _bandwidth(x: np.ndarray, labels: np.ndarray) -> float:
    """Normal reference bandwidth within clusters."""
    means = np.bincount(labels, x) / np.maximum(np.bincount(labels), 1)
    return max(float((x - means[labels]).std()) * len(x) ** -0.2, 1e-3 * float(x.std()))
