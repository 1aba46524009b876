"""What may stand in place of the Dunn index."""

import numpy as np
import pytest

from xcompare.bagging.replica_weights import quality_of


def test_silhouette_below_zero_counts_as_zero():
    X, labels = np.array([[0.0], [10.0], [0.1], [10.1]]), np.array([0, 0, 1, 1])
    assert quality_of("silhouette", X, labels) == 0.0
    assert quality_of("silhouette", X, np.array([0, 1, 0, 1])) > 0.9


def test_a_quality_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="finite number"):
        quality_of(lambda X, labels: np.nan, np.zeros((2, 1)), np.array([0, 1]))
