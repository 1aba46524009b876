"""What the Dask backend needs of joblib beyond its public interface is there, and within the stated bound."""

import inspect
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from joblib._dask import DaskDistributedBackend

from xcompare.harness.dask_backend import DaskBackend


def test_joblib_is_within_the_bound():
    """A new minor version of joblib may move what is private."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    [bound] = [line for line in project["project"]["dependencies"] if line.startswith("joblib")]
    least, below = (
        tuple(map(int, re.search(rf"{sign}(\d+)\.(\d+)", bound).groups())) for sign in (">=", "<")
    )
    found = tuple(map(int, version("joblib").split(".")[:2]))
    assert least <= found < below


def test_joblib_submits_with_a_callback_and_gives_a_future():
    assert list(inspect.signature(DaskDistributedBackend.submit).parameters) == ["self", "func", "callback"]
    assert "Future()" in inspect.getsource(DaskDistributedBackend.submit)
    assert issubclass(DaskBackend, DaskDistributedBackend)


def test_a_broken_pool_is_told_by_the_standard_librarys_error():
    """So that nothing of loky, which joblib keeps inside, has to be imported."""
    from concurrent.futures.process import BrokenProcessPool

    from joblib.externals.loky.process_executor import TerminatedWorkerError

    assert issubclass(TerminatedWorkerError, BrokenProcessPool)
