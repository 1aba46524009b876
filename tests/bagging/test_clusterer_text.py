"""Clusterers as texts: there and back, one text for one clusterer, and clear refusals."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

from xcompare.bagging.clusterer_text import KNOWN, clusterer_from_text, clusterer_text
from xcompare.core.errors import DataError, UnknownNameError


@pytest.mark.parametrize(
    ("estimator", "text"),
    [
        (KMeans(), "KMeans()"),
        (KMeans(n_clusters=8, n_init=2, algorithm="elkan"), "KMeans(algorithm='elkan', n_init=2)"),
        (GaussianMixture(covariance_type="tied"), "GaussianMixture(covariance_type='tied')"),
        (AgglomerativeClustering(linkage="single"), "AgglomerativeClustering(linkage='single')"),
        (HDBSCAN(min_cluster_size=20, copy=True), "HDBSCAN(copy=True, min_cluster_size=20)"),
    ],
)
def test_there_and_back(estimator, text):
    assert clusterer_text(estimator) == text
    again = clusterer_from_text(text)
    assert type(again) is type(estimator)
    assert again.get_params() == estimator.get_params()


def test_one_text_for_one_clusterer():
    texts = ["KMeans", " KMeans( n_init = 2,algorithm='lloyd')", "sklearn.cluster.KMeans(n_init=2)"]
    assert [clusterer_text(text) for text in texts] == ["KMeans()", "KMeans(n_init=2)", "KMeans(n_init=2)"]


def test_classes_from_elsewhere_go_by_their_module():
    text = "tests.bagging.test_clusterers.HalvesByName(names=('low', 'high'))"
    assert clusterer_text(text) == text


def test_every_known_name_can_be_written():
    assert {"SpectralClustering", "BisectingKMeans", "MiniBatchKMeans", "BayesianGaussianMixture"} <= set(
        KNOWN
    )
    for name in set(KNOWN) - {"SpectralBiclustering", "SpectralCoclustering"}:
        assert clusterer_text(name) == f"{name}()"


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        (
            "GausianMixture",
            UnknownNameError,
            "no clusterer named 'GausianMixture'; did you mean 'GaussianMixture'",
        ),
        ("nowhere.Kmeans()", UnknownNameError, "no clusterer named 'nowhere.Kmeans'"),
        ("KMeans(k=3)", DataError, "unexpected keyword argument 'k'"),
        ("KMeans(3)", DataError, "parameters must be given by name"),
        ("KMeans(n_init=open('x'))", DataError, "must be written as in GaussianMixture"),
        ("sklearn.linear_model.LinearRegression()", DataError, "derives from scikit-learn's ClusterMixin"),
        ("KMeans(", DataError, "must be written as in GaussianMixture"),
        (KMeans, DataError, "must be a scikit-learn clusterer, or the text of one; got <class"),
        (3, DataError, "must be a scikit-learn clusterer, or the text of one; got 3"),
        (KMeans(init=np.zeros((3, 2))), DataError, "parameters that are plain values"),
        (type("Local", (KMeans,), {})(), DataError, "a class that can be imported"),
    ],
)
def test_what_no_text_can_hold_is_refused_in_one_line(estimator, error, message):
    with pytest.raises(error, match=message) as caught:
        clusterer_text(estimator)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("call", ["os.mkdir(path='{}')", "subprocess.Popen(args=['true'])"])
def test_nothing_but_a_clusterer_is_called(call, tmp_path):
    with pytest.raises(DataError, match="ClusterMixin"):
        clusterer_from_text(call.format(tmp_path / "made"))
    assert not (tmp_path / "made").exists()
