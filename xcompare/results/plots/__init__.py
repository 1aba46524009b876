"""Plots of results, for notebooks and papers: ``comparison.plot()``, ``comparison.plot.bars()`` ..."""

from xcompare.results.plots.choice_plots import ChoicePlots
from xcompare.results.plots.comparison_plots import ComparisonPlots
from xcompare.results.plots.explanation_plots import ExplanationPlots, bag_cluster_map
from xcompare.results.plots.sweep_plots import SweepPlots

__all__ = ["ChoicePlots", "ComparisonPlots", "ExplanationPlots", "SweepPlots", "bag_cluster_map"]
