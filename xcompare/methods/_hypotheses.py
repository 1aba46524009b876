"""The tests of what features have to do with the clusters, as rows that the harness runs: no methods.

They run on standardised data, natively, and on at most 1,000 rows where they refit or permute.
"""

from functools import partial

import numpy as np

from xcompare.bagging.partitions import bag_partitions, known, some_rows
from xcompare.hypotheses.one_gaussian import known_in_draws
from xcompare.hypotheses.own_groups import p_own_groups
from xcompare.hypotheses.shared_structure import p_shared
from xcompare.methods._base import SOFTWARE, Engine, Method, Scores

MAX_ROWS = 1000


def _shared_structure(
    X: np.ndarray, n_clusters: int, *, random_state: int | None = None, engine: Engine = "python"
) -> Scores:
    """p-values of "shares its structure with others"."""
    rng = np.random.default_rng(random_state)
    X = some_rows(X, MAX_ROWS, rng)
    return Scores(p_shared(X, bag_partitions(X, n_clusters, rng), rng), SOFTWARE)


def _own_groups(
    X: np.ndarray, n_clusters: int, *, random_state: int | None = None, engine: Engine = "python"
) -> Scores:
    """p-values of "has groups of its own"."""
    return Scores(p_own_groups(X), SOFTWARE)


def _one_gaussian(
    X: np.ndarray,
    n_clusters: int,
    *,
    random_state: int | None = None,
    engine: Engine = "python",
    n_draws: int = 0,
) -> Scores:
    """What features know of partitions of the data; or of draws from one Gaussian, each of them a variant."""
    rng = np.random.default_rng([random_state or 0, n_draws])
    X = some_rows(X, MAX_ROWS, rng)
    if n_draws == 0:
        return Scores(known(X, bag_partitions(X, n_clusters, rng)), SOFTWARE)
    draws = known_in_draws(X, n_clusters, n_draws, rng)
    each = {f"draw {i}": draw for i, draw in enumerate(draws)}
    return Scores(draws.mean(axis=0), SOFTWARE, variants=each)


_row = partial(Method, larger_is_better=True, normalization="none", engines=("python",))

OWN_GROUPS = _row(
    name="own_groups",
    title="Has groups of its own",
    run=_own_groups,
    reference="Hartigan and Hartigan (1985), doi:10.1214/aos/1176346577",
    stochastic=False,
)
ONE_GAUSSIAN = _row(
    name="one_gaussian",
    title="More than K-means finds in one Gaussian",
    run=_one_gaussian,
    reference="Monte Carlo test given mean and covariance; xcompare",
    options=("n_draws",),
)
SHARED_STRUCTURE = _row(
    name="shared_structure",
    title="Shares its structure with others",
    run=_shared_structure,
    reference="permutation test on partitions made without the feature; xcompare",
)

TESTS: dict[str, Method] = {row.name: row for row in (OWN_GROUPS, ONE_GAUSSIAN, SHARED_STRUCTURE)}
