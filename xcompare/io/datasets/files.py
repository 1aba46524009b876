"""Read the CSV files of the package."""

from functools import cache
from importlib import resources

import pandas as pd


@cache
def read_bundled(name: str) -> pd.DataFrame:
    """A file of this folder; copy it before changing it."""
    with resources.files("xcompare.io.datasets").joinpath(name).open(encoding="utf-8") as file:
        return pd.read_csv(file)
