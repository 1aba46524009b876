"""HINoV: agreement between the groups in single features (Carmone, Kara and Maxwell, 1999)."""

from functools import partial

import numpy as np

from xcompare.bagging.consensus.contingency import adjusted_rand_indices
from xcompare.bagging.kmeans.centers import label_type
from xcompare.core.blocks import slices
from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.core.threads import one_thread
from xcompare.methods.base import PYTHON, SOFTWARE, Engine, Method, Scores, linear_seconds

REFERENCE = (
    "Carmone, Kara, Maxwell (1999), HINoV: a new model to improve market segment definition by identifying"
    " noisy variables, doi:10.1177/002224379903600408"
)
BLOCK_VALUES = 2**17  # processed at a time


def hinov(
    X: np.ndarray,
    n_clusters: int,
    *,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Agreement of the groups in each feature with those in all others.

    K-means on a single feature gives K groups. The score of the feature is the sum of the adjusted
    Rand indices between its groups and those of every other feature, which is near 0 for noise.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data. The scale of a column does not matter.
    n_clusters : int
        Number of groups, at most n_samples. A feature with fewer values has fewer.
    random_state : int, Generator or None, default=None
        Ignored: K-means in one dimension is solved exactly.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): about 0 for noise, at most n_features - 1; larger means more
        important. ``details["agreement"]``, of shape (n_features, n_features): the indices.

    References
    ----------
    Carmone, F. J., Kara, A., Maxwell, S. (1999). HINoV: a new model to improve market segment definition by
    identifying noisy variables. Journal of Marketing Research 36(4). doi:10.1177/002224379903600408

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> cluster = np.repeat([0, 5], 50)
    >>> X = np.column_stack([rng.normal(cluster), rng.normal(cluster), rng.normal(size=100)])
    >>> int(hinov(X, 2).scores.argmin())
    2
    """
    check_choice("engine", engine, PYTHON)
    X = check_data(X, squares=True)
    check_integer("n_clusters", n_clusters, 1, len(X))
    blocks = (X[:, some] for some in slices(X.shape[1], max(1, BLOCK_VALUES // len(X))))
    kind = label_type(n_clusters)
    labels: np.ndarray = np.hstack([best_groups(block, n_clusters).astype(kind) for block in blocks])
    with one_thread():
        agreement = adjusted_rand_indices(labels.T, n_clusters)
    np.fill_diagonal(agreement, 0.0)
    scores = agreement.sum(axis=1)
    np.fill_diagonal(agreement, 1.0)
    return Scores(scores, SOFTWARE, details={"agreement": agreement})


def best_groups(X: np.ndarray, n_clusters: int) -> np.ndarray:
    """Optimal K-means partition of each feature, by dynamic programming.

    Groups are intervals of the sorted values, so the best cuts of the first values follow from those with
    fewer groups. The last cut is monotone in the number of values: between two known ones, few candidates
    are left.

    ``X`` of shape (n_samples, n_features). Returns shape (n_samples, n_features): groups, in the order of
    their values; equal values are in one group.
    """
    n, p = X.shape
    ordered = np.sort(X, axis=0)
    sums = np.zeros((p, n + 1))
    np.cumsum((ordered - X.mean(axis=0)).T, axis=1, out=sums[:, 1:])
    features, ends = np.arange(p), np.arange(n + 1)
    # Between-group sum of squares of the first `end` values: the sum over groups of sum^2 / size.
    between = sums**2 / np.maximum(ends, 1)
    cuts = []  # last cut with 2, 3, ... groups
    for _ in range(2, n_clusters + 1):
        cut = np.zeros((p, n + 1), dtype=np.intp)
        best = np.zeros((p, n + 1))
        cut[:, n], best[:, n] = _best_cut(sums, between, features, n, np.zeros(p, int), np.full(p, n))
        step = 1 << (n - 1).bit_length()
        while step > 1:
            end = np.arange(step // 2, n, step)
            feature, end = np.repeat(features, len(end)), np.tile(end, p)
            low = cut[feature, end - step // 2]
            high = np.minimum(cut[feature, np.minimum(end + step // 2, n)], end)
            cut[feature, end], best[feature, end] = _best_cut(sums, between, feature, end, low, high)
            step //= 2
        cuts.append(cut)
        between = best
    labels = np.zeros(X.shape, dtype=np.intp)
    end = np.full(p, n)
    for cut in reversed(cuts):
        end = cut[features, end]
        start = np.where(end < n, ordered[np.minimum(end, n - 1), features], np.inf)
        labels += start <= X
    return labels


def _best_cut(
    sums: np.ndarray,
    between: np.ndarray,
    feature: np.ndarray,
    end: np.ndarray | int,
    low: np.ndarray,
    high: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Best last cut before each end, from low to high, and the between-group sum of squares."""
    tries = high - low + 1
    first = np.cumsum(tries) - tries
    cut = np.arange(tries.sum()) - np.repeat(first - low, tries)
    feature, end = np.repeat(feature, tries), np.repeat(np.broadcast_to(end, tries.shape), tries)
    last = (sums[feature, end] - sums[feature, cut]) ** 2 / np.maximum(end - cut, 1)
    value = between[feature, cut] + last
    best = np.maximum.reduceat(value, first)
    reached = np.flatnonzero(value == np.repeat(best, tries))
    return cut[reached[np.searchsorted(reached, first)]], best


HINOV = Method(
    name="hinov",
    title="HINoV",
    run=hinov,
    reference=REFERENCE,
    default=False,
    stochastic=False,
    engines=PYTHON,
    seconds=partial(linear_seconds, 4e-7),
)
