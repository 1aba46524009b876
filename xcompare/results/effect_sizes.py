"""Effect sizes: how much a cluster differs from a reference in each feature, in the units of the data.

No p-values: clusters made from the same data were chosen to differ, so tests of these differences are
invalid.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from xcompare.core.features import Feature
from xcompare.results.clustered_table import ClusteredTable, Contrast
from xcompare.results.resampled_rows import ResampledRows
from xcompare.results.value_counts import ValueCounts

BOOTSTRAPS = 400
FEWEST_ROWS = 20  # for a tail
TOP = 10  # features listed per cluster
VALUES = 4_000_000  # of a block of features at most, to limit memory
QUANTILES = 0.025, 0.975
TINY = 1e-9  # standard deviations below this, of a feature with 1, are rounding
Groups = tuple[np.ndarray, np.ndarray]  # which rows belong to the cluster, and to its reference, by contrast
COLUMNS = (
    "cluster", "reference", "feature", "kind", "described", "level", "rows", "reference_rows",
    "value", "reference_value", "difference", "difference_low", "difference_high",
    "median", "reference_median", "heavy_tail",
    "cohens_d", "hedges_g", "hedges_g_low", "hedges_g_high",
    "cliffs_delta", "cliffs_delta_low", "cliffs_delta_high", "above_median", "reference_above_median",
    "cramers_v", "lift", "direction", "threshold", "threshold_level", "coverage", "purity",
)  # fmt: skip


def effect_sizes(
    table: ClusteredTable, contrasts: Sequence[Contrast], *, n_bootstraps: int = BOOTSTRAPS, seed: int = 0
) -> pd.DataFrame:
    """Effect sizes of each feature for each contrast, with 95% bootstrap intervals.

    Rows with a missing value are passed over, feature by feature. Bootstrap samples are drawn within each
    cluster; the labels stay fixed. The interval of Cliff's delta resamples its placements [1]_.

    Returns one row per contrast and feature; docs/tables.md describes the columns. Hedges' g is that of [2]_,
    Cliff's delta that of [3]_.

    References
    ----------
    .. [1] DeLong, DeLong, Clarke-Pearson (1988), doi:10.2307/2531595
    .. [2] Hedges (1981), doi:10.3102/10769986006002107
    .. [3] Cliff (1993), doi:10.1037/0033-2909.114.3.494

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]])
    >>> table = ClusteredTable(X, (Feature("age"),), np.array([0, 0, 0, 1, 1, 1]), ("young", "old"))
    >>> found = effect_sizes(table, table.against_rest())
    >>> print(*found.loc[0, ["value", "reference_value", "difference", "cliffs_delta"]])
    2.0 8.0 -6.0 -1.0
    >>> print(*found.loc[0, ["direction", "threshold", "coverage", "purity"]])
    <= 5.0 1.0 1.0
    """
    resampled = ResampledRows.of(table.codes, n_bootstraps, seed)
    block = max(1, VALUES // max(len(table.X), 1))
    of_rows = resampled.codes[:, None]
    inside = (of_rows == [contrast.cluster for contrast in contrasts]).astype(np.float32)
    outside = np.stack([np.isin(resampled.codes, one.reference) for one in contrasts], axis=1)
    groups = inside, outside.astype(np.float32)
    found: dict[int, dict[str, Any]] = {}  # by feature: columns with a value per contrast
    for start in range(0, len(table.features), block):
        some = range(start, min(start + block, len(table.features)))
        numeric = [j for j in some if table.features[j].kind == "numeric"]
        if numeric:
            found |= _mean_differences(table, contrasts, numeric, resampled)
        for j in some:
            feature, x = table.features[j], table.X[:, j]
            counts = ValueCounts.of(x, table.codes, contrasts, len(table.clusters))
            columns = found.setdefault(j, {})
            if feature.kind in ("numeric", "ordinal"):
                columns |= _ordered(counts, feature, x, groups, resampled)
            if feature.kind == "numeric":
                columns["median"], columns["reference_median"] = counts.medians
                columns["heavy_tail"] = [heavy_tail(x)] * len(contrasts)
            else:
                columns |= _categorical(counts, feature, x, groups, resampled)
    lines = [
        {
            "cluster": table.clusters[contrast.cluster],
            "reference": contrast.against,
            "feature": feature.name,
            "kind": feature.kind,
            "described": feature.described,
            "level": "",
            "heavy_tail": False,
            "threshold_level": "",
            **{name: values[c] for name, values in found[j].items()},
        }
        for c, contrast in enumerate(contrasts)
        for j, feature in enumerate(table.features)
    ]
    return pd.DataFrame(lines, columns=list(COLUMNS))


def heavy_tail(x: np.ndarray) -> bool:
    """Whether values beyond the middle nine tenths move the mean by a quarter of their width."""
    x = x[~np.isnan(x)]
    largest_value = np.abs(x).max(initial=0.0)
    if len(x) < FEWEST_ROWS or not 0 < largest_value < np.inf:
        return False
    x = x / largest_value
    low, high = np.quantile(x, [0.05, 0.95])
    return bool(abs(x.mean() - np.clip(x, low, high).mean()) > 0.25 * (high - low) > 0)


def sizes_of(effects: pd.DataFrame) -> pd.Series:
    """Size of each effect, from 0 to 1: Cliff's delta without its sign; Cramér's V of a category."""
    return effects["cliffs_delta"].astype(float).abs().fillna(effects["cramers_v"].astype(float))


def largest(effects: pd.DataFrame, n: int) -> pd.DataFrame:
    """The first ``n`` features of each contrast: by ``importance`` if it is there, then by size.

    After them the first ``n`` that only describe the clusters.
    """
    sizes = np.nan_to_num(sizes_of(effects))
    by = np.nan_to_num(effects["importance"].to_numpy(float)) if "importance" in effects else sizes
    contrasts = effects.groupby(["cluster", "reference"], sort=False).ngroup().to_numpy()
    described = effects["described"].to_numpy(bool)
    ordered = effects.iloc[np.lexsort([-sizes, -by, described, contrasts])]
    groups = ordered.groupby(["cluster", "reference", "described"], sort=False)
    return groups.head(n).reset_index(drop=True)


def titles_of(effects: pd.DataFrame) -> list[str]:
    """The feature of each effect, marked if it only describes the clusters."""
    pairs = zip(effects["feature"], effects["described"], strict=True)
    return [Feature(name, described=bool(described)).title for name, described in pairs]


def _mean_differences(
    table: ClusteredTable, contrasts: Sequence[Contrast], numeric: list[int], resampled: ResampledRows
) -> dict[int, dict[str, Any]]:
    """Means of numeric features and their differences, plain and standardised, by feature."""
    X = table.X[:, numeric]
    present = ~np.isnan(X)
    # Powers of two: the squares of very large or small numbers stay within the range of a float.
    unit = np.ldexp(1.0, np.frexp(np.where(present, np.abs(X), 0.0).max(axis=0, initial=0.0))[1] - 1)
    unit = np.where(unit > 0, unit, 1.0)
    Z = np.where(present, X / unit, 0.0)
    n = present.sum(axis=0)
    center = Z.sum(axis=0) / np.maximum(n, 1)
    Z = np.where(present, Z - center, 0.0)
    scale = np.sqrt(np.square(Z).sum(axis=0) / np.maximum(n, 1))
    scale = np.where(scale > 0, scale, 1.0)
    Z /= scale
    moments = np.stack([present, Z, np.square(Z)])  # (3, n_samples, n_features)
    clusters = np.arange(len(table.clusters))[:, None] == table.codes
    inside = np.eye(len(table.clusters))[[contrast.cluster for contrast in contrasts]]
    outside = np.array([np.isin(np.arange(len(table.clusters)), one.reference) for one in contrasts], float)
    sums = clusters.astype(float) @ moments  # (3, n_clusters, n_features)
    a, b = inside @ sums, outside @ sums
    difference, d, g = _standardized(a, b)
    drawn, own = resampled.sums_by_cluster(moments)
    reference = _standardized(inside @ own, outside @ own)
    deviates = _standardized(inside @ drawn, outside @ drawn)
    (diff_low, diff_high), _, (g_low, g_high) = (
        _interval(value, draws - at, resampled.shrinkage)
        for value, draws, at in zip((difference, d, g), deviates, reference, strict=True)
    )
    in_units = scale * unit
    with np.errstate(invalid="ignore", divide="ignore"):
        value, other = (center * unit + one[1] / one[0] * in_units for one in (a, b))
    columns = {
        "rows": a[0].astype(int), "reference_rows": b[0].astype(int),
        "value": value, "reference_value": other, "difference": difference * in_units,
        "difference_low": diff_low * in_units, "difference_high": diff_high * in_units,
        "cohens_d": d, "hedges_g": g, "hedges_g_low": g_low, "hedges_g_high": g_high,
    }  # fmt: skip
    return {j: {name: array[:, at] for name, array in columns.items()} for at, j in enumerate(numeric)}


def _standardized(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Difference of means, Cohen's d and Hedges' g, from numbers of rows, sums and sums of squares.

    The leading axis, or the one before the last two, holds the three; NaN where a group is empty or nothing
    varies.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = a[0] / a[0] * (a[1] / a[0] - b[1] / b[0])
        squares = (a[2] - a[1] ** 2 / a[0]) + (b[2] - b[1] ** 2 / b[0])
        freedom = a[0] + b[0] - 2
        pooled = np.sqrt(np.maximum(squares, 0.0) / freedom)
        d = np.where(pooled > TINY, difference / pooled, np.nan)
        correction = np.exp(gammaln(freedom / 2) - gammaln((freedom - 1) / 2)) * np.sqrt(2 / freedom)
        return difference, d, np.where(freedom > 1, correction, np.nan) * d


def _interval(value: np.ndarray, deviates: np.ndarray, shrinkage: float) -> tuple[np.ndarray, np.ndarray]:
    """Percentile interval from deviations of the bootstrap samples; NaN if one has no value."""
    known = np.isfinite(deviates).all(axis=0)
    quantiles = np.quantile(np.where(known, deviates, 0.0), QUANTILES, axis=0)  # infinities would warn
    low, high = (np.where(known, value + shrinkage * one, np.nan) for one in quantiles)
    return low, high


def _ordered(
    counts: ValueCounts, feature: Feature, x: np.ndarray, groups: Groups, resampled: ResampledRows
) -> dict[str, Any]:
    """Cliff's delta, shares above the median, and the best threshold."""
    delta = counts.cliffs_delta
    influence = counts.placements(x[resampled.rows], *groups)
    low, high = _interval(delta, resampled.deviates(influence), resampled.shrinkage)
    above, reference_above = counts.above(float(np.nanmedian(x)) if counts.values.size else np.nan)
    direction, threshold, coverage, purity = counts.best_thresholds
    return {
        "rows": counts.n_inside, "reference_rows": counts.n_outside,
        "cliffs_delta": delta, "cliffs_delta_low": low, "cliffs_delta_high": high,
        "above_median": above, "reference_above_median": reference_above,
        "direction": direction, "threshold": threshold, "coverage": coverage, "purity": purity,
        "threshold_level": [
            _level(feature, code) if feature.levels and np.isfinite(code) else "" for code in threshold
        ],
    }  # fmt: skip


def _categorical(
    counts: ValueCounts, feature: Feature, x: np.ndarray, groups: Groups, resampled: ResampledRows
) -> dict[str, Any]:
    """The over-represented level, its shares, lift, and Cramér's V."""
    n_contrasts = len(counts.n_inside)
    if not counts.values.size:
        return {"rows": counts.n_inside, "reference_rows": counts.n_outside}
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = counts.inside / counts.n_inside  # (n_levels, n_contrasts)
        reference = counts.outside / counts.n_outside
        both = (counts.inside + counts.outside) / (counts.n_inside + counts.n_outside)
        at = np.nan_to_num(shares - reference, nan=-1.0).argmax(axis=0)
        pick = at, np.arange(n_contrasts)
        share, other = shares[pick], reference[pick]
        influence = counts.share_influence(x[resampled.rows], *groups, at)
        low, high = _interval(share - other, resampled.deviates(influence), resampled.shrinkage)
        columns: dict[str, Any] = {
            "rows": counts.n_inside, "reference_rows": counts.n_outside,
            "level": [_level(feature, counts.values[code]) for code in at],
            "value": share, "reference_value": other, "difference": share - other,
            "difference_low": low, "difference_high": high,
            "cramers_v": counts.cramers_v, "lift": share / both[pick],
        }  # fmt: skip
        if feature.kind != "ordinal":
            columns |= {
                "direction": ["="] * n_contrasts,
                "coverage": share,
                "purity": counts.inside[pick] / (counts.inside + counts.outside)[pick],
            }
    return columns


def _level(feature: Feature, code: float) -> str:
    return feature.levels[int(code)] if feature.levels else f"{code:g}"
