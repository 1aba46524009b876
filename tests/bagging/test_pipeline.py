"""An ensemble as a step of a pipeline: scikit-learn selects features by it, and it scores."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.feature_selection import SelectFromModel
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.samples import standardized
from xcompare import BaggedClustering, load_dataset
from xcompare.core.errors import DataError

TRUTH = np.repeat([0, 1], 50)
NAMES = ["a", "noise", "b", "more noise"]


@pytest.fixture(scope="module")
def frame():
    """Two features that separate two clusters, and two of noise."""
    X = np.random.default_rng(0).normal(size=(100, 4))
    X[:, [0, 2]] += 8.0 * TRUTH[:, None]
    return pd.DataFrame(X, columns=NAMES)


@pytest.fixture(scope="module")
def fitted(frame):
    return BaggedClustering(2, n_replicas=20, random_state=0).fit(frame)


def test_scikit_learn_selects_the_features_that_make_the_clusters(frame, fitted):
    selected = SelectFromModel(fitted, threshold=0.5, prefit=True).transform(frame)
    np.testing.assert_array_equal(selected, frame[["a", "b"]])


def test_the_next_step_of_a_pipeline_sees_what_is_kept(frame):
    """Noise of large scale hides the clusters from K-means; what the bag keeps shows them."""
    rng = np.random.default_rng(1)
    noisy = np.hstack([frame[["a", "b"]], rng.normal(size=(100, 40))])
    pipeline = make_pipeline(
        StandardScaler(),
        SelectFromModel(
            BaggedClustering(2, n_replicas=20, random_state=0), threshold=-np.inf, max_features=2
        ),
        KMeans(2, n_init=10, random_state=0),
    )
    assert adjusted_rand_score(TRUTH, pipeline.fit_predict(noisy)) == 1.0
    assert list(pipeline[:-1].get_feature_names_out()) == ["x0", "x1"]
    assert pipeline[-1].n_features_in_ == 2


def test_polars_in_and_out(frame, fitted):
    polars = pytest.importorskip("polars")
    data = polars.from_pandas(frame)
    model = BaggedClustering(2, n_replicas=20, random_state=0).fit(data)
    np.testing.assert_array_equal(model.feature_importances_, fitted.feature_importances_)
    assert list(model.feature_names_in_) == NAMES
    np.testing.assert_array_equal(model.predict(data), model.labels_)
    model.fit(data.with_columns(polars.Series("plan", ["x", "y", "z", "z"] * 25)))
    assert [feature.kind for feature in model.features_] == ["numeric"] * len(NAMES) + ["nominal"]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_sparse_data_are_those_of_the_dense_matrix(frame, kind):
    X = np.maximum(frame.to_numpy(), 0).astype(kind)
    dense, found = (
        BaggedClustering(2, n_replicas=20, random_state=0).fit(data) for data in (X, sparse.csr_array(X))
    )
    np.testing.assert_array_equal(found.feature_importances_, dense.feature_importances_)
    np.testing.assert_array_equal(found.predict(sparse.csc_array(X)), dense.labels_)


def test_sparse_data_that_would_not_fit_are_refused_in_one_line():
    X = sparse.csr_array((1_000_000, 1_000_000))
    with pytest.raises(DataError, match=r"\(1,000,000 x 1,000,000\) takes 7,450.6 GiB when dense"):
        BaggedClustering(2).fit(X)


def test_score_is_minus_the_squares_about_the_cluster_means(frame, fitted):
    X = standardized(frame.to_numpy())
    squares = np.zeros(100)
    for k in (0, 1):
        rows = fitted.labels_ == k
        squares[rows] = ((X[rows] - X[rows].mean(axis=0)) ** 2).sum(axis=1)
    assert fitted.score(frame) == pytest.approx(-squares.sum())
    weights = np.arange(100.0)
    assert fitted.score(frame, sample_weight=weights) == pytest.approx(-(weights @ squares))
    assert fitted.score(frame) == pytest.approx(-KMeans(2, n_init=5, random_state=0).fit(X).inertia_)


def test_a_grid_search_takes_more_clusters_for_better_as_for_k_means(frame):
    search = GridSearchCV(BaggedClustering(n_replicas=5, random_state=0), {"n_clusters": [1, 2]}, cv=2)
    with pytest.warns(UserWarning, match="one cluster separates nothing"):
        search.fit(frame.sample(frac=1, random_state=0))
    assert search.best_params_ == {"n_clusters": 2}


@pytest.mark.slow
def test_by_default_the_informative_features_of_the_papers_scenarios_are_kept():
    for name, informative in (("illustrative", 3), ("overlap", 15), ("proportion", 8), ("correlation", 12)):
        data = load_dataset(name)
        model = BaggedClustering(data.n_clusters, redundancy="ignore", random_state=0).fit(data.X)
        np.testing.assert_array_equal(
            np.flatnonzero(model.feature_importances_ >= 0.5), np.arange(informative)
        )
