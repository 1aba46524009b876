"""The tests as rows that the harness runs."""

import numpy as np
import pytest

from xcompare.methods._hypotheses import TESTS


@pytest.mark.parametrize("name", TESTS)
def test_one_number_per_feature_and_the_same_again(name, X):
    first, again = (TESTS[name].run(X, 2, random_state=3, engine="python").scores for _ in range(2))
    assert first.shape == (4,)
    np.testing.assert_array_equal(first, again)


def test_draws_come_as_variants(X):
    found = TESTS["one_gaussian"].run(X, 2, random_state=3, engine="python", n_draws=3)
    assert len(found.variants) == 3
    np.testing.assert_allclose(found.scores, np.mean(list(found.variants.values()), axis=0))
