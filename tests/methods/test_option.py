"""Options of methods: declared once, checked before anything runs, printed by ``xcompare methods NAME``."""

import inspect

import numpy as np
import pytest

import xcompare
from xcompare.core.errors import DataError
from xcompare.methods import MEASURES, METHODS
from xcompare.methods.option import Option

ROWS = {**METHODS, **MEASURES}


@pytest.mark.parametrize("name", ROWS)
def test_options_are_arguments_whose_defaults_are_allowed(name):
    row = ROWS[name]
    assert set(row.options) <= set(inspect.signature(row.run).parameters)
    for option in row.options.values():
        option.check(row.default_of(option.name))


@pytest.mark.parametrize(
    ("option", "allowed", "refused"),
    [
        (Option("n", "", least=1), [1, np.int64(3)], [0, 1.0, True, "1", None, np.nan]),
        (Option("n", "", least=1, choices=("auto",)), [1, "auto"], ["none", 0]),
        (Option("t", "", "number", 0), [0, 0.5, np.inf, np.float32(2)], [-1, np.nan, "0", None, True]),
        (Option("q", "", "number", 0, 1, or_none=True), [0, 1, None], [1.1, [1]]),
        (Option("how", "", "choice", choices=("a", "b")), ["a"], ["c", 1, None]),
        (Option("rows", "", "flag"), [True, False], [0, "yes", None]),
        (Option("ks", "", "list"), [[1], (1,), np.arange(2)], [1, None]),
    ],
    ids=lambda value: value.allowed if isinstance(value, Option) else "",
)
def test_what_is_allowed(option, allowed, refused):
    for value in allowed:
        option.check(value)
    for value in refused:
        with pytest.raises(DataError, match=f"{option.name} must be "):
            option.check(value)


def test_wrong_values_are_refused_before_anything_runs():
    iris = xcompare.load_dataset("iris")
    with pytest.raises(DataError, match="n_trees must be an integer >= 1; got 0"):
        xcompare.compare(iris, methods="urf_gini", options={"n_trees": 0})
    with pytest.raises(DataError, match="protocol must be 'oob' or 'paper'; got 'published'"):
        xcompare.compare(iris, methods="urf_perm", options={"urf_perm": {"protocol": "published"}})
