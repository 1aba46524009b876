"""K-means with weights for features and groups of features: the core of FGKM and TWKM.

Both alternate four steps, each of which minimises the same objective exactly with the rest fixed: labels,
centres, feature weights, group weights. FGKM has a row of weights for every cluster, TWKM one row for all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from xcompare.methods.weighted_kmeans.r_random import RRandom

SMALLEST_WEIGHT = 1e-5  # divided by the number of weights; keeps every logarithm finite
LARGEST_INTEGER = 2**31 - 1  # of R
OPTIONS = option_table(
    Option("lam", "spread of the weights of groups: larger is more even", "number", 0),
    Option("eta", "spread of the weights of features: larger is more even", "number", 0),
    Option("groups", "group of each feature; None: each its own", "list", or_none=True),
)


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked arguments of one run; see `xcompare.methods.fgkm` for their meaning."""

    X: np.ndarray
    n_clusters: int
    groups: np.ndarray  # (n_features,), codes 0 .. n_groups - 1
    lam: float
    eta: float
    init: np.ndarray | None
    seed: int
    max_iter: int
    tol: float
    max_restarts: int
    per_cluster: bool  # FGKM; else TWKM
    running_max: bool

    @property
    def n_groups(self) -> int:
        return int(self.groups.max()) + 1


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
    problem = Problem(
        X, int(n_clusters), codes, lam, eta, init, seed, max_iter, tol, max_restarts, per_cluster, running_max
    )
    return _in_r(problem) if engine == "r" else solve(problem)


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


def _in_r(problem: Problem) -> Scores:
    """The same in R, with wskm if installed."""
    arguments = {
        "x": problem.X,
        "n_clusters": problem.n_clusters,
        "groups": problem.groups + 1,
        "lambda": problem.lam,
        "eta": problem.eta,
        "centers": problem.init,
        "seed": problem.seed,
        "max_iter": problem.max_iter,
        "tol": problem.tol,
        "max_restarts": problem.max_restarts,
    }
    if problem.per_cluster:
        arguments["running_max"] = problem.running_max
    name = "xc_fgkm" if problem.per_cluster else "xc_twkm"
    result = rbridge.call(name, arguments, seed=problem.seed)
    values = result.values
    details = {
        "centers": values["centers"],
        "feature_weights": values["feature_weights"],
        "group_weights": values["group_weights"],
        "groups": problem.groups,
        "cost": float(values["cost"][0]),
        "n_iter": int(values["n_iter"][0]),
        "n_restarts": int(values["n_restarts"][0]),
    }
    return scores_from_r(result, scores=_importances(details), details=details)


def _importances(details: Mapping[str, Any]) -> np.ndarray:
    """Feature weight times the weight of its group; the maximum over the clusters in FGKM."""
    products = details["feature_weights"] * details["group_weights"][..., details["groups"]]
    return np.atleast_2d(products).max(axis=0)


@one_blas_thread()
def solve(problem: Problem) -> Scores:
    """Run from the initial centres; restart from new rows if a cluster becomes empty."""
    random = None
    centers = problem.init
    n_restarts = 0
    while True:
        if centers is None:
            random = random or RRandom(problem.seed)
            centers = problem.X[_starting_rows(len(problem.X), problem.n_clusters, random)]
        last_chance = n_restarts == problem.max_restarts
        solution = _descend(problem, centers, n_restarts, keep_empty=last_chance)
        if solution is not None:
            return solution
        n_restarts += 1
        centers = None


def _starting_rows(n_samples: int, n_clusters: int, random: RRandom) -> list[int]:
    """Draw distinct rows as wskm does, which never draws the last row."""
    if n_clusters == n_samples:  # the loop below would not end
        return list(range(n_samples))
    rows: list[int] = []
    while len(rows) < n_clusters:
        row = int((n_samples - 1) * random.uniform())
        if row not in rows:
            rows.append(row)
    return rows


def _descend(problem: Problem, centers: np.ndarray, n_restarts: int, keep_empty: bool) -> Scores | None:
    """Alternate the four steps until the cost converges; None if a cluster becomes empty."""
    groups, n_groups, n_clusters = problem.groups, problem.n_groups, problem.n_clusters
    per_cluster, running_max = problem.per_cluster, problem.running_max
    n_rows = n_clusters if per_cluster else 1
    features, all_groups = _Groups(groups), _Groups(np.zeros(n_groups, dtype=np.intp))
    feature_weights = np.tile(1 / np.bincount(groups)[groups], (n_rows, 1))
    group_weights = np.full((n_rows, n_groups), 1 / n_groups)
    weights_of_groups = features.spread(group_weights)  # one for each feature

    cost, settled, empty = np.inf, False, np.zeros(n_clusters, dtype=bool)
    n_iter = 0
    while n_iter < problem.max_iter and not settled:
        n_iter += 1
        labels, sizes, centers, dispersion = assign(problem.X, centers, feature_weights * weights_of_groups)
        empty = sizes == 0
        if empty.any() and not keep_empty:
            return None
        if not per_cluster:
            dispersion = dispersion.sum(axis=0, keepdims=True)

        exponents = weights_of_groups * dispersion / -problem.eta
        feature_weights = features.softmax(exponents, running_max)
        by_group = features.reduce(np.add, feature_weights * dispersion)
        group_weights = all_groups.softmax(by_group / -problem.lam, running_max)

        weights_of_groups = features.spread(group_weights)
        previous = cost
        cost = float(
            (group_weights * by_group).sum()
            + problem.lam * (group_weights * np.log(group_weights)).sum()
            + problem.eta * (feature_weights * np.log(feature_weights)).sum()
        )
        settled = abs(previous - cost) <= problem.tol * abs(cost)

    warnings = []
    if not settled:
        warnings.append(f"the cost did not converge to tol={problem.tol:g} in {n_iter} iterations")
    if empty.any():
        warnings.append(
            f"{empty.sum()} of {n_clusters} clusters stayed empty after {n_restarts} restarts: "
            "fewer distinct groups of rows than clusters?"
        )
    details = {
        "centers": centers,
        "feature_weights": feature_weights if per_cluster else feature_weights[0],
        "group_weights": group_weights if per_cluster else group_weights[0],
        "groups": groups,
        "cost": cost,
        "n_iter": n_iter,
        "n_restarts": n_restarts,
    }
    return Scores(_importances(details), SOFTWARE, labels, tuple(warnings), details=details)


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
