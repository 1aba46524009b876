"""The CSV files of the package: breast cancer, the tables of the paper, and results of the benchmark."""

from functools import cache
from importlib import resources

import pandas as pd


@cache
def read_bundled(name: str) -> pd.DataFrame:
    """A file of this folder; copy it before changing it."""
    with resources.files("xcompare.io.datasets").joinpath(name).open(encoding="utf-8") as file:
        return pd.read_csv(file)


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
    return read_bundled("paper_tables.csv").astype({"m": "Int64"})


def leaderboard() -> pd.DataFrame:
    """Characteristics of every benchmark scenario with clusters, and the AUC of each method.

    Written by `xcompare bench`.

    Returns
    -------
    DataFrame
        One row per scenario: ``tier, n_samples, n_features, correlation, tails, discrete`` (see
        `xcompare.results.recommendation.describe`), then the mean AUC of each method, under its name.

    Examples
    --------
    >>> int(leaderboard().loc["shared", "n_samples"])
    200
    """
    return read_bundled("leaderboard.csv").set_index("scenario")
