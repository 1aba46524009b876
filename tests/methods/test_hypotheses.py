"""The tests as rows that the harness runs."""

import numpy as np
import pytest

from xcompare.methods._hypotheses import MAX_ROWS, TESTS, _some_rows


@pytest.mark.parametrize("name", TESTS)
def test_one_number_per_feature_and_the_same_again(name, X):
    first, again = (TESTS[name].run(X, 2, random_state=3, engine="python").scores for _ in range(2))
    assert first.shape == (4,)
    np.testing.assert_array_equal(first, again)


def test_draws_come_as_variants(X):
    found = TESTS["one_gaussian"].run(X, 2, random_state=3, engine="python", n_draws=3)
    assert len(found.variants) == 3
    np.testing.assert_allclose(found.scores, np.mean(list(found.variants.values()), axis=0))


def test_of_many_rows_some_are_taken_and_rare_values_stay():
    X = np.random.default_rng(0).normal(size=(5000, 3))
    X[:, 2] = np.arange(5000) == 17
    some = _some_rows(X, np.random.default_rng(0))
    assert MAX_ROWS <= len(some) <= MAX_ROWS + 2
    assert np.ptp(some, axis=0).all()
    few = X[:100]
    assert _some_rows(few, np.random.default_rng(0)) is few
