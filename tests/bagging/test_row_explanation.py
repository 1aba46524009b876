"""Why a row is where it is: pulls that can be computed by hand, votes, rivals, sentences."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.mixture import GaussianMixture

from xcompare import BaggedClustering, load_dataset

TRUTH = np.repeat([0, 1, 2], 40)
CENTERS = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 14.0, 0.0]])


@pytest.fixture(scope="module")
def frame():
    """Three clusters: the second is apart in "a", the third in "b"; "c" is noise."""
    X = CENTERS[TRUTH] + np.random.default_rng(0).uniform(-1, 1, size=(120, 3))
    return pd.DataFrame(X, columns=["a", "b", "c"])


@pytest.fixture(scope="module")
def model(frame):
    """Every replica has all rows and features, so that all are the same partition."""
    return BaggedClustering(
        3, resampling="basic", max_features=1.0, standardize=None, n_replicas=4, random_state=0
    ).fit(frame)


def cluster_of(model, truth):
    return model.labels_[np.flatnonzero(truth == TRUTH)[0]]


def test_pulls_are_differences_of_squared_distances(frame, model):
    """By hand: a row at (4, 1, 5) is in the first cluster; the second is its rival."""
    row = np.array([4.0, 1.0, 5.0])
    first, second = (frame[k == TRUTH].to_numpy().mean(axis=0) for k in (0, 1))
    found = model.explain_sample(pd.DataFrame([row], columns=frame.columns))
    assert found.labels[0] == cluster_of(model, 0)
    assert found.rivals[0] == cluster_of(model, 1)
    expected = (row - second) ** 2 - (row - first) ** 2
    np.testing.assert_allclose(found.pulls[0], expected, atol=1e-9)
    assert found.pulls[0].sum() == pytest.approx(((row - second) ** 2).sum() - ((row - first) ** 2).sum())
    assert np.abs(found.pulls[0, 0]) > 0.9 * np.abs(found.pulls[0]).sum()
    np.testing.assert_array_equal(found.proba[0], np.eye(3)[found.labels[0]])


def test_the_feature_that_sets_a_cluster_apart_holds_its_rows_there(frame, model):
    found = model.explain_sample(frame)
    np.testing.assert_array_equal(found.labels, model.labels_)
    assert (found.pulls[TRUTH == 1].argmax(axis=1) == 0).all()
    assert (found.pulls[TRUTH == 2].argmax(axis=1) == 1).all()


def test_training_rows_get_the_votes_of_the_fit(frame):
    for estimator in (None, GaussianMixture(), AgglomerativeClustering()):
        bag = BaggedClustering(3, estimator=estimator, max_features=2, n_replicas=12, random_state=0).fit(
            frame
        )
        found = bag.explain_sample(frame)
        np.testing.assert_allclose(found.proba, bag.consensus_proba_, atol=1e-12)
        np.testing.assert_array_equal(found.labels, bag.labels_)
        assert (found.rivals != found.labels).all()


def test_without_rows_it_explains_the_borderline_ones():
    wine = load_dataset("wine")
    X = pd.DataFrame(wine.X, columns=wine.feature_names)
    bag = BaggedClustering(3, max_features=5, n_replicas=40, redundancy="ignore", random_state=0).fit(X)
    found = bag.explain_sample()
    share = bag.consensus_proba_[np.arange(178), bag.labels_]
    np.testing.assert_array_equal(found.rows, np.flatnonzero(share < 0.8))
    assert 0 < len(found.rows) < 178
    same = bag.explain_sample(X.iloc[found.rows])
    np.testing.assert_allclose(found.pulls, same.pulls, atol=1e-10)
    # Where the vote is close the pulls nearly cancel; where all replicas agree they do not.
    sure = bag.explain_sample(X.iloc[np.flatnonzero(share > 0.99)])
    net = [abs(f.pulls.sum(axis=1)) / np.abs(f.pulls).sum(axis=1) for f in (found, sure)]
    assert np.median(net[0]) < 0.6 * np.median(net[1])
    assert list(found.table.index) == list(found.rows)
    assert list(found.table.columns) == ["cluster", "rival", "share", "rival_share", *wine.feature_names]
    np.testing.assert_allclose(found.table["share"], share[found.rows])


def test_rows_far_from_the_rival_are_told_against_the_nearest(frame, model):
    """No replica votes for another cluster: then the nearest one is the rival."""
    row = pd.DataFrame([[0.0, -3.0, 0.0]], columns=frame.columns)
    found = model.explain_sample(row)
    assert found.rivals[0] == cluster_of(model, 1)  # 10 away, the other 17


def test_sentences_name_who_holds_and_who_pulls(frame, model):
    rows = pd.DataFrame([[4.0, 1.0, 0.0], [10.0, 9.0, 0.0]], columns=frame.columns)
    k = [cluster_of(model, truth) for truth in range(3)]
    first, second = model.explain_sample(rows).sentences
    assert (
        first == f"row 0: cluster {k[0]} in 100% of the replicates; separated from cluster {k[1]} by a (98%)"
    )
    assert second.startswith(
        f"row 1: cluster {k[1]} in 100% of the replicates; separated from cluster {k[2]} by a ("
    )
    assert f"; pulled to cluster {k[2]} by b (" in second


def test_one_cluster_leaves_nothing_to_explain(frame):
    with pytest.warns(UserWarning, match="one cluster separates nothing"):
        bag = BaggedClustering(1, n_replicas=3, random_state=0).fit(frame)
    with pytest.raises(ValueError, match="at least two clusters; got one"):
        bag.explain_sample(frame)


def test_shown_in_a_notebook(frame, model):
    shown = model.explain_sample(frame)._repr_html_()
    assert "row 0: cluster" in shown
    assert len(shown) < 30_000  # of 120 rows the first and last
