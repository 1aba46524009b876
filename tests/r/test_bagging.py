"""The R reference of bagged clustering against the published numbers, and Python against it."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from tests.samples import standardized
from xcompare import BaggedClustering, rbridge
from xcompare.bagging.consensus.medoid import consensus_partition, variation_of_information
from xcompare.bagging.dunn.index import dunn_index
from xcompare.bagging.information.entropy import kde_entropy
from xcompare.bagging.information.mutual import INFORMATION, comparable_scale, mutual_information
from xcompare.bagging.kmeans.centers import nearest_center
from xcompare.bagging.kmeans.lloyd import kmeans
from xcompare.core.standardization import standardize
from xcompare.io.datasets import load_dataset, paper_tables

pytestmark = pytest.mark.r

VALUE = Path(__file__).parents[1] / "data" / "r" / "value.R"
DATASETS = ["wine", "breast", "iris", "illustrative"]


def bagging(X, n_clusters, *, seed=None, **arguments):
    arguments = {"x": X, "n_clusters": n_clusters, **arguments}
    return rbridge.call("xc_bagging", arguments, seed=seed).values


def value(block, **arguments):
    return rbridge.call("value_of", {"name": block, **arguments}, script=VALUE).values["value"]


@pytest.mark.slow
@pytest.mark.parametrize(("resampling", "method"), [("basic", "Basic"), ("efron", "Efron"), ("bbc", "BBC")])
def test_wine_is_as_published(resampling, method):
    cells = paper_tables().query("dataset == 'wine' and metric == 'FI' and method == @method and m == 12")
    fit = bagging(
        standardized("wine"),
        3,
        resampling=resampling,
        max_features=12,
        information="kde",
        consensus="medoid",
        n_init=20 if resampling == "bbc" else 1,
        seed=1,
    )
    assert np.abs(fit["importance"] - cells["mean"].to_numpy()).max() < 0.03
    assert adjusted_rand_score(load_dataset("wine").labels, fit["labels"]) == pytest.approx(0.91, abs=0.03)


@pytest.mark.parametrize("name", DATASETS)
def test_blocks_agree(name):
    X = standardized(name)
    rng = np.random.default_rng(0)
    centers = X[rng.choice(len(X), 4, replace=False)]
    labels = nearest_center(X.T, centers[None])[0][0].astype(int)
    entropies = [kde_entropy(column) for column in X.T]
    np.testing.assert_allclose([value("xc_kde_entropy", x=column)[0] for column in X.T], entropies, atol=1e-8)
    for how in INFORMATION:
        found = value("xc_mutual_information", x=X, labels=labels, information=how)
        np.testing.assert_allclose(found, mutual_information(X, labels, how), atol=1e-8)
    np.testing.assert_allclose(value("xc_dunn", x=X, labels=labels)[0], dunn_index(X, labels), atol=1e-8)


@pytest.mark.parametrize("how", ["robust", "sd", "rank"])
def test_heavy_tails_are_treated_alike(how):
    rng = np.random.default_rng(0)
    X = np.exp(3 * rng.normal(size=(200, 3)))
    X[:150, 2] = 0.0
    labels = rng.integers(1, 4, size=200)
    expected = standardize(X, how)
    np.testing.assert_allclose(value("xc_standardize", x=X, how=how).reshape(X.shape), expected, atol=1e-10)
    found = value("xc_mutual_information", x=X, labels=labels)
    np.testing.assert_allclose(found, mutual_information(X, labels), atol=1e-8)


@pytest.mark.parametrize("size", [1, 2, 3, 10])
@pytest.mark.parametrize("kind", ["zero", "constant", "tied", "random"])
def test_entropy_of_tiny_samples_agrees(kind, size):
    rng = np.random.default_rng(size)
    samples = {
        "zero": np.zeros(size),
        "constant": np.full(size, -0.7),
        "tied": np.r_[np.zeros(size), 2.0],
        "random": rng.normal(size=size),
    }
    sample = samples[kind]
    assert value("xc_kde_entropy", x=sample)[0] == pytest.approx(kde_entropy(sample), abs=1e-8)


@pytest.mark.parametrize(
    ("X", "labels"),
    [
        ([[0.0], [1.0], [4.0]], [1, 1, 1]),
        ([[0.0], [1.0], [4.0]], [1, 2, 3]),
        ([[0.0], [0.0], [4.0]], [1, 1, 3]),
        ([[2.0], [2.0], [2.0]], [1, 1, 1]),
        ([[0.0], [0.0], [4.0], [5.0]], [1, 2, 3, 3]),
    ],
    ids=["one cluster", "singletons", "repeated points", "all equal", "equal points apart"],
)
def test_dunn_of_degenerate_partitions_agrees(X, labels):
    assert value("xc_dunn", x=np.array(X), labels=np.array(labels))[0] == dunn_index(X, labels)


@pytest.mark.parametrize("seed", range(5))
def test_consensus_agrees(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(1, 4, size=(15, 30))
    labels[7] = labels[3]  # equals: the first is taken
    weights = rng.random(15).round(1) + 0.1
    found = rbridge.call("xc_consensus", {"labels": labels, "weights": weights}).values
    expected = consensus_partition(labels, weights)
    assert found["index"][0] - 1 == expected.index
    np.testing.assert_allclose(found["cost"], expected.cost, atol=1e-8)
    vi = value("xc_vi", a=labels[0], b=labels[1])[0]
    assert vi == pytest.approx(variation_of_information(labels[0], labels[1]), abs=1e-8)


def awkward_columns(n):
    """Columns without a density, or with none in some clusters."""
    rng = np.random.default_rng(n)
    return np.column_stack(
        [
            np.arange(n) == 7,
            rng.random(n) < 0.3,
            np.where(rng.random(n) < 0.03, rng.integers(1, 3, size=n), 0),
            rng.integers(4, size=n),
            np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n)),
            np.where(np.arange(n) % 3 == 0, 0.5, rng.normal(size=n)),
        ]
    )


@pytest.mark.parametrize("n", [30, 157])
@pytest.mark.parametrize("how", INFORMATION)
def test_counts_agree(how, n):
    X, labels = awkward_columns(n), np.arange(n) % 3
    labels[0] = 3  # a single row
    found = value("xc_mutual_information", x=X, labels=labels, information=how)
    np.testing.assert_allclose(found, mutual_information(X, labels, how), atol=1e-8)
    np.testing.assert_allclose(value("xc_comparable_scale", x=X), comparable_scale(X.T), rtol=1e-12)


SETTINGS = [
    {"consensus": "medoid", "quality_space": "subspace"},
    {"consensus": "medoid", "quality_space": "full", "information": "kde"},
    {"consensus": "medoid", "information": "discrete", "cap": None},
]


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS, ids=["default", "published", "discrete"])
@pytest.mark.parametrize("name", [*DATASETS, "awkward"])
@pytest.mark.filterwarnings("ignore:no density exists")
def test_given_the_replicas_everything_agrees(name, settings):
    if name == "awkward":
        rng = np.random.default_rng(0)
        X, n_clusters = np.column_stack([rng.normal(np.arange(120) % 3 * 4.0), awkward_columns(120)]), 3
    else:
        X, n_clusters = load_dataset(name).X, load_dataset(name).n_clusters
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    model = BaggedClustering(n_clusters, n_replicas=20, standardize=None, random_state=0, **settings).fit(X)
    replicas = {"features": model.replica_features_, "labels": model.replica_labels_ + 1}
    fit = bagging(X, n_clusters, replicas=replicas, **settings)
    np.testing.assert_allclose(fit["discrete_share"], model.discrete_share_, rtol=1e-12)
    for field in ("replica_weights", "replica_importances", "importance_std", "importance_error"):
        attribute = field.replace("importance_", "importances_") + "_"
        np.testing.assert_allclose(fit[field], getattr(model, attribute), atol=1e-8, err_msg=field)
    np.testing.assert_allclose(fit["importance"], model.feature_importances_, atol=1e-8)
    assert fit["consensus_index"][0] - 1 == model.consensus_index_
    np.testing.assert_array_equal(fit["labels"] - 1, model.labels_)


@pytest.mark.parametrize("name", DATASETS)
def test_given_rows_and_starts_the_partitions_agree(name):
    X, n_clusters = standardized(name), load_dataset(name).n_clusters
    n, p = X.shape
    rng = np.random.default_rng(1)
    rows = rng.integers(n, size=(10, n))
    features = np.stack([rng.permutation(p) < p - 1 for _ in rows])
    distinct = [
        np.unique(X[r][:, f], axis=0, return_index=True)[1] for r, f in zip(rows, features, strict=True)
    ]
    centers = np.stack(
        [r[rng.choice(d, n_clusters, replace=False)] for r, d in zip(rows, distinct, strict=True)]
    )
    replicas = {"features": features, "rows": rows + 1, "centers": centers + 1}
    fit = bagging(X, n_clusters, information="kde", replicas=replicas)
    for r, c, f, labels in zip(rows, centers, features, fit["replica_labels"], strict=True):
        counts = np.bincount(r, minlength=n)
        found = kmeans(X[:, f].T[None], counts[None], X[c][:, f][None, None], tol=0.0)
        expected = nearest_center(X[:, f].T, found)[0][0]
        np.testing.assert_array_equal(labels - 1, expected)
