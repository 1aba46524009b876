"""Cluster LOCO: how much worse the clusters generalise when a feature is left out; and RAMPART."""

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.core.errors import DataError
from xcompare.core.seeds import as_seed
from xcompare.methods.base import PYTHON, WITH_SKLEARN, Engine, Method, Scores
from xcompare.methods.minipatches.ensemble import (
    CLUSTERERS,
    FASTER,
    SIZE,
    cluster,
    fit_minipatches,
    leave_out,
    matched,
)
from xcompare.methods.option import Option, option_table

DESIGNS = ("minipatches", "split")
PER_PATCH, PER_VALUE = 2e-3, 4e-9  # seconds of a patch; per value of the data and cluster


def cluster_loco(
    X: np.ndarray,
    n_clusters: int,
    *,
    design: str = "minipatches",
    clusterer: str = "kmeans",
    n_patches: int = 500,
    row_share: float = 0.2,
    feature_share: float = 0.2,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Leave-one-covariate-out importance of the features for clusters that generalise.

    Labels of one part of the rows are transferred to others by a classifier. The score of a feature is the
    mean decrease of the probability that a row gets its own label when the feature is left out.

    With minipatches, many small subsets of rows and features are clustered, their labels are matched to those
    of a clustering of all data, and a decision tree is trained on each. A row is predicted by the patches
    without it; leaving a feature out means leaving out the patches that have it, so nothing is fitted
    twice. With a split, both halves of the rows are clustered, and a random forest of the first predicts
    the second, with all features and without each in turn: for few features, and blind to one that has a
    redundant substitute.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
        Number of clusters, at most n_samples.
    design : {"minipatches", "split"}, default="minipatches"
    clusterer : {"kmeans", "ward", "spectral"}, default="kmeans"
        With scikit-learn's settings; "spectral" on a graph of 10 neighbours.
    n_patches : int, default=500
        Number of minipatches; the paper has 5,000 where time allows.
    row_share, feature_share : float, default=0.2
        Size of a minipatch, rounded up.
    random_state : int, Generator or None, default=None
        For the split or patches, the clusterer and the classifiers.
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,): larger means more important, below 0 for features that blur the
        clusters; ``labels`` of the clustering of all data.

    References
    ----------
    He, Allen (2026). Cluster LOCO: feature importance for interpreting clusters.
    doi:10.48550/arXiv.2606.14592

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.core.standardization import standardize
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> X[:50, :2] += 5
    >>> scores = cluster_loco(standardize(X), 2, n_patches=50, random_state=0).scores
    >>> sorted(np.argsort(-scores)[:2].tolist())
    [0, 1]
    """
    check_choice("design", design, DESIGNS)
    X, seed = _checked(X, n_clusters, clusterer, n_patches, random_state, engine)
    if design == "split":
        scores, labels = _split(X, n_clusters, seed, clusterer)
        return Scores(scores, WITH_SKLEARN, labels)
    patches = fit_minipatches(
        X, n_clusters, seed, n_patches=n_patches, row_share=row_share, feature_share=feature_share,
        clusterer=clusterer,
    )  # fmt: skip
    return Scores(leave_out(patches), WITH_SKLEARN, patches.reference)


def rampart(
    X: np.ndarray,
    n_clusters: int,
    *,
    n_top: int = 10,
    clusterer: str = "kmeans",
    n_patches: int = 300,
    row_share: float = 0.2,
    feature_share: float = 0.2,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """Cluster LOCO with recursive trimming: the less important half of the features is dropped repeatedly.

    Each round scores the features that are left by `cluster_loco` with minipatches, and keeps the better
    half, until at most ``n_top`` are left; these are scored once more. The number of patches increases
    from half of ``n_patches`` to all of it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
        Number of clusters, at most n_samples.
    n_top : int, default=10
        Number of features to rank with care.
    clusterer, row_share, feature_share, random_state, engine
        As for `cluster_loco`.
    n_patches : int, default=300
        Number of minipatches in the last round.

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), of which only the order has a meaning: the round in which a feature
        was dropped, and its rank there; ``labels`` of the clustering of all data.

    References
    ----------
    Chen, Zheng, Allen (2025). Top-k feature importance ranking. doi:10.48550/arXiv.2509.15420
    He, Allen (2026). Cluster LOCO: feature importance for interpreting clusters.
    doi:10.48550/arXiv.2606.14592

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.core.standardization import standardize
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8))
    >>> X[:50, :2] += 5
    >>> scores = rampart(standardize(X), 2, n_top=2, n_patches=50, random_state=0).scores
    >>> sorted(np.argsort(-scores)[:2].tolist())
    [0, 1]
    """
    check_integer("n_top", n_top, 1)
    X, seed = _checked(X, n_clusters, clusterer, n_patches, random_state, engine)
    left = np.arange(X.shape[1])
    rounds = 1
    while len(left) > n_top * 2 ** (rounds - 1):
        rounds += 1
    scores = np.zeros(X.shape[1])
    labels = None
    for number in range(1, rounds + 1):
        count = int(np.ceil(n_patches * (0.5 + 0.5 * number / rounds)))
        patches = fit_minipatches(
            X[:, left], n_clusters, seed, n_patches=count, row_share=row_share,
            feature_share=feature_share, clusterer=clusterer,
        )  # fmt: skip
        labels = patches.reference if labels is None else labels
        order = left[np.argsort(-leave_out(patches), kind="stable")]
        scores[order] = number - np.arange(len(order)) / len(order)
        left = np.sort(order[: -(-len(order) // 2)])
    return Scores(scores, WITH_SKLEARN, labels)


def _checked(
    X: np.ndarray, n_clusters: int, clusterer: str, n_patches: int, random_state: Any, engine: str
) -> tuple[np.ndarray, int]:
    check_choice("engine", engine, PYTHON)
    check_choice("clusterer", clusterer, tuple(CLUSTERERS))
    check_integer("n_patches", n_patches, 1)
    X = check_data(X, squares=True)
    check_integer("n_clusters", n_clusters, 1, len(X))
    return X, as_seed(random_state)


def _split(X: np.ndarray, n_clusters: int, seed: int, clusterer: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores from two halves of the rows, and labels of all."""
    if len(X) < 2 * n_clusters:
        raise DataError(
            f"n_clusters={n_clusters} needs at least {2 * n_clusters} rows to split; got {len(X)}:"
            " use design='minipatches'"
        )
    order = np.random.default_rng(seed).permutation(len(X))
    known, new = order[: len(X) // 2], order[len(X) // 2 :]
    labels, truth = (cluster(X[rows], n_clusters, seed, clusterer) for rows in (known, new))

    def right(features: np.ndarray) -> float:
        """Mean probability of the own label of new rows."""
        forest = RandomForestClassifier(random_state=seed).fit(X[np.ix_(known, features)], labels)
        shares = np.zeros((len(new), n_clusters))
        shares[:, forest.classes_] = forest.predict_proba(X[np.ix_(new, features)])
        named = matched(shares.argmax(axis=1), truth, n_clusters)
        return float(shares[np.arange(len(new)), named].mean())

    every = np.arange(X.shape[1])
    whole = right(every)
    scores = np.array([whole - right(np.delete(every, j)) if len(every) > 1 else whole for j in every])
    return scores, cluster(X, n_clusters, seed, clusterer)


def _seconds(n_samples: int, n_features: int, n_clusters: int, n_patches: int = 500, **_: Any) -> float:
    """Approximate time of one run."""
    return n_patches * (PER_PATCH + PER_VALUE * n_samples * n_features * n_clusters)


_COMMON = (
    Option("clusterer", "clusterer of the minipatches", "choice", choices=tuple(CLUSTERERS)),
    Option("n_patches", "number of minipatches", least=1),
    *SIZE,
)

LOCO = Method(
    name="loco",
    title="Cluster LOCO",
    run=cluster_loco,
    reference=(
        "He, Allen (2026), Cluster LOCO: feature importance for interpreting clusters,"
        " doi:10.48550/arXiv.2606.14592"
    ),
    family="minipatch",
    default=False,
    options=option_table(Option("design", "how rows are held out", "choice", choices=DESIGNS), *_COMMON),
    engines=PYTHON,
    seconds=_seconds,
    faster=FASTER,
)

RAMPART = Method(
    name="rampart",
    title="Cluster LOCO, trimmed",
    run=rampart,
    normalization="minmax",
    reference=(
        "Chen, Zheng, Allen (2025), Top-k feature importance ranking, doi:10.48550/arXiv.2509.15420, with the"
        " importance of He, Allen (2026), doi:10.48550/arXiv.2606.14592"
    ),
    family="minipatch",
    default=False,
    options=option_table(Option("n_top", "features to rank with care", least=1), *_COMMON),
    engines=PYTHON,
    seconds=_seconds,
    faster=FASTER,
)
