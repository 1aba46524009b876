"""Bagged clustering (arXiv:2603.19840): the estimator and its building blocks."""

from xcompare.bagging.consensus.medoid import consensus_partition, variation_of_information
from xcompare.bagging.dunn.index import dunn_index
from xcompare.bagging.estimator import BaggedClustering
from xcompare.bagging.information.entropy import kde_entropy
from xcompare.bagging.information.mutual import mutual_information

__all__ = [
    "BaggedClustering",
    "consensus_partition",
    "dunn_index",
    "kde_entropy",
    "mutual_information",
    "variation_of_information",
]
