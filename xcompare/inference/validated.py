"""Tests of features for clusters that were found in the same data, by clustering again.

Labels found in a table cannot be tested on it: clusters are chosen to differ. Clustering again, on a part of
the information, leaves the rest for the test. What can be split off depends on the data:

- counts with Poisson noise split into two independent tables by binomial thinning;
- rows with Gaussian noise split by adding and subtracting noise of the same covariance, that of all rows.
  Clusters inflate it, but not its entries for a feature whose mean is the same in all clusters. So if the
  null hypothesis holds for a feature, its test part is independent of the clustered part;
- otherwise, the rows are split: one half is clustered, and a classifier that does not see the tested feature
  carries the labels to the other half. Correlated features can be told apart by such labels without any
  clusters, so the existence of clusters is tested as well, and the larger p-value taken.

References
----------
Neufeld, Gao, Popp, Battle, Witten (2024), Inference after latent variable estimation for single-cell RNA
sequencing data. doi:10.1093/biostatistics/kxac047
Rasines, Young (2023), Splitting strategies for post-selection inference. doi:10.1093/biomet/asac070
Gao, Bien, Witten (2024), Selective inference for hierarchical clustering.
doi:10.1080/01621459.2022.2116331
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import kurtosis, skew

from xcompare.core.threads import one_thread
from xcompare.inference.association import association_p_value
from xcompare.inference.existence import cluster_tests
from xcompare.inference.reclustering import NOISE, Labelling, Reclustering
from xcompare.inference.unimodality import combined_p_value

Device = Literal["thinning", "fission", "rows", "none"]
FeatureTest = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]

HYPOTHESES: dict[Device, str] = {
    "thinning": "counts are Poisson, and the feature has the same rate in all rows",
    "fission": "noise is Gaussian, and the feature has the same mean in all rows",
    "rows": (
        "there are no clusters (every projection is unimodal), or the feature is independent of the others"
    ),
    "none": "",
}
N_SPLITS = 10  # of the noise
N_HALVINGS = 2  # of the rows, both ways
FEWEST_ROWS = 40
ROWS_PER_FEATURE = 5  # to estimate a covariance
ADDED = 0.5  # standard deviation of the added noise, relative to that of the data; subtracted is its inverse
KEPT = 0.5  # share of the counts that is clustered
MOST_SKEWNESS, MOST_KURTOSIS = 0.5, 1.0  # within clusters, beyond sampling error, to count as Gaussian
RANK_TOLERANCE = 1e-6  # of labels that the clustered part does not determine
N_BINS = 8  # of the classifier's histograms
ALIKE = 0.5  # adjusted Rand index below which the clusterer is said not to reproduce the labels


class ValidatedFeatures(NamedTuple):
    """Tests of the features for the clusters of a clusterer."""

    p_values: np.ndarray  # (n_features,); NaN if no test is valid
    device: Device
    reason: str  # why this device, or why none
    clusterer: str
    agreement: float  # adjusted Rand index of its clusters in all rows and the given labels; NaN if it failed

    @property
    def hypothesis(self) -> str:
        """Null hypothesis of the tests."""
        return HYPOTHESES[self.device]

    @property
    def sentence(self) -> str:
        """How the features were tested, or why they were not."""
        if self.device == "none":
            return f"Not validated by {self.clusterer}: {self.reason}."
        said = (
            f"Validated by clustering again ({self.clusterer}; adjusted Rand index with the labels"
            f" {self.agreement:.2f}). Null hypothesis: {self.hypothesis}. {self.reason}."
        )
        if self.agreement < ALIKE:
            said += " The clusterer does not reproduce the labels: the tests are of its own clusters."
        return said


def validated_features(
    X: np.ndarray, labels: np.ndarray, again: Reclustering, seed: int
) -> ValidatedFeatures:
    """Test each feature for clusters that are found without the part of the data it is tested on.

    ``X`` of shape (n_samples, n_features): in their own units, without constant columns. ``labels`` of shape
    (n_samples,): codes of the given clusters. ``again``: how the labels were made. A scikit-learn clusterer
    is given the columns as they are or standardised, whichever reproduces the labels better.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 3))
    >>> model = KMeans(2, random_state=0)
    >>> again = Reclustering.of(model)
    >>> found = validated_features(X, model.fit_predict(X), again, seed=0)  # no clusters
    >>> found.device, bool((found.p_values > 0.01).all())
    ('fission', True)
    >>> X[:60, :2] += 6
    >>> found = validated_features(X, model.fit_predict(X), again, seed=0)
    >>> (found.p_values < 0.01).tolist()
    [True, True, False]
    """
    rng = np.random.default_rng([seed, 1])

    def none(reason: str, agreement: float = np.nan) -> ValidatedFeatures:
        return not_validated(X.shape[1], again, reason, agreement)

    fewest = max(FEWEST_ROWS, 10 * (int(labels.max()) + 1))
    if len(X) < fewest:
        return none(f"{len(X)} rows are too few; needed are {fewest} for these clusters")
    try:
        with one_thread():
            label, scale, agreement = again.best(X, labels)
    except Exception as error:  # whatever a clusterer may raise
        return none(f"it cannot cluster these rows: {' '.join(str(error).split())}")
    device, reason = suitable(X, labels)
    with one_thread():
        if device == "rows":
            found = list(_by_rows(X, label, rng))
        else:
            split, test = (_thinned, _no_association) if device == "thinning" else (_fissioned, _no_step)
            found = [p for parts in split(X, rng) if (p := _by_noise(*parts, label, test)) is not None]
    if not found:
        return none("it finds no two clusters in any split of the data", agreement)
    p_values = np.array([combined_p_value(column) for column in np.array(found).T])
    if device == "rows":
        p_clusters = cluster_tests(X, int(labels.max()) + 1, seed).p_clusters
        p_values = np.maximum(p_values, p_clusters)
        reason += f"; no clusters: p = {p_clusters:.3f}"
    return ValidatedFeatures(p_values, device, f"{reason} ({scale})", again.name, agreement)


def not_validated(
    n_features: int, again: Reclustering, reason: str, agreement: float = np.nan
) -> ValidatedFeatures:
    """No test is valid, for this reason."""
    return ValidatedFeatures(np.full(n_features, np.nan), "none", reason, again.name, agreement)


def suitable(X: np.ndarray, labels: np.ndarray) -> tuple[Device, str]:
    """The device whose assumptions hold within the given clusters, and why.

    ``X`` of shape (n_samples, n_features) and ``labels`` of shape (n_samples,). Returns ``device``
    ("thinning", "fission", "rows"); ``reason``.
    """
    n_samples, n_features = X.shape
    sizes = np.bincount(labels)
    means = np.stack([X[labels == k].mean(axis=0) for k in range(len(sizes))])[labels]
    free = n_samples - len(sizes)
    residuals = X - means
    if (X >= 0).all() and (np.rint(X) == X).all() and X.max() > 1:
        dispersion = (residuals**2 / np.maximum(means, np.finfo(float).tiny)).sum(axis=0) / free
        error = np.sqrt(2 / free)
        if (dispersion <= 1 + 4 * error).all() and dispersion.mean() <= 1 + 2 * error / np.sqrt(n_features):
            return (
                "thinning",
                "Counts vary within the clusters as Poisson counts do: split by binomial thinning",
            )
        why = f"counts vary {dispersion.max():.1f} times as much as Poisson counts"
    elif n_samples < ROWS_PER_FEATURE * n_features:
        why = f"{n_samples} rows are too few for the covariance of {n_features} features"
    else:
        third, fourth = np.abs(skew(residuals)), kurtosis(residuals)
        error = np.sqrt(6 / n_samples)
        straight = (third <= MOST_SKEWNESS + 2 * error) & (fourth <= MOST_KURTOSIS + 4 * error)
        if straight.all() and min(len(np.unique(column)) for column in X.T) > n_samples**0.5:
            return (
                "fission",
                "Features vary within the clusters as Gaussian noise does: split by adding noise",
            )
        why = f"{int((~straight).sum()) or 'some'} features do not vary as Gaussian noise does"
    return "rows", f"Split by rows, as {why}"


def _by_noise(
    clustered: np.ndarray, tested: np.ndarray, label: Labelling, test: FeatureTest
) -> np.ndarray | None:
    """p-values on one part of the values, with clusters of the other; None without clusters."""
    labels = _labels(label, clustered)
    if labels is None:
        return None
    inside = labels != NOISE
    return test(tested[inside], labels[inside], clustered[inside])


def _thinned(X: np.ndarray, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Each count split by fair coins: independent if it is Poisson."""
    for _ in range(N_SPLITS):
        part = rng.binomial(X.astype(np.int64), KEPT).astype(float)
        yield part, X - part


def _fissioned(X: np.ndarray, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows plus and minus noise with their covariance: uncorrelated."""
    variances, vectors = np.linalg.eigh(np.cov(X, rowvar=False).reshape(X.shape[1], -1))
    root = vectors * np.sqrt(np.maximum(variances, 0))
    for _ in range(N_SPLITS):
        noise = rng.normal(size=X.shape) @ root.T
        yield X + ADDED * noise, X - noise / ADDED


def _by_rows(X: np.ndarray, label: Labelling, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """p-values on one half of the rows, with labels carried over from the other."""
    for _ in range(N_HALVINGS):
        order = rng.permutation(len(X))
        halves = order[: len(X) // 2], order[len(X) // 2 :]
        for train, test in (halves, halves[::-1]):
            labels = _labels(label, X[train])
            if labels is not None:
                inside = labels != NOISE
                carried = carried_labels(X[train][inside], labels[inside], X[test])
                yield np.array(
                    [association_p_value(*pair) for pair in zip(X[test].T, carried.T, strict=True)]
                )


def carried_labels(train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Labels of unseen rows by a naive Bayes classifier, for each feature by all others.

    Its densities are histograms with equal counts, so that units, outliers and shapes play no part.

    ``train`` of shape (n_train, n_features) and ``test`` of shape (n_test, n_features). ``labels`` of shape
    (n_train,): codes from 0. Returns shape (n_test, n_features): column j does not depend on column j of
    ``test``.
    """
    sizes = np.bincount(labels)
    votes = np.empty((test.shape[1], len(test), len(sizes)))
    for j, column in enumerate(train.T):
        edges = np.unique(np.quantile(column, np.linspace(0, 1, N_BINS + 1)[1:-1]))
        counts = np.ones((len(edges) + 1, len(sizes)))
        np.add.at(counts, (np.searchsorted(edges, column, side="right"), labels), 1)
        votes[j] = np.log(counts / counts.sum(axis=0))[np.searchsorted(edges, test[:, j], side="right")]
    total = votes.sum(axis=0) + np.log(sizes / sizes.sum())
    return np.stack([(total - own).argmax(axis=1) for own in votes], axis=1)


def _labels(label: Labelling, X: np.ndarray) -> np.ndarray | None:
    """Labels; None where the clusterer finds no two clusters, which is no evidence of a difference."""
    try:
        return label(X)
    except Exception:  # whatever a clusterer may raise
        return None


def _no_step(tested: np.ndarray, labels: np.ndarray, clustered: np.ndarray) -> np.ndarray:
    """p-values of no effect of the labels in a linear model that has the clustered part of the feature, too.

    The noise has the covariance of all rows, so the two parts are uncorrelated even if there are clusters:
    differences between clusters show beyond the linear part. Other columns are no part of the model: chance
    differences of the tested feature between true clusters would be amplified.
    """
    members = (labels[:, None] == np.unique(labels)[1:]).astype(float)
    return np.array([_step(*pair, members) for pair in zip(tested.T, clustered.T, strict=True)])


def _step(x: np.ndarray, known: np.ndarray, members: np.ndarray) -> float:
    """p-value of the F test of the columns of ``members``, given ``known`` and a constant."""
    line = np.linalg.qr(np.column_stack([np.ones(len(x)), known]))[0]
    members, x = members - line @ (line.T @ members), x - line @ (line.T @ x)
    vectors, lengths, _ = np.linalg.svd(members, full_matrices=False)
    steps = vectors[:, lengths > RANK_TOLERANCE * np.sqrt(len(x))]
    n_steps, free = steps.shape[1], len(x) - 2 - steps.shape[1]
    if n_steps == 0 or free < 1:
        return 1.0
    explained = float(np.square(steps.T @ x).sum())
    left = max(float(np.square(x).sum()) - explained, np.finfo(float).tiny)
    return float(f_distribution.sf(explained / n_steps / (left / free), n_steps, free))


def _no_association(tested: np.ndarray, labels: np.ndarray, clustered: np.ndarray) -> np.ndarray:
    """p-values of independence of each count and the labels."""
    return np.array([association_p_value(column, labels) for column in tested.T])
