"""Published numbers: the tables of the paper, and results of the benchmark by scenario."""

import pandas as pd

from xcompare.io.datasets.files import read_bundled


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
