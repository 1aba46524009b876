"""Mutual information of features and a partition, by kernel densities or plug-in for discrete values."""
