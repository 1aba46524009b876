"""Clusters that are already there: which features tell them apart, in numbers and in words."""
