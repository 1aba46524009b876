"""Refined clustering: iterative refinement of bagged feature importances."""

from xcompare.refined.estimator import RefinedClustering

__all__ = ["RefinedClustering"]
