"""A bag as a step of a pipeline: it selects features, says which, and scores."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.samples import standardized
from xcompare import BaggedClustering, load_dataset
from xcompare.bagging.feature_selection import kept_features

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


def test_transform_keeps_the_features_that_make_the_clusters(frame, fitted):
    np.testing.assert_array_equal(fitted.get_support(), [True, False, True, False])
    np.testing.assert_array_equal(fitted.transform(frame), frame[["a", "b"]])
    assert list(fitted.get_feature_names_out()) == ["a", "b"]


def test_or_as_many_as_are_asked_for_without_another_fit(frame, fitted):
    best = np.argsort(-fitted.feature_importances_)
    for k in (1, 3):
        kept = kept_features(fitted.feature_importances_, 0.5, k)
        assert set(np.flatnonzero(kept)) == set(best[:k])
    assert kept_features(fitted.feature_importances_, 0.0, None).all()


@pytest.mark.parametrize(
    ("threshold", "number", "message"),
    [
        (0.5, 5, "n_features_to_select must be a whole number from 1 to 4; got 5"),
        (0.5, 0, "got 0"),
        ("mean", None, "threshold must be a number; got 'mean'"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(frame, threshold, number, message):
    model = BaggedClustering(2, n_replicas=5, threshold=threshold, n_features_to_select=number)
    with pytest.raises(ValueError, match=message):
        model.fit(frame).transform(frame)


def test_a_threshold_that_keeps_nothing_says_so(frame, fitted):
    high = BaggedClustering(2, n_replicas=5, threshold=1.5, random_state=0).fit(frame)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert high.transform(frame).shape == (100, 0)


def test_the_next_step_of_a_pipeline_sees_what_is_kept(frame):
    """Noise of large scale hides the clusters from K-means; what the bag keeps shows them."""
    rng = np.random.default_rng(1)
    noisy = np.hstack([frame[["a", "b"]], rng.normal(size=(100, 40))])
    pipeline = make_pipeline(
        StandardScaler(),
        BaggedClustering(2, n_features_to_select=2, n_replicas=20, random_state=0),
        KMeans(2, n_init=10, random_state=0),
    )
    assert adjusted_rand_score(TRUTH, pipeline.fit_predict(noisy)) == 1.0
    assert list(pipeline[:-1].get_feature_names_out()) == ["x0", "x1"]
    assert pipeline[-1].n_features_in_ == 2


def test_data_frames_come_out_as_asked(frame, fitted):
    model = BaggedClustering(2, n_replicas=5, random_state=0).fit(frame)
    out = model.set_output(transform="pandas").transform(frame)
    pd.testing.assert_frame_equal(out, frame[["a", "b"]])


def test_polars_in_and_out(frame, fitted):
    polars = pytest.importorskip("polars")
    data = polars.from_pandas(frame)
    model = BaggedClustering(2, n_replicas=20, random_state=0).fit(data)
    np.testing.assert_array_equal(model.feature_importances_, fitted.feature_importances_)
    assert list(model.feature_names_in_) == NAMES
    np.testing.assert_array_equal(model.predict(data), model.labels_)
    out = model.set_output(transform="polars").transform(data)
    assert out.equals(data.select("a", "b"))
    model.fit(data.with_columns(polars.Series("plan", ["x", "y", "z", "z"] * 25)))
    assert [feature.kind for feature in model.features_] == ["numeric"] * len(NAMES) + ["nominal"]


def test_sparse_data_are_refused_in_one_line():
    with pytest.raises(TypeError, match=r"Sparse data was passed.*dense data is required.*toarray"):
        BaggedClustering(2).fit(sparse.csr_array(np.eye(10)))


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
        np.testing.assert_array_equal(np.flatnonzero(model.get_support()), np.arange(informative))
