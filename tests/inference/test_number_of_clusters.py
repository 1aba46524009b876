"""How many clusters: known numbers, skewed and unequal clusters, and what is said."""

import numpy as np
import pytest

from xcompare.core.errors import DataError
from xcompare.inference.number_of_clusters import Choice, count_clusters, p_text, tried


def clusters(rng, k, shape="normal", n=50, apart=7.0):
    centers = apart * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [2, 1]])[:k]
    draw = {"normal": rng.normal, "skewed": lambda size: rng.gamma(2.0, 0.7, size)}[shape]
    X = np.vstack([draw(size=(n, 2)) + center for center in centers])
    return np.hstack([X, rng.normal(size=(len(X), 3))])


@pytest.mark.parametrize(
    ("k", "shape"), [(2, "normal"), (3, "skewed"), (4, "normal"), (5, "skewed"), (6, "normal")]
)
def test_numbers_that_are_known(k, shape):
    choice = count_clusters(clusters(np.random.default_rng(k), k, shape), seed=0)
    assert choice.best == k
    assert 0 in choice.features


@pytest.mark.parametrize("kind", ["normal", "exponential"])
def test_one_cluster(kind):
    X = getattr(np.random.default_rng(0), kind)(size=(120, 4))
    choice = count_clusters(X, seed=0)
    assert choice.best == 1
    assert choice.answer.startswith("One cluster: no evidence of more (p")


def choice(gaps, bics, p_clusters=0.01):
    return Choice(
        np.arange(2, 2 + len(gaps)), np.array(gaps), np.array(bics, float), p_clusters, np.arange(2)
    )


def test_the_rule():
    assert choice([2.0, 3.0, 0.5], [500, 400, 100]).above_one == 3  # 4 clusters are not all separated
    assert choice([2.0, 3.0, 1.5], [500, 400, 410]).above_one == 3  # as good, and deeper
    assert choice([0.0, 0.2, 0.1], [500, 400, 300]).above_one == 2  # nothing is separated
    assert choice([2.0, 3.0], [500, 400], 0.2).best == 1


def test_p_values_are_printed_as_people_do():
    assert [p_text(p) for p in (0.0, 0.0042, 0.051, 0.5, 0.999)] == [
        "p < .001", "p = .004", "p = .05", "p = .50", "p = 1",
    ]  # fmt: skip


def test_few_rows():
    assert tried(5) == range(2, 5)
    with pytest.raises(DataError, match="needs at least 3 rows; got 2"):
        count_clusters(np.zeros((2, 2)), 0)
    with pytest.raises(DataError, match="needs features that vary; got none"):
        count_clusters(np.zeros((20, 0)), 0)
