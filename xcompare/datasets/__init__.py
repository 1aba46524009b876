"""The datasets of the paper, and iris, by name.

Examples
--------
>>> from xcompare.datasets import load_dataset
>>> wine = load_dataset("wine")
>>> wine.X.shape, wine.n_clusters
((178, 13), 3)
"""

from xcompare.datasets._base import Dataset
from xcompare.datasets._leaderboard import leaderboard
from xcompare.datasets._paper import paper_tables
from xcompare.datasets._table import DATASETS, load_dataset

__all__ = ["DATASETS", "Dataset", "leaderboard", "load_dataset", "paper_tables"]
