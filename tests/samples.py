"""Data that several tests look at."""

import numpy as np

from xcompare.datasets import load_dataset
from xcompare.standardize import standardize


def standardized(data):
    """Rows of a dataset, or of the bundled one of that name: mean 0 and sample standard deviation 1."""
    return standardize(load_dataset(data).X if isinstance(data, str) else np.asarray(data))
