"""Refined clustering, our own method: bagging in rounds, each drawing features by what the last one found."""

from xcompare.refined.estimator import RefinedClustering

__all__ = ["RefinedClustering"]
