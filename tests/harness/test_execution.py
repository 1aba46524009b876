"""Settings of a run are checked in one place for all callers."""

import pytest

import xcompare
from xcompare.core.errors import DataError
from xcompare.harness.execution import Execution

WRONG = [
    ({"n_jobs": 0}, "n_jobs must be a whole number other than 0, or None for every core; got 0"),
    ({"n_jobs": 1.5}, "n_jobs must be a whole number"),
    ({"timeout": 0}, "timeout must be a positive number of seconds, or None; got 0"),
    ({"timeout": float("nan")}, "timeout must be a positive number"),
    ({"timeout": "60"}, "timeout must be a positive number"),
    ({"store": 3}, "store must be the path of a run store, or None; got 3"),
    ({"progress": "yes"}, "progress must be a bool or a function; got 'yes'"),
    ({"scheduler": 8786}, "scheduler must be the address of a Dask scheduler, or None; got 8786"),
]


@pytest.mark.parametrize(("setting", "message"), WRONG)
def test_wrong_settings_are_refused(setting, message):
    with pytest.raises(DataError, match=message):
        Execution(**setting)


def test_every_public_function_that_runs_methods_checks_them():
    iris = xcompare.load_dataset("iris")
    for run in (
        lambda: xcompare.compare(iris, n_jobs=0),
        lambda: xcompare.sweep(iris, max_features=[2], n_jobs=0),
        lambda: xcompare.reproduce("wine", n_jobs=0),
    ):
        with pytest.raises(DataError, match="n_jobs must be a whole number other than 0"):
            run()
