"""What rows and results of methods have in common."""

import numpy as np
import pytest

from xcompare.core.errors import UnknownNameError
from xcompare.methods import METHODS, Method
from xcompare.methods.base import labels_from_r


def test_labels_of_r_count_from_0_here():
    labels = labels_from_r(np.array([2, 1, 3], dtype=np.int32))
    assert labels.tolist() == [1, 0, 2]
    assert labels.dtype == np.intp


@pytest.mark.parametrize("wrong", [np.nan, 0, -1, 1.5])
def test_labels_that_are_none_do_not_pass(wrong):
    with pytest.raises(ValueError, match=r"labels from R must be .* from 1; got \S+ in 1 of 3 rows"):
        labels_from_r(np.array([1, wrong, 2]))


def test_families_of_methods_and_of_ones_own():
    assert METHODS["urf_gini"].family == METHODS["urf_perm"].family == "forest"


def test_an_unknown_normalisation_is_refused():
    with pytest.raises(
        UnknownNameError, match="normalization of mine must be one of max, minmax, none; got 'sum'"
    ):
        Method("mine", "Mine", print, larger_is_better=True, normalization="sum", reference="none")
