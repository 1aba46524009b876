"""xcompare: which features made the clusters? Importance methods side by side, in Python and R."""

__version__ = "0.1.0"
