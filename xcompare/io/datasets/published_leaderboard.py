"""Results of the benchmark by scenario, as written by `xcompare bench`."""

from functools import cache
from importlib import resources

import pandas as pd

FILE = "leaderboard.csv"


def leaderboard() -> pd.DataFrame:
    """Characteristics of every benchmark scenario with clusters, and the AUC of each method.

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
    return _read().copy()


@cache
def _read() -> pd.DataFrame:
    with resources.files("xcompare.io.datasets").joinpath(FILE).open(encoding="utf-8") as file:
        return pd.read_csv(file, index_col="scenario")
