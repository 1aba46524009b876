"""Unsupervised random forest: importances for separating the data from permuted columns."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from xcompare import rbridge
from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.core.compilation import can_compile
from xcompare.core.seeds import as_seed
from xcompare.methods.base import ENGINES, SOFTWARE, Engine, Method, Scores, scores_from_r
from xcompare.methods.forest.growing import Trees, grow_forest, majority
from xcompare.methods.forest.subsets import MOST_LEVELS
from xcompare.methods.forest.votes import ROUTE_AT_ONCE, predict_permuted
from xcompare.methods.option import Option, option_table

Importance = Literal["gini", "permutation"]
Protocol = Literal["oob", "paper"]
RPackage = Literal["randomForest", "ranger"]

# Rows times trees above which compiled loops save more time than they take to load.
WORTH_COMPILING = 100_000

# Forests by default, and the largest number of values in all their synthetic rows. With 500 trees in 20
# forests rather than one, the largest standard deviation of a normalised score falls from 0.11 to 0.06 on
# wine and from 0.08 to 0.04 on breast (24 runs), and no further with more forests.
N_FORESTS, SYNTHETIC_VALUES = 20, 1_000_000

REFERENCE = (
    "Shi, Horvath (2006), Unsupervised learning with random forest predictors, doi:10.1198/106186006X94072"
)


def urf(
    X: np.ndarray,
    n_clusters: int | None = None,
    *,
    importance: Importance = "gini",
    protocol: Protocol = "oob",
    n_trees: int = 500,
    n_forests: int | None = None,
    mtry: int = 2,
    nominal: Sequence[int] = (),
    permuted: np.ndarray | None = None,
    r_package: RPackage = "randomForest",
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Feature importance from an unsupervised random forest.

    A random forest is trained to classify rows of ``X`` against synthetic rows, which are obtained by
    permuting every column independently. It relies on the dependence between features: a feature that is
    independent of all others scores low. Raw scores are on the scale of R's randomForest, in both engines.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, finite, at least two rows and two columns. The scale of a column does not matter.
    n_clusters : int or None, default=None
        Ignored: the forest does not depend on clusters.
    importance : {"gini", "permutation"}, default="gini"
        "gini": decrease in Gini impurity times the number of rows, summed over the nodes that split
        on the feature, mean over trees. "permutation": decrease in accuracy when the feature is permuted.
    protocol : {"oob", "paper"}, default="oob"
        For "permutation". "oob": both accuracies on each tree's out-of-bag rows, mean over trees
        (randomForest's ``importance(type = 1, scale = FALSE)``). "paper": the forest's out-of-bag
        accuracy minus its accuracy on all rows, including in-bag rows, with the feature permuted. The
        second is biased (an accurate forest gives every feature the same negative score) and provided
        to reproduce the published results.
    n_trees : int, default=500
    n_forests : int or None, default=None
        Number of forests that the trees are divided into, each with synthetic rows of its own. Scores are
        means over trees, so that more forests only lower the Monte Carlo error. None: 20, or fewer above
        50,000 values in ``X``, down to 1 from 500,001, as the synthetic rows are held in memory and differ
        less. With ``protocol="paper"`` or given ``permuted``, 1.
    mtry : int, default=2
        Features tried at each node, as in randomForest; 2 is the published setting. (``max_features`` is the
        subspace size of bagging, and an option given to all methods must have one meaning.)
    nominal : sequence of int, default=()
        Columns of codes 0, 1, ... of up to 53 levels without an order, which are split into two subsets.
    permuted : array-like of shape (n_samples, n_features) or None, default=None
        Synthetic rows. None: drawn at random.
    r_package : {"randomForest", "ranger"}, default="randomForest"
        Implementation of the forest in R. ranger's scores are on the same scale. Not available for the
        python engine.
    random_state : int, Generator or None, default=None
        Random seed; the two engines give different results for the same seed.
    engine : {"python", "r"}, default="python"
        "r" calls randomForest, or ranger.

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): larger means more important.

    References
    ----------
    Shi, T., Horvath, S. (2006). Unsupervised learning with random forest predictors. Journal of
    Computational and Graphical Statistics 15(1). doi:10.1198/106186006X94072

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.methods import urf
    >>> rng = np.random.default_rng(0)
    >>> cluster = rng.integers(3, size=200)[:, None]
    >>> X = np.hstack([rng.normal(4 * cluster, 1, (200, 3)), rng.normal(size=(200, 1))])
    >>> urf(X, n_trees=100, random_state=0).scores.round(1)
    array([59.7, 55.3, 58.1, 26.4])
    """
    X = check_data(X)
    n_samples, n_features = X.shape
    if n_samples < 2 or n_features < 2:
        raise ValueError(
            f"the data must have at least 2 rows and 2 columns for urf; got {n_samples} and {n_features}"
        )
    check_choice("importance", importance, ("gini", "permutation"))
    check_choice("protocol", protocol, ("oob", "paper"))
    check_choice("r_package", r_package, ("randomForest", "ranger"))
    check_choice("engine", engine, ENGINES)
    check_integer("n_trees", n_trees, 1)
    check_integer("mtry", mtry, 1, n_features)
    by_paper = importance == "permutation" and protocol == "paper"
    most_forests = 1 if by_paper or permuted is not None else n_trees
    if n_forests is None:
        n_forests = max(1, min(N_FORESTS, most_forests, SYNTHETIC_VALUES // X.size))
    check_integer("n_forests", n_forests, 1, most_forests)
    if permuted is not None:
        permuted = check_data(permuted, name="permuted")
        if permuted.shape != X.shape:
            raise ValueError(f"permuted must have the shape of X, {X.shape}; got {permuted.shape}")
    is_nominal = np.isin(np.arange(n_features), nominal)
    codes = np.vstack([X, X if permuted is None else permuted])[:, is_nominal]
    if not np.isin(codes, np.arange(MOST_LEVELS)).all():
        raise ValueError(f"nominal columns must hold codes from 0 to {MOST_LEVELS - 1}; got others")

    seed = as_seed(random_state)
    if engine == "python" and r_package != "randomForest":
        raise ValueError(f"r_package={r_package!r} must be left to the r engine; got engine='python'")
    if engine == "r":
        rbridge.require((r_package,), caller='urf with engine="r"')
        arguments = {
            "x": X,
            "importance": importance,
            "protocol": protocol,
            "n_trees": int(n_trees),
            "n_forests": int(n_forests),
            "mtry": int(mtry),
            "nominal": np.flatnonzero(is_nominal) + 1,
            "permuted": permuted,
            "r_package": r_package,
        }
        return scores_from_r(rbridge.call("xc_urf", arguments, seed=seed))
    # A separate stream, as the caller may have drawn `permuted` with the same seed.
    rng = np.random.default_rng(seed).spawn(1)[0]
    synthetic = [rng.permuted(X, axis=0) for _ in range(n_forests)] if permuted is None else [permuted]
    rows = np.vstack([X, *synthetic])
    own = np.arange(n_samples, len(rows)).reshape(n_forests, n_samples)
    samples = np.hstack([np.tile(np.arange(n_samples), (n_forests, 1)), own])
    is_synthetic = np.repeat([0, 1], n_samples)
    by_loops = can_compile() and 2 * n_samples * n_trees >= WORTH_COMPILING
    forest = grow_forest(
        rows, is_synthetic, n_trees, mtry, rng, samples=samples, nominal=is_nominal, by_loops=by_loops
    )
    if importance == "gini":
        scores = sum((trees.gini for trees in forest), np.zeros(n_features)) / n_trees
    elif by_paper:
        scores = _paper_loss(forest, rows, is_synthetic, rng, by_loops)
    else:
        scores = _out_of_bag_loss(forest, rows, is_synthetic, rng, by_loops) / n_trees
    return Scores(scores, SOFTWARE)


def _out_of_bag_loss(
    forest: Iterator[Trees], X: np.ndarray, y: np.ndarray, rng: np.random.Generator, by_loops: bool
) -> np.ndarray:
    """Decrease in out-of-bag accuracy when each feature is permuted, summed over trees."""
    n_features = X.shape[1]
    loss = np.zeros(n_features)
    for trees in forest:
        out_of_bag = trees.counts == 0
        n_out_of_bag = np.maximum(out_of_bag.sum(axis=1), 1)  # avoids division by 0
        for tree, place in _batches(out_of_bag, n_features):
            row = trees.rows[tree, place]
            # One permutation within each tree, of all features: each is replaced on its own.
            source = np.concatenate(
                [rng.permutation(own) for own in np.split(row, np.flatnonzero(np.diff(tree)) + 1)]
            )
            votes, entry, feature = predict_permuted(trees, X, X, tree, row, source, by_loops=by_loops)
            # Correct votes that become wrong minus wrong ones that become correct; exact in any order.
            lost = np.where(votes == y[place], 1.0, -1.0)[entry]
            here = slice(tree[0], tree[-1] + 1)
            at = (tree[entry] - tree[0]) * n_features + feature
            n_lost = np.bincount(at, lost, minlength=(here.stop - here.start) * n_features)
            loss += (n_lost.reshape(-1, n_features) / n_out_of_bag[here, None]).sum(axis=0)
    return loss


def _paper_loss(
    forest: Iterator[Trees], X: np.ndarray, y: np.ndarray, rng: np.random.Generator, by_loops: bool
) -> np.ndarray:
    """Out-of-bag accuracy minus the accuracy of the whole forest on all rows with a feature permuted."""
    n_rows, n_features = X.shape
    permuted = rng.permuted(X, axis=0)
    n_trees = 0
    votes, out_of_bag_votes, n_out_of_bag = np.zeros((3, n_rows), dtype=int)
    change = np.zeros(n_rows * n_features, dtype=int)
    for trees in forest:
        n_trees += len(trees.counts)
        out_of_bag = trees.counts == 0
        n_out_of_bag += out_of_bag.sum(axis=0)
        for tree, row in _batches(np.ones_like(out_of_bag), n_features):
            vote, entry, feature = predict_permuted(trees, X, permuted, tree, row, row, by_loops=by_loops)
            votes += np.bincount(row[vote == 1], minlength=n_rows)
            out_of_bag_votes += np.bincount(row[(vote == 1) & out_of_bag[tree, row]], minlength=n_rows)
            at, had = row[entry] * n_features + feature, vote[entry] == 1
            change += np.bincount(at[~had], minlength=len(change))
            change -= np.bincount(at[had], minlength=len(change))
    permuted_votes = votes[:, None] + change.reshape(n_rows, n_features)
    accuracy = (majority(permuted_votes, np.full_like(permuted_votes, n_trees), rng) == y[:, None]).mean(
        axis=0
    )
    judged = n_out_of_bag > 0
    correct = majority(out_of_bag_votes[judged], n_out_of_bag[judged], rng) == y[judged]
    return (correct.mean() if judged.any() else 0.0) - accuracy


def _batches(mask: np.ndarray, n_features: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The (tree, row) pairs of a mask, in batches of whole trees."""
    at_once = max(1, ROUTE_AT_ONCE // (mask.shape[1] * n_features))
    for first in range(0, len(mask), at_once):
        tree, row = np.nonzero(mask[first : first + at_once])
        if len(tree):
            yield tree + first, row


def _seconds(n_samples: int, n_features: int, n_clusters: int, n_trees: int = 500, **_: Any) -> float:
    """Approximate time of one run."""
    depth = 1.3 * np.log2(2 * n_samples)
    per_entry = 0.9e-7 if can_compile() else 1.4e-7
    return float(n_trees * 2 * n_samples * (1 - np.exp(-1)) * depth * per_entry)


def _row(name: str, title: str, importance: Importance, *own: Option) -> Method:
    """Registry row of an importance, with options of its own."""
    return Method(
        name=name,
        tables="codes",
        title=title,
        run=partial(urf, importance=importance),
        normalization="minmax",
        reference=REFERENCE,
        family="forest",
        options=option_table(
            Option("n_trees", "trees of the forest", least=1),
            Option("n_forests", "forests that share the trees", least=1, or_none=True),
            Option("mtry", "features tried at a split", least=1),
            *own,
            Option("r_package", "R package of the R engine", "choice", choices=("randomForest", "ranger")),
        ),
        seconds=_seconds,
        faster="fewer trees (n_trees=50) or a sample of the rows is faster",
        r_required=("randomForest",),
        r_optional=("ranger",),
    )


URF_GINI = _row("urf_gini", "URF_gini", "gini")
URF_PERM = _row(
    "urf_perm", "URF_perm", "permutation",
    Option("protocol", "rows whose loss counts", "choice", choices=("oob", "paper")),
)  # fmt: skip
