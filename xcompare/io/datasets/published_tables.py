"""Published tables of the paper."""

from functools import cache
from importlib import resources

import pandas as pd


def paper_tables() -> pd.DataFrame:
    """Every published cell of arXiv:2603.19840.

    Returns
    -------
    DataFrame
        1,339 rows with columns ``dataset, table, metric, method, m, feature, mean, sd``; ``m`` is
        missing for methods without a subspace, ``feature`` for clustering scores.

    Examples
    --------
    >>> cells = paper_tables()
    >>> len(cells)
    1339
    """
    return _read().copy()


@cache
def _read() -> pd.DataFrame:
    """Read the file once."""
    with resources.files("xcompare.io.datasets").joinpath("paper_tables.csv").open() as file:
        return pd.read_csv(file, dtype={"m": "Int64"})
