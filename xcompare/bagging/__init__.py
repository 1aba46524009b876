"""Bagged clustering (arXiv:2603.19840), readable on its own: the estimators, and the parts it is made of."""

from xcompare.bagging.consensus import consensus_partition, variation_of_information
from xcompare.bagging.dunn import dunn_index
from xcompare.bagging.entropy import kde_entropy
from xcompare.bagging.estimator import BaggedClustering
from xcompare.bagging.information import mutual_information
from xcompare.bagging.refined import RefinedClustering

__all__ = [
    "BaggedClustering",
    "RefinedClustering",
    "consensus_partition",
    "dunn_index",
    "kde_entropy",
    "mutual_information",
    "variation_of_information",
]
