"""Clustering by an unsupervised binary tree: CUBT."""
