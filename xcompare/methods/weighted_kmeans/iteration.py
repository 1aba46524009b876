"""K-means with weights for features and groups of features: the core of FGKM and TWKM.

Both alternate four steps, each of which minimises the same objective exactly with the rest fixed: labels,
centres, feature weights, group weights. FGKM has a row of weights for every cluster, TWKM one row for all.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from xcompare import rbridge
from xcompare.core.checks import check_choice, check_data, check_integer, check_squares
from xcompare.core.seeds import LARGEST_SEED, as_seed
from xcompare.core.threads import one_blas_thread
from xcompare.methods.base import ENGINES, SOFTWARE, Engine, Scores, scores_from_r
from xcompare.methods.option import Option, option_table
from xcompare.methods.weighted_kmeans.assignment import assign

SMALLEST_WEIGHT = 1e-5  # divided by the number of weights; keeps every logarithm finite
LARGEST_INTEGER = 2**31 - 1  # of R
MARGIN = 0.5 * 2.328306437080797e-10  # R never returns 0 or 1
OPTIONS = option_table(
    Option("lam", "spread of the weights of groups: larger is more even", "number", 0),
    Option("eta", "spread of the weights of features: larger is more even", "number", 0),
    Option("groups", "group of each feature; None: each its own", "list", or_none=True),
)


def weighted_kmeans(
    X: npt.ArrayLike,
    n_clusters: int,
    *,
    per_cluster: bool,
    groups: Sequence[object] | np.ndarray | None,
    lam: float,
    eta: float,
    init: npt.ArrayLike | None,
    max_iter: int,
    tol: float,
    max_restarts: int,
    random_state: int | np.random.Generator | None,
    engine: Engine,
    running_max: bool = False,
) -> Scores:
    """FGKM (``per_cluster``) or TWKM with either engine; see `xcompare.methods.fgkm`."""
    X = check_data(X, squares=True)
    check_integer("n_clusters", n_clusters, 1, len(X))
    if init is not None:
        init = check_data(init, name="init")
        check_squares(np.vstack([X, init]), name="init")
        if init.shape != (n_clusters, X.shape[1]):
            raise ValueError(
                f"init must hold one starting centre per cluster, shape ({n_clusters}, {X.shape[1]});"
                f" got {init.shape}"
            )
    for name, value in (("lam", lam), ("eta", eta)):
        if not 0 < value < np.inf:
            raise ValueError(f"{name} must be positive and finite; got {value!r}")
    if not 0 <= tol < np.inf:
        raise ValueError(f"tol must be at least 0 and finite; got {tol!r}")
    check_integer("max_iter", max_iter, 1, LARGEST_INTEGER)
    check_integer("max_restarts", max_restarts, 0, LARGEST_INTEGER)
    check_choice("engine", engine, ENGINES)
    codes = _group_codes(groups, X.shape[1])
    seed = as_seed(random_state) or LARGEST_SEED  # wskm takes a seed of 0 for none
    if engine == "r":
        arguments = {
            "x": X, "n_clusters": int(n_clusters), "groups": codes + 1, "lambda": lam, "eta": eta,
            "centers": init, "seed": seed, "max_iter": max_iter, "tol": tol, "max_restarts": max_restarts,
        }  # fmt: skip
        return _in_r(per_cluster, arguments | ({"running_max": running_max} if per_cluster else {}))
    uniforms, n_restarts, centers = r_uniforms(seed), 0, init
    while True:  # again from new rows if a cluster becomes empty
        if centers is None:
            centers = X[_starting_rows(len(X), n_clusters, uniforms)]
        solution = _descend(
            X, centers, codes, lam, eta, max_iter, tol, per_cluster, running_max, n_restarts == max_restarts
        )
        if solution is not None:
            break
        n_restarts, centers = n_restarts + 1, None
    labels, details, settled = solution
    warnings = []
    if not settled:
        warnings.append(f"the cost did not converge to tol={tol:g} in {details['n_iter']} iterations")
    n_empty = n_clusters - np.count_nonzero(np.bincount(labels))
    if n_empty:
        warnings.append(
            f"{n_empty} of {n_clusters} clusters stayed empty after {n_restarts} restarts: "
            "fewer distinct groups of rows than clusters?"
        )
    details["n_restarts"] = n_restarts
    return Scores(_importances(details), SOFTWARE, labels, tuple(warnings), details=details)


def _group_codes(groups: Sequence[object] | np.ndarray | None, n_features: int) -> np.ndarray:
    """Group of each feature as a number from 0, in the sorted order of the names."""
    if groups is None:
        return np.zeros(n_features, dtype=np.intp)
    names = np.asarray(groups)
    if names.shape != (n_features,):
        raise ValueError(
            f"groups must name one group for each of the {n_features} features; got shape {names.shape}"
        )
    return np.unique(names, return_inverse=True)[1].astype(np.intp)


def _in_r(per_cluster: bool, arguments: dict[str, Any]) -> Scores:
    """The same in R, with wskm if installed."""
    result = rbridge.call("xc_fgkm" if per_cluster else "xc_twkm", arguments, seed=arguments["seed"])
    values = result.values
    details = {
        **{name: values[name] for name in ("centers", "feature_weights", "group_weights")},
        "groups": arguments["groups"] - 1,
        "cost": float(values["cost"][0]),
        **{name: int(values[name][0]) for name in ("n_iter", "n_restarts")},
    }
    return scores_from_r(result, scores=_importances(details), details=details)


def _importances(details: Mapping[str, Any]) -> np.ndarray:
    """Feature weight times the weight of its group; the maximum over the clusters in FGKM."""
    products = details["feature_weights"] * details["group_weights"][..., details["groups"]]
    return np.atleast_2d(products).max(axis=0)


def r_uniforms(seed: int) -> Iterator[float]:
    """The sequence of ``runif(1)`` in R after ``set.seed(seed)``, so that a seed draws the same rows in both.

    R's default generator is the Mersenne Twister (Matsumoto and Nishimura 1998, doi:10.1145/272991.272995),
    as in numpy; only the initialization of the state differs: a linear congruential sequence, with 50 steps
    discarded, then one word for the position (overwritten by R, so that the first draw refreshes the state)
    and 624 for the state.

    Examples
    --------
    >>> uniforms = r_uniforms(1)
    >>> print(f"{next(uniforms):.7f} {next(uniforms):.7f}")
    0.2655087 0.3721239
    """
    word, words = seed, []
    for _ in range(50 + 625):
        word = (69069 * word + 1) % 2**32
        words.append(word)
    twister = np.random.MT19937()
    state: Any = {"key": np.array(words[51:], dtype=np.uint32), "pos": 624}
    twister.state = {"bit_generator": "MT19937", "state": state}
    while True:
        yield min(max(int(twister.random_raw()) * 2**-32, MARGIN), 1 - MARGIN)


def _starting_rows(n_samples: int, n_clusters: int, uniforms: Iterator[float]) -> list[int]:
    """Draw distinct rows as wskm does, which never draws the last row."""
    if n_clusters == n_samples:  # the loop below would not end
        return list(range(n_samples))
    rows: dict[int, None] = {}
    while len(rows) < n_clusters:
        rows[int((n_samples - 1) * next(uniforms))] = None
    return list(rows)


@one_blas_thread()
def _descend(
    X: np.ndarray,
    centers: np.ndarray,
    groups: np.ndarray,
    lam: float,
    eta: float,
    max_iter: int,
    tol: float,
    per_cluster: bool,
    running_max: bool,
    keep_empty: bool,
) -> tuple[np.ndarray, dict[str, Any], bool] | None:
    """Alternate the four steps until the cost converges; None if a cluster becomes empty.

    Returns the labels, the details, and whether it converged.
    """
    n_rows, n_groups = len(centers) if per_cluster else 1, int(groups.max()) + 1
    features, all_groups = _Groups(groups), _Groups(np.zeros(n_groups, dtype=np.intp))
    feature_weights = np.tile(1 / np.bincount(groups)[groups], (n_rows, 1))
    group_weights = np.full((n_rows, n_groups), 1 / n_groups)
    weights_of_groups = features.spread(group_weights)  # one for each feature

    cost, settled, n_iter = np.inf, False, 0
    while n_iter < max_iter and not settled:
        n_iter += 1
        labels, sizes, centers, dispersion = assign(X, centers, feature_weights * weights_of_groups)
        if not sizes.all() and not keep_empty:
            return None
        if not per_cluster:
            dispersion = dispersion.sum(axis=0, keepdims=True)

        feature_weights = features.softmax(weights_of_groups * dispersion / -eta, running_max)
        by_group = features.reduce(np.add, feature_weights * dispersion)
        group_weights = all_groups.softmax(by_group / -lam, running_max)

        weights_of_groups = features.spread(group_weights)
        previous = cost
        cost = float(
            (group_weights * by_group).sum()
            + lam * (group_weights * np.log(group_weights)).sum()
            + eta * (feature_weights * np.log(feature_weights)).sum()
        )
        settled = abs(previous - cost) <= tol * abs(cost)
    details = {
        "centers": centers,
        "feature_weights": feature_weights if per_cluster else feature_weights[0],
        "group_weights": group_weights if per_cluster else group_weights[0],
        "groups": groups,
        "cost": cost,
        "n_iter": n_iter,
    }
    return labels, details, settled


class _Groups:
    """Columns in groups.

    Parameters
    ----------
    codes : ndarray of shape (n_columns,)
        Group of each column, 0 .. n_groups - 1, all of which occur.
    """

    def __init__(self, codes: np.ndarray) -> None:
        order = np.argsort(codes, kind="stable")
        self._n_columns = len(codes)
        self._starts = np.searchsorted(codes[order], np.arange(codes.max() + 1))
        self._order, self._codes = order, codes

    def reduce(self, reduce: np.ufunc, values: np.ndarray) -> np.ndarray:
        """Sum (``np.add``) or maximum (``np.maximum``) over the columns of each group, by row."""
        return reduce.reduceat(values.take(self._order, axis=1), self._starts, axis=1)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Broadcast values of shape (n_rows, n_groups) to the columns of each group."""
        return values.take(self._codes, axis=1)

    def softmax(self, exponents: np.ndarray, running_max: bool) -> np.ndarray:
        """Softmax over the columns of each group, floored and summing to 1 in each row and group."""
        largest = self.reduce(np.maximum, exponents)
        if running_max:
            largest = np.maximum.accumulate(largest, axis=0)
        weights = np.exp(exponents - self.spread(largest))
        total = self.reduce(np.add, weights)
        if running_max:  # else the largest adds 1
            total[total == 0] = 1
        weights /= self.spread(total)
        np.maximum(weights, SMALLEST_WEIGHT / self._n_columns, out=weights)
        weights /= self.spread(self.reduce(np.add, weights))
        return weights
