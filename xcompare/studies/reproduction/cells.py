"""Comparison of every published cell with ours."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from xcompare.io.datasets import load_dataset, paper_tables
from xcompare.studies.reproduction.protocol import CLUSTERINGS, ONE_DRAW

LEAST_TOLERANCE = 0.05
DEVIATIONS = 2.0
ROUNDING = 1e-9  # a difference of 0.05 up to rounding is within 0.05

CELL = ["dataset", "table", "metric", "method", "m"]
IDENTITY = ["dataset", "metric", "method", "m", "group", "feature", "engine"]  # of a compared number


def compare_cells(
    datasets: Sequence[str], engines: Sequence[str], importances: pd.DataFrame, partitions: pd.DataFrame
) -> pd.DataFrame:
    """The published cells of these datasets, compared with our results.

    Returns
    -------
    DataFrame
        The columns of `xcompare.io.datasets.paper_tables`, then ``engine``; ``group`` (features compared by
        their mean; missing if a cell is compared by itself); ``published`` and ``ours``, the two
        numbers compared, with ``published_sd`` (mean of a group's) and ``ours_sd`` over ``n_runs`` runs;
        ``difference``, ``tolerance`` and ``within``; ``within_draws``, for data of which the paper shows
        one draw: whether the published number is within two standard deviations over our draws.
    """
    paper = paper_tables()
    paper = paper[paper["dataset"].isin(datasets)]
    paper["group"] = _groups(paper)
    found = pd.concat([_by_group(importances), _long(partitions)], ignore_index=True)
    by_identity = found.groupby(IDENTITY, dropna=False)["score"]
    ours = by_identity.agg(ours="mean", ours_sd=_spread, n_runs="size").reset_index()
    cells = pd.concat([paper.assign(engine=engine) for engine in engines], ignore_index=True)
    place = {name: at for at, name in enumerate([*datasets, "importance", "clustering", *engines])}
    order = ["dataset", "table", "engine"]
    cells = cells.sort_values(order, key=lambda names: names.map(place), kind="stable", ignore_index=True)
    of_group = cells["group"].notna()
    by_row = cells.groupby([*CELL, "engine", "group"], dropna=False)
    cells["published"] = cells["mean"].where(~of_group, by_row["mean"].transform("mean"))
    cells["published_sd"] = cells["sd"].where(~of_group, by_row["sd"].transform("mean"))
    plain = cells["method"].isin(CLUSTERINGS)  # which draw no features and run in Python only
    wanted = cells.assign(
        m=cells["m"].mask(plain),
        engine=cells["engine"].mask(plain, "python"),
        feature=cells["feature"].mask(of_group),
    )
    kinds = dict.fromkeys(IDENTITY, object)  # a column may be missing everywhere
    matched = wanted[IDENTITY].astype(kinds).merge(ours.astype(kinds), "left")
    cells[["ours", "ours_sd"]] = matched[["ours", "ours_sd"]]
    cells["n_runs"] = matched["n_runs"].fillna(0).astype(int)
    cells["difference"] = cells["ours"] - cells["published"]
    cells["tolerance"] = np.maximum(LEAST_TOLERANCE, DEVIATIONS * cells["published_sd"])
    cells["within"] = cells["difference"].abs() <= cells["tolerance"] + ROUNDING
    chance = np.maximum(cells["tolerance"], DEVIATIONS * cells["ours_sd"])
    near = cells["difference"].abs() <= chance + ROUNDING
    cells["within_draws"] = near.where(cells["dataset"].isin(ONE_DRAW), cells["within"])
    return cells


def summarize(cells: pd.DataFrame) -> pd.DataFrame:
    """One row per table: number of cells, share within tolerance, largest difference, rank correlation.

    The index is ``dataset, table, engine``; columns ``cells``, ``within`` and ``within_draws`` (shares),
    ``largest_difference`` and ``worst_cell`` (its cell), ``spearman`` (mean over the published rows) and
    ``spearman_min``. The last row is for all tables.
    """
    by = ["dataset", "table", "engine"]
    rows = {key: _summary(part) for key, part in cells.groupby(by, sort=False)}
    rows |= {("all", "all", engine): _summary(part) for engine, part in cells.groupby("engine", sort=False)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(by)


def _summary(cells: pd.DataFrame) -> dict[str, object]:
    size = cells["difference"].abs()
    worst = cells.iloc[int(np.nanargmax(size))] if size.notna().any() else None
    rhos = _rank_agreement(cells)
    return {
        "cells": len(cells),
        "within": cells["within"].mean(),
        "within_draws": cells["within_draws"].mean(),
        "largest_difference": np.nan if worst is None else abs(worst["difference"]),
        "worst_cell": "" if worst is None else name_cell(worst),
        "spearman": np.mean(rhos) if rhos else np.nan,
        "spearman_min": np.min(rhos) if rhos else np.nan,
    }


def name_cell(cell: pd.Series) -> str:
    """A cell in words, e.g. ``TWKM, Proline`` or ``BBC (m=5), ARI``."""
    who = cell["method"] if pd.isna(cell["m"]) else f"{cell['method']} (m={cell['m']})"
    what = cell["group"] if pd.notna(cell["group"]) else cell["feature"]
    return f"{who}, {what if pd.notna(what) else cell['metric']}"


def _rank_agreement(cells: pd.DataFrame) -> list[float]:
    """Spearman's correlation of each published row with ours; constant rows are left out.

    A row is a method in an importance table, and a measure over the methods in a clustering table.
    """
    rhos = []
    row = cells["method"].where(cells["table"] == "importance", "")
    for _, part in cells.groupby(
        [cells["dataset"], cells["table"], cells["engine"], row, cells["metric"], cells["m"]], dropna=False
    ):
        both = part[["published", "ours"]].dropna().to_numpy()
        if len(both) > 2 and (np.ptp(both, axis=0) > 0).all():
            rhos.append(float(stats.spearmanr(both).statistic))
    return rhos


def _groups(cells: pd.DataFrame) -> pd.Series:
    """Group of the feature of each cell, if cells are compared by group."""
    groups = {
        (name, feature): group
        for name in ONE_DRAW
        for dataset in [load_dataset(name)]
        for feature, group in zip(dataset.feature_names, dataset.groups or (), strict=True)
    }
    keys = zip(cells["dataset"], cells["feature"], strict=True)
    return pd.Series([groups.get(key) for key in keys], index=cells.index, dtype=object)


def _by_group(importances: pd.DataFrame) -> pd.DataFrame:
    """Scores of groups: the mean over their features in each run."""
    frame = importances.assign(metric="FI", group=_groups(importances))
    whole = frame["group"].notna()
    who = ["dataset", "metric", "method", "engine", "m", "run", "group"]
    means = frame[whole].groupby(who, dropna=False, sort=False)["score"].mean().reset_index()
    return pd.concat([frame[~whole], means.assign(feature=None)], ignore_index=True)


def _long(partitions: pd.DataFrame) -> pd.DataFrame:
    """Scores of partitions in long format, one row per measure."""
    who = [column for column in partitions if column not in ("ARI", "FM")]
    long = partitions.melt(who, ["ARI", "FM"], var_name="metric", value_name="score")
    return long.assign(group=None, feature=None)


def _spread(scores: pd.Series) -> float:
    """Sample standard deviation; 0 for a deterministic method."""
    return float(scores.std(ddof=1)) if len(scores) > 1 else 0.0
