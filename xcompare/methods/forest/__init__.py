"""Unsupervised random forests."""
