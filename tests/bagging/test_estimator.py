"""The estimator: scikit-learn's contract, the published numbers, determinism, awkward data, clear errors."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_info, threadpool_limits

from tests.samples import standardized
from xcompare import BaggedClustering, load_dataset
from xcompare.bagging.consensus.medoid import consensus_partition
from xcompare.bagging.dunn.index import dunn_index
from xcompare.bagging.information.mutual import mutual_information
from xcompare.io.datasets import paper_tables

SCHEMES = {"basic": "Basic", "efron": "Efron", "bbc": "BBC"}
PUBLISHED = {
    scheme: {
        "information": "kde",
        "cap": 1.0,
        "consensus": "medoid",
        "redundancy": "ignore",
        "n_init": 20 if scheme == "bbc" else 1,
    }
    for scheme in SCHEMES
}


# As for scikit-learn's own K-means and bagging: another random draw.
OTHER_DRAW = {
    f"check_sample_weight_equivalence_on_{kind}_data": "weighted rows are drawn, repeated rows too"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [BaggedClustering(n_replicas=5), BaggedClustering(n_replicas=3, n_init=1, missing="error")],
    expected_failed_checks=lambda _: OTHER_DRAW,
)
def test_is_a_scikit_learn_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # five replicas may leave a feature out
        check(estimator)


def published_importances(name, m, resampling):
    cells = paper_tables()
    row = (cells["dataset"] == name) & (cells["metric"] == "FI") & (cells["m"] == m)
    return cells.loc[row & (cells["method"] == SCHEMES[resampling]), "mean"].to_numpy()


@pytest.mark.slow
@pytest.mark.parametrize("resampling", SCHEMES)
@pytest.mark.parametrize(
    ("name", "m", "importance_tolerance", "lowest_ari", "highest_ari"),
    [("wine", 12, 0.03, 0.87, 0.95), ("breast", 8, 0.03, 0.835, 0.895), ("illustrative", 5, 0.04, 0.4, 0.7)],
)
def test_published_importances_and_agreement(
    name, m, resampling, importance_tolerance, lowest_ari, highest_ari
):
    """Means over 5 seeds; that of the agreement with the classes has a standard error of up to 0.02."""
    importances, agreement = [], []
    for seed in range(5):
        data = load_dataset(name, seed=seed)
        model = BaggedClustering(
            data.n_clusters, max_features=m, random_state=seed, resampling=resampling, **PUBLISHED[resampling]
        ).fit(data.X)
        importances.append(model.feature_importances_)
        agreement.append(adjusted_rand_score(data.labels, model.labels_))
    published = published_importances(name, m, resampling)
    assert np.abs(np.mean(importances, axis=0) - published).max() <= importance_tolerance
    assert lowest_ari <= np.mean(agreement) <= highest_ari


@pytest.mark.slow
@pytest.mark.parametrize("resampling", SCHEMES)
@pytest.mark.parametrize(("name", "m"), [("wine", 12), ("breast", 8)])
@pytest.mark.filterwarnings("ignore:no density exists for x8")
def test_by_default_the_published_importances_but_for_a_feature_without_a_density(name, m, resampling):
    """Mitoses: 83% of the rows hold the same value."""
    data = load_dataset(name)
    found = np.mean(
        [
            BaggedClustering(data.n_clusters, resampling=resampling, max_features=m, random_state=seed)
            .fit(data.X)
            .feature_importances_
            for seed in range(2)
        ],
        axis=0,
    )
    difference = np.abs(found - published_importances(name, m, resampling))
    if name == "breast":
        assert found[-1] == pytest.approx(0.14, abs=0.02)
        difference = difference[:-1]
    assert difference.max() <= 0.03


@pytest.fixture(scope="module")
def wine():
    return load_dataset("wine")


@pytest.fixture(scope="module")
def fitted(wine):
    return BaggedClustering(3, max_features=9, n_replicas=40, random_state=1).fit(wine.X)


def test_fitted_attributes_belong_together(wine, fitted):
    n, p = wine.X.shape
    assert fitted.labels_.shape == (n,)
    assert fitted.replica_labels_.shape == (40, n)
    assert fitted.replica_features_.shape == fitted.replica_importances_.shape == (40, p)
    assert (fitted.replica_features_.sum(axis=1) == 9).all()
    np.testing.assert_array_equal(np.isnan(fitted.replica_importances_), ~fitted.replica_features_)
    assert (np.diff(np.bincount(fitted.labels_)) <= 0).all()
    np.testing.assert_allclose(fitted.consensus_proba_.sum(axis=1), 1.0)
    assert np.mean(fitted.consensus_proba_.argmax(axis=1) == fitted.labels_) > 0.95
    for k in range(3):
        np.testing.assert_allclose(fitted.cluster_centers_[k], wine.X[fitted.labels_ == k].mean(axis=0))


def test_every_step_is_the_definition(wine, fitted):
    X = standardized(wine.X)
    weights = fitted.replica_weights_
    for b in range(0, 40, 7):
        drawn, labels = fitted.replica_features_[b], fitted.replica_labels_[b]
        assert weights[b] == pytest.approx(dunn_index(X[:, drawn], labels), rel=1e-12)
        information = np.clip(mutual_information(X[:, drawn], labels), 0, 1)
        np.testing.assert_allclose(
            fitted.replica_importances_[b, drawn], information / information.max(), atol=1e-10
        )
    shares = np.nan_to_num(fitted.replica_importances_)
    total = weights @ fitted.replica_features_
    mean = weights @ shares / total
    np.testing.assert_allclose(fitted.feature_importances_, mean)
    spread = weights @ (fitted.replica_features_ * (shares - mean) ** 2) / total
    np.testing.assert_allclose(fitted.importances_std_, np.sqrt(spread))
    assert fitted.consensus_index_ == consensus_partition(fitted.replica_labels_, weights).index
    votes = np.stack([fitted.replica_labels_ == k for k in range(3)], axis=2)
    np.testing.assert_allclose(fitted.consensus_proba_, np.average(votes, axis=0, weights=weights))
    assert not np.allclose(fitted.consensus_proba_, votes.mean(axis=0), atol=0.01)  # the weights matter here


@pytest.mark.parametrize("how", ["weighted", "medoid"])
def test_what_is_worked_out_when_asked_for_is_that_of_the_last_fit(wine, how):
    model = BaggedClustering(3, n_replicas=10, n_init=1, consensus=how, random_state=0)
    with pytest.raises(NotFittedError):
        _ = model.consensus_proba_
    model.fit(wine.X[::2])
    assert model.consensus_proba_.shape == (89, 3)
    assert model.consensus_index_ < 10
    model.set_params(random_state=1).fit(wine.X)
    fresh = clone(model).fit(wine.X)
    assert model.consensus_index_ == fresh.consensus_index_
    np.testing.assert_array_equal(model.consensus_proba_, fresh.consensus_proba_)
    again = pickle.loads(pickle.dumps(fresh))
    np.testing.assert_array_equal(again.consensus_proba_, fresh.consensus_proba_)


def test_prior_weight_is_that_of_the_paper(wine):
    default, paper, other = (
        BaggedClustering(3, resampling="bbc", n_replicas=5, n_init=1, random_state=0, **given).fit(wine.X)
        for given in ({}, {"prior_weight": 0.1}, {"prior_weight": 0.2})
    )
    np.testing.assert_array_equal(default.replica_labels_, paper.replica_labels_)
    assert (default.replica_labels_ != other.replica_labels_).any()


def test_prior_of_bbc_speaks_of_the_features_a_replica_draws():
    """Each feature lives elsewhere: centers learned from another one's draws would split nothing."""
    rng = np.random.default_rng(0)
    truth = np.arange(200) % 2
    X = rng.normal(size=(200, 6)) + 10.0 * truth[:, None] + 100.0 * np.arange(6)
    model = BaggedClustering(
        2,
        resampling="bbc",
        prior_weight=0.9,
        max_features=2,
        n_replicas=20,
        standardize=None,
        random_state=0,
    ).fit(X)
    for labels in model.replica_labels_:
        assert adjusted_rand_score(truth, labels) == 1.0


def test_predict_gives_training_rows_their_labels(wine, fitted):
    np.testing.assert_array_equal(fitted.predict(wine.X), fitted.labels_)
    assert fitted.predict(wine.X[:1] + 0.1).shape == (1,)


@pytest.mark.slow
@pytest.mark.parametrize("resampling", SCHEMES)
def test_result_does_not_depend_on_workers(wine, resampling):
    fits = []
    for n_jobs, backend in ((1, "loky"), (2, "loky"), (2, "threading")):
        with parallel_config(backend=backend):
            model = BaggedClustering(
                3, resampling=resampling, n_replicas=30, n_jobs=n_jobs, random_state=5
            ).fit(wine.X)
        fits.append(model)
    for other in fits[1:]:
        np.testing.assert_array_equal(fits[0].feature_importances_, other.feature_importances_)
        np.testing.assert_array_equal(fits[0].replica_weights_, other.replica_weights_)
        np.testing.assert_array_equal(fits[0].labels_, other.labels_)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p", "n_replicas"), [(5000, 6, 6), (2000, 60, 20)])
def test_large_data_do_not_depend_on_workers(n, p, n_replicas):
    """Workers get the data as a file, and run some of the initializations of the consensus each."""
    X = np.random.default_rng(0).normal(size=(n, p))
    model = BaggedClustering(3, n_replicas=n_replicas, n_init=1, random_state=0)
    one, two = (clone(model).set_params(n_jobs=n_jobs).fit(X) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.replica_weights_, two.replica_weights_)
    np.testing.assert_array_equal(one.feature_importances_, two.feature_importances_)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)


def test_threads_leave_the_threads_of_libraries_as_they_were(wine):
    """Each limits them while it works: the last to end must not put back what another has set."""
    with threadpool_limits(2, user_api="blas"):
        before = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
        with parallel_config(backend="threading"):
            BaggedClustering(3, n_replicas=100, n_jobs=3, random_state=0).fit(wine.X)
        after = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert after == before


@pytest.mark.slow
def test_replicas_run_on_a_dask_cluster_unchanged(wine, cluster):
    distributed = pytest.importorskip("distributed")
    model = BaggedClustering(3, n_replicas=30, n_jobs=-1, random_state=5)
    here = clone(model).fit(wine.X)
    with distributed.Client(cluster), parallel_config(backend="dask"):
        there = clone(model).fit(wine.X)
    np.testing.assert_array_equal(here.feature_importances_, there.feature_importances_)
    np.testing.assert_array_equal(here.labels_, there.labels_)


@pytest.mark.slow
def test_same_seed_same_result_and_another_seed_another(wine):
    a, b, c = (BaggedClustering(3, n_replicas=20, random_state=s).fit(wine.X) for s in (1, 1, 2))
    np.testing.assert_array_equal(a.replica_importances_, b.replica_importances_)
    assert not np.array_equal(a.replica_importances_, c.replica_importances_, equal_nan=True)


@pytest.mark.slow
@pytest.mark.parametrize("data", ["wine", "tied integers"])
def test_what_holds_the_numbers_does_not_matter(wine, data):
    """C and Fortran order, a data frame, a view with gaps: the same to the last bit."""
    X = wine.X if data == "wine" else np.random.default_rng(3).integers(4, size=(90, 7)).astype(float)
    gaps = np.zeros((2 * len(X), 3 * X.shape[1]))
    gaps[::2, ::3] = X
    held = [X, np.asfortranarray(X), pd.DataFrame(X), gaps[::2, ::3], X.tolist()]
    first, *others = (BaggedClustering(3, n_replicas=20, random_state=0).fit(x) for x in held)
    for other, x in zip(others, held[1:], strict=True):
        np.testing.assert_array_equal(other.feature_importances_, first.feature_importances_)
        np.testing.assert_array_equal(other.replica_weights_, first.replica_weights_)
        np.testing.assert_array_equal(other.labels_, first.labels_)
        np.testing.assert_array_equal(other.cluster_centers_, first.cluster_centers_)
        np.testing.assert_array_equal(other.predict(x), first.labels_)


@pytest.mark.slow
def test_the_first_replicas_are_the_same_however_many_there_are(wine):
    for resampling in SCHEMES:
        few, many = (
            BaggedClustering(3, resampling=resampling, n_replicas=n, n_init=2, random_state=1).fit(wine.X)
            for n in (25, 50)
        )
        np.testing.assert_array_equal(many.replica_importances_[:25], few.replica_importances_)
        np.testing.assert_array_equal(many.replica_weights_[:25], few.replica_weights_)


@pytest.mark.slow
def test_units_of_the_data_do_not_matter(wine):
    scaled = wine.X * np.logspace(-3, 3, 13) + 100
    a, b = (BaggedClustering(3, n_replicas=20, random_state=0).fit(X) for X in (wine.X, scaled))
    np.testing.assert_allclose(a.feature_importances_, b.feature_importances_, atol=1e-9)


def test_data_frames_pipelines_and_parameters(wine):
    frame = pd.DataFrame(wine.X, columns=wine.feature_names)
    model = BaggedClustering(3, n_replicas=10, random_state=0)
    fitted = clone(model).fit(frame)
    assert tuple(fitted.feature_names_in_) == wine.feature_names
    pipeline = make_pipeline(MinMaxScaler(), model)
    pipeline.set_params(baggedclustering__n_clusters=2)
    assert set(pipeline.fit_predict(frame)) == {0, 1}
    assert pipeline[-1].get_params()["n_clusters"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("n_samples", [400, 12_000])
def test_full_quality_space_measures_in_all_features(n_samples):
    X = np.vstack([load_dataset("illustrative", seed=s).X for s in range(-(-n_samples // 300))])[:n_samples]
    model = BaggedClustering(3, quality_space="full", max_features=3, n_replicas=6, random_state=0).fit(X)
    X = standardized(X)
    for labels, weight in zip(model.replica_labels_, model.replica_weights_, strict=True):
        assert weight == pytest.approx(dunn_index(X, labels), rel=1e-9)


@pytest.mark.parametrize(("max_features", "m"), [(None, 12), (5, 5), (0.5, 6), (1.0, 13), (1, 1)])
def test_number_of_features_drawn(wine, max_features, m):
    model = BaggedClustering(3, max_features=max_features, n_replicas=30, random_state=0).fit(wine.X)
    assert (model.replica_features_.sum(axis=1) == m).all()


AWKWARD = {
    "repeated rows": np.repeat(np.random.default_rng(0).normal(size=(6, 4)), 10, axis=0),
    "as many rows as clusters": np.random.default_rng(1).normal(size=(3, 4)),
    "fewer distinct rows than clusters": np.repeat([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0]], 20, axis=0),
    "an outlier": np.vstack([np.random.default_rng(2).normal(size=(60, 4)), np.full((1, 4), 1e6)]),
    "tied integers": np.random.default_rng(3).integers(2, size=(80, 5)).astype(float),
    "huge and tiny units": np.random.default_rng(4).normal(size=(50, 3)) * [1e-200, 1.0, 1e100],
}


@pytest.mark.slow
@pytest.mark.parametrize("resampling", SCHEMES)
@pytest.mark.parametrize("kind", AWKWARD)
def test_awkward_data_have_defined_results(kind, resampling):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        model = BaggedClustering(3, resampling=resampling, n_replicas=25, random_state=0).fit(AWKWARD[kind])
    for array in (model.feature_importances_, model.importances_std_, model.consensus_proba_):
        assert np.isfinite(array).all()
    assert model.feature_importances_.min() >= 0
    assert model.feature_importances_.max() <= 1
    np.testing.assert_array_equal(model.predict(AWKWARD[kind]), model.labels_)


def test_constant_features_are_named_and_get_nothing(wine):
    frame = pd.DataFrame(wine.X[:, :5], columns=list("abcde")).assign(flat=3.0)
    with pytest.warns(UserWarning, match="constant features .* importance 0: flat"):
        model = BaggedClustering(3, n_replicas=20, random_state=0).fit(frame)
    assert model.feature_importances_[5] == 0
    assert (model.feature_importances_[:5] > 0).all()


def test_one_cluster_says_nothing_about_any_feature(wine):
    with pytest.warns(UserWarning, match="one cluster separates nothing"):
        model = BaggedClustering(1, n_replicas=10, random_state=0).fit(wine.X)
    assert (model.feature_importances_ == 0).all()


def test_all_equal_data_are_one_cluster():
    with (
        pytest.warns(UserWarning, match="constant features"),
        pytest.warns(UserWarning, match="all weights are 0"),
    ):
        model = BaggedClustering(3, n_replicas=5, random_state=0).fit(np.ones((20, 4)))
    assert (model.labels_ == 0).all()
    assert (model.feature_importances_ == 0).all()


def test_a_feature_never_drawn_is_named():
    X = np.random.default_rng(0).normal(size=(30, 8))
    with pytest.warns(UserWarning, match="never drawn in 2 replicates.*raise n_replicas or max_features"):
        model = BaggedClustering(2, max_features=1, n_replicas=2, random_state=0).fit(X)
    assert np.isfinite(model.feature_importances_).all()


GOOD = np.random.default_rng(0).normal(size=(30, 4))


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (
            np.where(GOOD > 2, np.nan, GOOD),
            {"missing": "error"},
            "must be finite; 1 of 30 rows hold NaN or infinity",
        ),
        (np.where(GOOD > 2, np.inf, GOOD), {}, "must not hold infinity .columns x"),
        (GOOD * 1j, {}, "Complex data not supported"),
        (GOOD[:, :1], {}, "1 feature"),
        (GOOD[:2], {}, "n_clusters=3 exceeds n_samples=2"),
        (GOOD, {"max_features": 5}, "from 1 to 4.*got 5"),
        (GOOD, {"max_features": 0}, "got 0"),
        (GOOD, {"max_features": 1.5}, "got 1.5"),
        (GOOD, {"max_features": "all"}, "got 'all'"),
        (GOOD, {"resampling": "jackknife"}, "one of basic, efron, bbc; got 'jackknife'"),
        (GOOD, {"quality_space": "half"}, "one of subspace, full; got 'half'"),
        (GOOD, {"information": "bits"}, "one of auto, kde, discrete; got 'bits'"),
        (GOOD, {"cap": 0.0}, "cap must be a positive number of nats, or None; got 0.0"),
        (GOOD, {"redundancy": "drop"}, "one of warn, spread, ignore; got 'drop'"),
        (GOOD, {"n_replicas": "many"}, "n_replicas must be a whole number of at least 1; got 'many'"),
        (GOOD, {"n_jobs": 0}, "n_jobs must be a whole number other than 0, or None; got 0"),
        (GOOD, {"n_jobs": "2"}, "n_jobs must be a whole number other than 0, or None; got '2'"),
        (GOOD, {"feature_groups": ["x0"]}, "feature_groups must map each name to a list.*got .'x0'."),
        (GOOD, {"feature_groups": {"a": 0}}, "feature_groups must map each name to a list.*got 0 for a"),
        (GOOD, {"n_clusters": 0}, "at least 1; got 0"),
        (GOOD, {"n_clusters": 2.5}, "whole number.*got 2.5"),
        (GOOD, {"n_replicas": 0}, "at least 1; got 0"),
        (GOOD, {"n_init": 0}, "n_init.*got 0"),
        (GOOD, {"estimator": "KMeans"}, "must be a scikit-learn clusterer, or None; got 'KMeans'"),
        (GOOD, {"estimator": KMeans}, "must be a scikit-learn clusterer, or None; got <class"),
        (GOOD, {"prior_weight": 1.0}, r"in \[0, 1\); got 1.0"),
    ],
)
def test_bad_input_gets_one_clear_error(X, parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        BaggedClustering(**parameters).fit(X)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_the_number_of_clusters_may_be_left_to_the_criteria(monkeypatch):
    monkeypatch.setattr("xcompare.inference.number_of_clusters.MOST_CLUSTERS", 4)
    X = np.random.default_rng(0).normal(size=(60, 4)) + 7 * (np.arange(60) % 3)[:, None]
    settings = {"n_replicas": 10, "redundancy": "ignore", "random_state": 0}
    auto = BaggedClustering("auto", **settings).fit(X)
    assert auto.n_clusters_ == auto.k_choice_.best == 3
    assert auto.k_choice_.ks.tolist() == [2, 3, 4]
    given = BaggedClustering(3, **settings).fit(X)
    assert (given.n_clusters_, given.k_choice_) == (3, None)
    np.testing.assert_array_equal(auto.feature_importances_, given.feature_importances_)
    np.testing.assert_array_equal(auto.labels_, given.labels_)


@pytest.mark.slow
def test_where_one_cluster_is_chosen_nothing_separates(monkeypatch):
    monkeypatch.setattr("xcompare.inference.number_of_clusters.MOST_CLUSTERS", 3)
    X = np.random.default_rng(3).normal(size=(20, 5))
    settings = {"n_replicas": 5, "redundancy": "ignore", "random_state": 0}
    with pytest.warns(UserWarning, match="no clusters were found, so every importance is 0. One cluster:"):
        model = BaggedClustering("auto", **settings).fit(X)
    assert model.n_clusters_ == 1
    assert not model.feature_importances_.any()
    with pytest.warns(UserWarning, match="one cluster separates nothing: every importance is 0"):
        BaggedClustering(1, **settings).fit(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [(np.eye(2), "needs at least 3 rows; got 2"), (np.ones((5, 2)), "needs features that vary; got none")],
)
@pytest.mark.filterwarnings("ignore:constant features")
def test_what_it_takes_to_choose_the_number_of_clusters(X, message):
    with pytest.raises(ValueError, match=message):
        BaggedClustering("auto").fit(X)


def test_verbose_prints_progress(wine, capsys):
    quick = BaggedClustering(3, n_init=1, consensus="medoid", redundancy="ignore", random_state=0)
    quick.set_params(verbose=1).fit(wine.X)
    assert "tasks" in capsys.readouterr().err
    quick.set_params(verbose=0).fit(wine.X)
    assert capsys.readouterr().err == ""
