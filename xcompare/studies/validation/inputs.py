"""Inputs shared by both languages: standardised data and random inputs, drawn once."""

from dataclasses import dataclass

import numpy as np

from xcompare.bagging.kmeans.centers import nearest_center
from xcompare.core.seeds import derive_seed
from xcompare.core.standardization import standardize
from xcompare.io.datasets import Dataset, load_dataset

N_REPLICAS = 20
TIE_TOLERANCE = 1e-9  # squared distances that differ by less are ties, broken by rounding


@dataclass(frozen=True, eq=False)
class Inputs:
    """A dataset and the random inputs for it."""

    dataset: Dataset
    seed: int  # random seed
    X: np.ndarray  # (n_samples, n_features): standardised
    rows: np.ndarray  # (n_replicas, n_samples): bootstrap rows
    features: np.ndarray  # (n_replicas, n_features): subspaces, from all but one feature down to a single one
    # (n_replicas, n_clusters): initial centres of K-means: rows that are distinct in the subspace and lead to
    # no tie
    starts: np.ndarray
    # (n_replicas, n_samples): partitions: assignment to the nearest initial centre, in the subspace
    labels: np.ndarray
    weights: np.ndarray  # (n_replicas,): weights of those partitions

    @property
    def name(self) -> str:
        return self.dataset.name

    @property
    def n_clusters(self) -> int:
        return self.dataset.n_clusters

    @classmethod
    def draw(cls, name: str, seed: int) -> "Inputs":
        """Load a dataset and draw its random inputs."""
        dataset = load_dataset(name)
        X = standardize(dataset.X)
        rng = np.random.default_rng(derive_seed(seed, "validate", name))
        n, p = X.shape
        rows = rng.integers(n, size=(N_REPLICAS, n))
        features = np.zeros((N_REPLICAS, p), dtype=bool)
        starts = np.empty((N_REPLICAS, dataset.n_clusters), dtype=np.intp)
        labels = np.empty((N_REPLICAS, n), dtype=np.intp)
        for b in range(N_REPLICAS):
            size = p - 1 if b < N_REPLICAS // 2 else int(rng.integers(1, p))
            features[b, rng.permutation(p)[:size]] = True
            subspace = X[:, features[b]]
            distinct = rows[b][np.unique(subspace[rows[b]], axis=0, return_index=True)[1]]
            counts = np.bincount(rows[b], minlength=n)
            while True:
                starts[b] = rng.choice(distinct, dataset.n_clusters, replace=False)
                if not _meets_a_tie(subspace, counts, starts[b]):
                    break
            labels[b] = nearest_center(subspace.T, subspace[starts[b]][None])[0][0]
        return cls(dataset, seed, X, rows, features, starts, labels, rng.random(N_REPLICAS))


def _meets_a_tie(points: np.ndarray, counts: np.ndarray, starts: np.ndarray) -> bool:
    """Whether K-means initialized with these rows ever encounters a tie or an empty cluster."""
    centers = points[starts]
    while True:
        squares = ((points[:, None] - centers) ** 2).sum(axis=2)
        nearest, second = np.partition(squares, 1, axis=1)[:, :2].T
        members = (squares.argmin(axis=1) == np.arange(len(centers))[:, None]) * counts
        if (second - nearest).min() < TIE_TOLERANCE or not members.any(axis=1).all():
            return True
        before, centers = centers, members @ points / members.sum(axis=1, keepdims=True)
        if np.allclose(before, centers, rtol=0, atol=TIE_TOLERANCE):
            return False
