"""Filters: scores of features without a clustering."""
