"""Input: reading tables, and the bundled datasets."""

from xcompare.io.datasets import load_dataset
from xcompare.io.tables import read_table

__all__ = ["load_dataset", "read_table"]
