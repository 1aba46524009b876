"""Shares its structure with others: an exact permutation test without refits.

Hypothesis: the feature is independent of all others. Replicas that did not draw it were made in ignorance of
it (with "efron" or "basic" rows; the prior of "bbc" sees every feature), so its values are as good in
any order, and the test is exact for any data.
"""

import numpy as np

from xcompare.bagging.partitions import Partitions, binned, entropy_terms

BATCH_COUNTS = 2**21  # entries of contingency tables counted at a time


def p_shared(
    X: np.ndarray, partitions: Partitions, rng: np.random.Generator, n_permutations: int = 999
) -> np.ndarray:
    """How often a permuted feature knows as much of the partitions made without it.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    partitions : Partitions
    rng : numpy.random.Generator
    n_permutations : int, default=999

    Returns
    -------
    ndarray of shape (n_features,)
        p-values, at least ``1 / (n_permutations + 1)``; 1 for a feature that every replica drew.
    """
    members, cells = partitions.members(), binned(X)
    terms = entropy_terms(len(X)).astype(np.float32)
    p_values = np.ones(X.shape[1])
    for j, column in enumerate(cells.T):
        without = ~partitions.features[:, j] & (partitions.weights > 0)
        if without.any():
            p_values[j] = _p_value(
                column, members[without], partitions.weights[without], terms, rng, n_permutations
            )
    return p_values


def _p_value(column, members, weights, terms, rng, n_permutations) -> float:
    """p-value of one feature; sizes of cells and clusters stay, so only the joint counts matter."""
    n_replicas, n_clusters, n = members.shape
    rows = members.reshape(-1, n)
    weights = (weights / weights.sum()).astype(np.float32)
    member = (column == np.arange(column.max() + 1)[:, None]).astype(np.float32)

    def scores(cells: np.ndarray) -> np.ndarray:
        counts = rows @ cells.reshape(-1, n).T  # (n_replicas * K, n_orders * n_cells)
        joint = terms[counts.astype(np.int32)]
        joint = joint.reshape(n_replicas, n_clusters, len(cells), -1).sum(axis=(1, 3))
        return weights @ joint

    observed = scores(member[None])[0]
    # What rounding makes of sums in another order must not break a tie.
    observed -= 1e-5 * abs(observed)
    at_a_time = max(1, BATCH_COUNTS // (len(rows) * len(member)))
    as_large = 0
    for start in range(0, n_permutations, at_a_time):
        orders = rng.permuted(np.tile(np.arange(n), (min(at_a_time, n_permutations - start), 1)), axis=1)
        as_large += int((scores(member[:, orders].swapaxes(0, 1)) >= observed).sum())
    return (1 + as_large) / (1 + n_permutations)
