"""Points as near to one centre as to another: the first is taken, whatever a processor's rounding says."""

import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from xcompare.bagging.kmeans.assign import Points
from xcompare.bagging.kmeans.centers import best_run, nearest_center, nearest_of_many
from xcompare.bagging.kmeans.hamerly import hamerly_kmeans
from xcompare.bagging.kmeans.lloyd import kmeans, random_initializations

# Whole numbers of these are rounded, so that ties are none.
UNITS = st.sampled_from([0.1, 1 / 3, np.pi, 1e-7, 1e5 / 7])

FIT = """
import json, sys, warnings
import numpy as np
from xcompare import BaggedClustering
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
found = []
# Initializations stacked, and one after the other.
for n, resamplings in ((200, ("basic", "efron", "bbc")), (6_000, ("efron",))):
    X = (rng.random((n, 8)) < 0.5).astype(float)
    X[: n // 2, :3] = rng.random((n // 2, 3)) < 0.85
    for resampling in resamplings:
        model = BaggedClustering(3, resampling=resampling, n_replicas=4, n_init=3, random_state=0).fit(X)
        arrays = model.replica_labels_, model.labels_, model.feature_importances_
        found.append([array.tolist() for array in arrays])
json.dump(found, sys.stdout)
"""


def whole_numbers(seed, n_features, n_clusters, n=60):
    """Points with few values, and points among them as centres; the nearest of these, the first of equals."""
    rng = np.random.default_rng(seed)
    points = rng.integers(-2, 3, size=(n_features, n))
    centers = points.T[rng.choice(n, n_clusters, replace=False)]
    nearest = ((points.T[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    return points, centers, nearest


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(2, 6), UNITS, st.sampled_from([0.0, 1.0, 30.0])
)
def test_the_first_of_equally_near_centres_is_taken(seed, n_features, n_clusters, unit, offset):
    points, centers, nearest = whole_numbers(seed, n_features, n_clusters)
    points, centers = points * unit + offset * unit, centers * unit + offset * unit
    np.testing.assert_array_equal(nearest_center(points, centers[None])[0][0], nearest)
    np.testing.assert_array_equal(nearest_of_many(points, np.arange(n_features), centers), nearest)
    np.testing.assert_array_equal(Points.of(points).nearest(centers)[0], nearest)


@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.integers(2, 4), UNITS)
def test_neither_the_order_of_features_nor_the_way_changes_what_is_found(seed, n_features, n_clusters, unit):
    rng = np.random.default_rng(seed)
    points = rng.integers(2, size=(n_features, 80)) * unit
    counts = rng.integers(3, size=80)
    starts = random_initializations(points, counts, n_clusters, 4, rng)
    order = rng.permutation(n_features)
    found = kmeans(points[None], counts[None], starts[None])[0]
    others = kmeans(points[order][None], counts[None], starts[None][..., order])[0]
    np.testing.assert_allclose(others, found[:, order], atol=1e-9 * unit)
    by_few = hamerly_kmeans(points, None, counts, starts).centers
    np.testing.assert_allclose(by_few, found, atol=1e-9 * unit)


def test_the_first_of_equally_good_runs_is_taken():
    # Two features that can change places: a run that splits by the one is as good as one by the other.
    x = np.array([[0, 0, 1, 1], [0, 1, 0, 1]]) * 0.1
    by_first, by_second = np.array([[0.0, 0.05], [0.1, 0.05]]), np.array([[0.05, 0.0], [0.05, 0.1]])
    nudged = by_second * (1 - 1e-15)
    for runs in ([by_first, by_second], [by_second, by_first], [by_first, nudged], [nudged, by_first]):
        score = nearest_center(x[None], np.stack(runs)[None])[1]
        assert best_run(x[None], np.ones((1, 4)), score) == [0]
    worse = np.array([[0.0, 0.0], [0.1, 0.1]])
    score = nearest_center(x[None], np.stack([worse, by_first])[None])[1]
    assert best_run(x[None], np.ones((1, 4)), score) == [1]


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64")
    or not any(library["internal_api"] == "openblas" for library in threadpool_info()),
    reason="no OpenBLAS that can do as on an older processor",
)
def test_another_processor_finds_the_same():
    found = []
    for processor in ({}, {"OPENBLAS_CORETYPE": "Nehalem"}):
        run = subprocess.run(
            [sys.executable, "-c", FIT],
            env=os.environ | processor,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(json.loads(run.stdout))
    for here, there in zip(*found, strict=True):
        assert here[:2] == there[:2]
        np.testing.assert_allclose(here[2], there[2], atol=1e-9)
