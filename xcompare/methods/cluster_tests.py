"""The tests behind the answer as a registry row, for the harness; not an importance method."""

from collections.abc import Sequence

import numpy as np

from xcompare.core.features import Feature
from xcompare.inference.existence import ClusterTests, cluster_tests
from xcompare.methods.base import PYTHON, SOFTWARE, Engine, Method, Scores, checked_p_values


def _cluster_tests(
    X: np.ndarray,
    n_clusters: int,
    *,
    features: Sequence[Feature] | None = None,
    random_state: int | None = None,
    engine: Engine = "python",
) -> Scores:
    """p-values of the features as scores, p-values of the data as a whole as numbers."""
    found = cluster_tests(X, n_clusters, random_state or 0, features=features)
    return Scores(
        found.p_associated,
        SOFTWARE,
        variants={"modes": found.p_modes},
        numbers={
            "p_clusters": np.array([found.p_clusters]),
            "autocorrelation": np.array([found.autocorrelation]),
            "binary": np.array([float(found.binary)]),
        },
    )


def tests_in(scores: Scores) -> ClusterTests:
    """The tests, from the result of a run."""
    numbers = scores.numbers
    [p_clusters] = checked_p_values(numbers["p_clusters"])
    [autocorrelation], [binary] = numbers["autocorrelation"], numbers["binary"]
    return ClusterTests(
        float(p_clusters),
        checked_p_values(scores.scores),
        checked_p_values(scores.variants["modes"]),
        float(autocorrelation),
        bool(binary),
    )


CLUSTER_TESTS = Method(
    name="cluster_tests",
    tables="native",
    takes_weights=True,
    title="Are there clusters?",
    run=_cluster_tests,
    larger_is_better=False,
    normalization="none",
    reference="tests on rows that were not used to find the clusters; xcompare",
    engines=PYTHON,
    kind="tests",
)
