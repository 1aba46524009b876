"""Data that several tests look at."""

import numpy as np

from xcompare.datasets import load_dataset


def standardized(data):
    """Rows of a dataset, or of the bundled one of that name: mean 0 and sample standard deviation 1."""
    X = load_dataset(data).X if isinstance(data, str) else np.asarray(data)
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
