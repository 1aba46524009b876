"""A few very large values neither hide a feature nor decide what the clusters are."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from xcompare import BaggedClustering, RefinedClustering
from xcompare.bagging import kde_entropy, mutual_information

N = 1200
GROUPS = np.repeat([0, 1, 2], N // 3)


@pytest.fixture(scope="module")
def customers():
    """Baskets (log-normal), visits and age make three groups; three columns are noise."""
    rng = np.random.default_rng(3)
    basket = np.exp(rng.normal(np.array([2.0, 3.2, 4.4])[GROUPS], 0.25))
    visits = rng.normal(np.array([0.0, 4.0, 8.0])[GROUPS])
    age = rng.normal(np.array([0.0, 0.0, 5.0])[GROUPS])
    return np.column_stack([basket, visits, age, rng.normal(size=(N, 3))])


def heavy(X, values=(1e4, 2e4, 2.5e4, 3e4, 5e4)):
    """The same with a few very large baskets, in the first rows."""
    X = X.copy()
    X[: len(values), 0] = values
    return X


def fit(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)


@pytest.mark.parametrize(
    "model",
    [
        BaggedClustering(3, resampling="basic", n_replicas=20, n_init=3, random_state=0),
        BaggedClustering(3, n_replicas=20, n_init=3, random_state=0),
        RefinedClustering(3, rounds=3, n_replicas=20, random_state=0),
    ],
    ids=["basic", "efron", "refined"],
)
@pytest.mark.parametrize("values", [(1e4, 2e4, 2.5e4, 3e4, 5e4), (1e6,)], ids=["five baskets", "a million"])
def test_the_importances_are_those_of_the_clipped_column(model, values, customers):
    X = heavy(customers, values)
    clipped = X.copy()
    clipped[:, 0] = np.minimum(X[:, 0], np.quantile(X[:, 0], 0.99))
    expected, found = fit(clone(model), clipped), fit(model, X)
    np.testing.assert_allclose(found.feature_importances_, expected.feature_importances_, atol=0.06)
    assert adjusted_rand_score(expected.labels_, found.labels_) > 0.9
    np.testing.assert_array_equal(found.predict(X), found.labels_)


def test_information_does_not_follow_a_few_values(customers):
    clean, far = (mutual_information(X[:, :1], GROUPS)[0] for X in (customers, heavy(customers)))
    assert far == pytest.approx(clean, abs=0.05)  # five rows of 400 did move


def test_the_published_estimate_does(customers):
    x = heavy(customers)[:, 0]
    within = sum(np.mean(k == GROUPS) * kde_entropy(x[k == GROUPS]) for k in range(3))
    assert mutual_information(x[:, None], GROUPS, "kde")[0] == pytest.approx(kde_entropy(x) - within)


def test_a_narrow_cluster_with_a_far_member_has_a_density():
    """Between the points of R's grid, it would seem to weigh thousands of times what it does."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1e-5, 99), [3.0], rng.normal(3, 1, 100)])
    labels = np.repeat([0, 1], 100)
    assert mutual_information(x[:, None], labels, "kde")[0] > 1000
    assert mutual_information(x[:, None], labels)[0] < 5


@pytest.mark.parametrize("model", [BaggedClustering(), RefinedClustering()])
def test_other_words_for_standardising_are_refused(model, customers):
    with pytest.raises(ValueError, match=r"standardize must be one of robust, sd, rank; got True"):
        model.set_params(standardize=True).fit(customers)
