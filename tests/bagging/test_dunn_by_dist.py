"""The native Dunn index is that of the full distance matrix in R, on data that invite trouble."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from xcompare import rbridge
from xcompare.bagging.dunn.index import dunn_index, dunn_indices

pytestmark = pytest.mark.r
SCRIPT = Path(__file__).parents[1] / "data" / "r" / "oracles.R"


def assert_same(X, labels, rtol=1e-12):
    theirs = rbridge.call("dist_dunn", {"x": X, "labels": labels}, script=SCRIPT).values["dunn"][0]
    codes = np.unique(labels, return_inverse=True)[1]
    everything = np.ones((1, X.shape[1]), dtype=bool)
    for found in (dunn_index(X, labels), *dunn_indices(X.T, codes[None], everything, [None])):
        assert found == pytest.approx(theirs, rel=rtol, abs=0)


def degenerate():
    """Data and labels by name."""
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 4)), rng.integers(3, size=60)
    return {
        "random labels": (X, labels),
        "one cluster": (X, np.zeros(60, dtype=int)),
        "singletons": (X, np.arange(60)),
        "a singleton": (X, (np.arange(60) == 7).astype(int)),
        "two points": (X[:2], np.array([0, 1])),
        "two equal points, together": (X[[0, 0, 1]], np.array([0, 0, 1])),
        "each cluster a repeated point": (np.repeat(X[:3], 5, axis=0), np.repeat([0, 1, 2], 5)),
        "clusters share a point": (np.vstack([X, X[:1]]), np.r_[np.zeros(60, dtype=int), 1]),
        "constant features": (np.column_stack([X[:, 0], np.full(60, 3.0), np.zeros(60)]), labels),
        "a line": (np.outer(np.arange(60.0), [1, 2, 3, 4]), labels),
        "grid with ties": (np.indices((6, 5)).reshape(2, -1).T.astype(float), np.arange(30) % 4),
        "far from zero": (X + 1e6, labels),
        "very small": (X * 1e-9, labels),
        "very large": (X * 1e9, labels),
        "one feature": (X[:, :1], labels),
        "nearest centres": (np.r_[X, X + 9], np.repeat([0, 1], 60)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", degenerate())
def test_degenerate_data(name):
    assert_same(*degenerate()[name])


@pytest.mark.parametrize(
    ("X", "labels"),
    [(np.zeros((2, 3)), np.array([0, 1])), (np.ones((6, 3)), np.array([0, 0, 1, 1, 2, 2]))],
    ids=["two equal points", "all equal"],
)
def test_clusters_without_extent_that_share_a_point(X, labels):
    assert_same(X, labels)


@pytest.mark.slow
@given(st.data())
def test_any_points_on_a_grid(data):
    n = data.draw(st.integers(2, 25))
    X = data.draw(arrays(float, (n, data.draw(st.integers(1, 3))), elements=st.integers(-3, 3)))
    labels = data.draw(arrays(int, n, elements=st.integers(0, 3)))
    extent = max(np.ptp(X[labels == k], axis=0).max() for k in np.unique(labels))
    shared = len(np.unique(np.column_stack([X, labels]), axis=0)) > len(np.unique(X, axis=0))
    assume(extent > 0 or not shared)  # the test above is about those
    assert_same(X, labels)
