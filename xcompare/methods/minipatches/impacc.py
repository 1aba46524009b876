"""IMPACC: consensus clustering of minipatches that prefer uncertain rows and important features."""

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import cut_tree, fcluster, linkage
from scipy.spatial.distance import pdist, squareform

from xcompare.core.checks import check_choice, check_data, check_integer
from xcompare.core.seeds import as_seed
from xcompare.methods.base import PYTHON, SOFTWARE, Engine, Method, Scores
from xcompare.methods.minipatches.ensemble import FASTER, SIZE
from xcompare.methods.option import Option, option_table
from xcompare.methods.single_feature_measures import eta_squared

MOST_SAMPLES = 5_000  # the consensus of all pairs of rows takes 0.2 GB
HEIGHT = 0.95  # quantile of the merging heights at which a patch is cut into clusters
SUPPORTED = 0.05  # share of the features of a patch that are supported by its clusters
BURN_IN = 3  # times that all rows and features are drawn before drawing adapts
RATE = 0.5  # of learning, for weights of rows and features
UNCERTAIN = 0.95  # quantile of the weights above which rows are drawn preferentially
STILL, TOLERANCE = 5, 1e-5  # iterations without a larger change, after which it stops


def impacc(
    X: np.ndarray,
    n_clusters: int,
    *,
    n_patches: int = 300,
    row_share: float = 0.25,
    feature_share: float = 0.1,
    random_state: int | np.random.Generator | None = None,
    engine: Engine = "python",
) -> Scores:
    """How often a feature is among the best separated ones of the minipatches it is drawn in.

    Each minipatch is clustered hierarchically (Ward's linkage of Manhattan distances, cut at the .95
    quantile of the heights). Its 5% of features with the largest F statistic are supported; the score of a
    feature is the share of its minipatches that support it. After three passes over all rows and features,
    rows whose memberships are uncertain and features with high scores (over one standard deviation above the
    mean) are drawn preferentially, more so from patch to patch. The partition is that of Ward's linkage of
    one less the share of minipatches in which two rows are together.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, standardised.
    n_clusters : int
        Number of clusters of the partition, at most n_samples; minipatches choose their own.
    n_patches : int, default=300
        Largest number of minipatches after the three passes; fewer if the uncertainty no longer changes.
    row_share, feature_share : float, default=0.25, 0.1
        Size of a minipatch; at least 4 rows and 2 features.
    random_state : int, Generator or None, default=None
    engine : {"python"}, default="python"

    Returns
    -------
    Scores
        ``scores`` of shape (n_features,), between 0 and 1; ``labels``.

    References
    ----------
    Gan, Allen (2022). Fast and interpretable consensus clustering via minipatch learning. PLoS Computational
    Biology 18(10). doi:10.1371/journal.pcbi.1010577

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.core.standardization import standardize
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> X[:50, :2] += 5
    >>> scores = impacc(standardize(X), 2, n_patches=50, random_state=0).scores
    >>> sorted(np.argsort(-scores)[:2].tolist())
    [0, 1]
    """
    check_choice("engine", engine, PYTHON)
    check_integer("n_patches", n_patches, 1)
    X = check_data(X, squares=True)
    check_integer("n_clusters", n_clusters, 1, len(X))
    learned = _Learned(X, row_share, feature_share, np.random.default_rng(as_seed(random_state)))
    for rows, features in learned.passes():
        learned.add(rows, features)
    uncertain: list[float] = []
    for number in range(n_patches):
        learned.add(*learned.preferred(0.5 + 0.5 * number / n_patches))
        uncertain.append(float(np.quantile(learned.uncertainty(), 0.9)))
        if len(uncertain) > STILL and np.abs(np.diff(uncertain[-STILL - 1 :])).max() < TOLERANCE:
            break
    apart = 1 - learned.consensus()
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), method="ward")
    return Scores(learned.scores(), SOFTWARE, cut_tree(tree, n_clusters=n_clusters)[:, 0])


class _Learned:
    """What the minipatches so far say of rows, pairs of rows, and features."""

    def __init__(
        self, X: np.ndarray, row_share: float, feature_share: float, rng: np.random.Generator
    ) -> None:
        n, p = X.shape
        self.X, self.rng = X, rng
        self.n_rows = min(max(int(row_share * n), 4), n)
        self.n_features = min(max(int(feature_share * p), 2), p)
        self.together, self.drawn_both = np.zeros((n, n)), np.zeros((n, n))
        self.supported, self.drawn = np.zeros(p), np.zeros(p)
        self.row_weights, self.feature_weights = np.full(n, 1 / n), np.full(p, 1 / p)

    def passes(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows and features of minipatches that go over all of both, several times."""
        count = BURN_IN * max(-(-len(self.X) // self.n_rows), -(-self.X.shape[1] // self.n_features))
        rows = self._dealt(len(self.X), self.n_rows, count)
        return list(zip(rows, self._dealt(self.X.shape[1], self.n_features, count), strict=True))

    def _dealt(self, size: int, each: int, count: int) -> list[np.ndarray]:
        """Subsets that together hold everything about equally often."""
        found: list[np.ndarray] = []
        while len(found) < count:
            order = self.rng.permutation(size)
            found += [np.resize(np.roll(order, -at), each) for at in range(0, size, each)]
        return found[:count]

    def preferred(self, share: float) -> tuple[np.ndarray, np.ndarray]:
        """Rows and features of the next minipatch; up to this share of the preferred ones."""
        seen = np.diag(self.drawn_both)
        doubt = self.uncertainty() / np.maximum(seen, 1) * max(seen.sum() / self.n_rows, 1)
        if doubt.sum() > 0:
            self.row_weights = RATE * self.row_weights + (1 - RATE) * doubt / doubt.sum()
        self.feature_weights = RATE * self.feature_weights + (1 - RATE) * self.scores()
        rows, features = self.row_weights, self.feature_weights
        return (
            self._draw(rows, rows >= np.quantile(rows, UNCERTAIN), share, self.n_rows),
            self._draw(features, features >= features.mean() + features.std(), share, self.n_features),
        )

    def _draw(self, weights: np.ndarray, preferred: np.ndarray, share: float, size: int) -> np.ndarray:
        """Some of the preferred ones by weight, and others uniformly."""
        some = np.flatnonzero(preferred & (weights > 0))
        count = min(size, int(np.ceil(share * len(some))))
        chances = weights[some] / (weights[some].sum() or 1.0)
        first = self.rng.choice(some, count, replace=False, p=chances) if count else some
        others = np.setdiff1d(np.arange(len(weights)), some)
        rest = self.rng.choice(others, min(size - count, len(others)), replace=False)
        return np.concatenate([first, rest]).astype(np.intp)

    def add(self, rows: np.ndarray, features: np.ndarray) -> None:
        """Cluster a minipatch, and count."""
        part = self.X[np.ix_(rows, features)]
        tree = linkage(pdist(part, "cityblock"), method="ward")
        labels = fcluster(tree, np.quantile(tree[:, 2], HEIGHT), "distance") - 1
        # The same order as by p-value of the F test, as all features share the degrees of freedom.
        separation = eta_squared(part, labels, None, None)
        best = np.argsort(-separation, kind="stable")[: max(1, int(SUPPORTED * len(features)))]
        self.supported[features[best[separation[best] > 0]]] += 1
        self.drawn[features] += 1
        pairs = np.ix_(rows, rows)
        self.together[pairs] += labels[:, None] == labels
        self.drawn_both[pairs] += 1

    def scores(self) -> np.ndarray:
        """Share of the minipatches of each feature that support it."""
        return self.supported / np.maximum(self.drawn, 1)

    def consensus(self) -> np.ndarray:
        """Share of the common minipatches in which two rows are together."""
        return self.together / np.maximum(self.drawn_both, 1)

    def uncertainty(self) -> np.ndarray:
        """Mean of c (1 - c) over the consensus c of each row with all others."""
        shares = self.consensus()
        return (shares * (1 - shares)).mean(axis=1)


def _seconds(n_samples: int, n_features: int, n_clusters: int, n_patches: int = 300, **_: Any) -> float:
    """Approximate time of one run."""
    return n_patches * (0.001 + 2.5e-8 * n_samples**2)


IMPACC = Method(
    name="impacc",
    title="IMPACC",
    run=impacc,
    normalization="none",
    reference=(
        "Gan, Allen (2022), Fast and interpretable consensus clustering via minipatch learning,"
        " doi:10.1371/journal.pcbi.1010577"
    ),
    family="minipatch",
    default=False,
    options=option_table(
        Option("n_patches", "largest number of minipatches", least=1),
        *SIZE,
    ),
    engines=PYTHON,
    seconds=_seconds,
    faster=FASTER,
    most_samples=MOST_SAMPLES,
)
