"""Data that several tests look at, and what is expected of it."""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from xcompare.core.standardization import standardize
from xcompare.io.datasets import load_dataset


def standardized(data):
    """Rows of a dataset, or of the bundled one of that name: mean 0 and sample standard deviation 1."""
    return standardize(load_dataset(data).X if isinstance(data, str) else np.asarray(data))


def dunn_by_all_pairs(X, labels):
    """Dunn index of rows from the distances of all pairs."""
    distance = squareform(pdist(X))
    same = labels[:, None] == labels
    if same.all():
        return 0.0
    separation, diameter = distance[~same].min(), distance[same].max()
    if separation == 0:
        return 0.0
    return separation / diameter if diameter > 0 else np.inf
