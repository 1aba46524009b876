"""The datasets of the paper, and iris, by name.

Examples
--------
>>> from xcompare.io.datasets import load_dataset
>>> wine = load_dataset("wine")
>>> wine.X.shape, wine.n_clusters
((178, 13), 3)
"""

from xcompare.io.datasets.dataset import Dataset
from xcompare.io.datasets.files import leaderboard, paper_tables
from xcompare.io.datasets.loading import DATASETS, load_dataset

__all__ = ["DATASETS", "Dataset", "leaderboard", "load_dataset", "paper_tables"]
