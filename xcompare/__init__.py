"""xcompare: which features made the clusters? Importance methods side by side, in Python and R."""

from xcompare.bagged_clustering import BaggedClustering
from xcompare.datasets import load_dataset

__version__ = "0.1.0"

__all__ = ["BaggedClustering", "load_dataset"]
