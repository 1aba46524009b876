"""Test of association between a feature and a partition by other features.

Pearson's chi-square statistic of the labels and the feature, cut at its quantiles. Given both margins, its
mean and variance over all permutations are known exactly for any distribution of the feature; a
gamma distribution with these moments gives p-values far below those of a permutation test.
"""

import numpy as np
from scipy.stats import gamma

from xcompare.bagging.information.discrete import few_values, value_codes

MOST_GROUPS = 12  # of a feature's values


def association_p_value(values: np.ndarray, labels: np.ndarray, *, nominal: bool = False) -> float:
    """p-value of independence between a feature and labels.

    ``values`` of shape (n_samples,): missing values (NaN) are left out. ``labels`` of shape (n_samples,):
    partition that does not depend on the feature: under the null its values are exchangeable. ``nominal``:
    whether the values are codes of levels without an order, which are not cut at quantiles. Returns 1 if
    either is constant.

    References
    ----------
    Dawson (1954), A simplified expression for the variance of the chi-square function on a contingency
    table. doi:10.1093/biomet/41.1-2.280

    Examples
    --------
    >>> association_p_value(np.arange(100.0), np.repeat([0, 1], 50)) < 1e-10
    True
    >>> round(association_p_value(np.arange(100.0), np.arange(100) % 2), 2)
    1.0
    """
    observed = ~np.isnan(values)
    if not observed.all():
        values, labels = values[observed], labels[observed]
    if not len(values):
        return 1.0
    codes, _ = value_codes(values, len(values) if nominal else min(few_values(len(values)), MOST_GROUPS))
    statistic, mean, variance = _chi_square(codes, labels)
    if mean <= 0 or variance <= 0:
        return 1.0
    return float(gamma.sf(statistic, mean**2 / variance, scale=variance / mean))


def _chi_square(codes: np.ndarray, labels: np.ndarray) -> tuple[float, float, float]:
    """Pearson's chi-square, its mean and its variance over all permutations."""
    n = len(codes)
    _, labels = np.unique(labels, return_inverse=True)
    table = np.zeros((int(codes.max()) + 1, int(labels.max()) + 1))
    np.add.at(table, (codes, labels), 1)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    r, c = len(rows), len(columns)
    if r < 2 or c < 2 or n < 5:
        return 0.0, 0.0, 0.0
    statistic = n * ((table**2 / np.outer(rows, columns)).sum() - 1)
    spread = [((size - 1) * (n - size) / (n - 1), (n * (1 / sums).sum() - size**2) / (n - 2))
              for size, sums in ((r, rows), (c, columns))]  # fmt: skip
    (v1, w1), (v2, w2) = spread
    variance = 2 * n / (n - 3) * (v1 - w1) * (v2 - w2) + n**2 / (n - 1) * w1 * w2
    return float(statistic), n * (r - 1) * (c - 1) / (n - 1), float(max(variance, 0.0))
