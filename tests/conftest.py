"""What all tests share: small data, fake methods, and what tests marked ``r`` do without R."""

import os

import numpy as np
import pytest

from tests.fakes import FOLDER, fake
from xcompare import rbridge
from xcompare.methods import METHODS


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("r") is None:
        return
    reason = rbridge.why_unavailable()
    if reason is None:
        return
    if os.environ.get("XCOMPARE_REQUIRE_R") == "1":
        pytest.fail(f"XCOMPARE_REQUIRE_R=1, but {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture
def X():
    """Two clusters in the first two of four features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    X[:30, :2] += 6
    return X


@pytest.fixture
def register(monkeypatch):
    """Put fake methods into the registry."""

    def register(*runs, **fields):
        for run in runs:
            row = fake(run, **fields)
            monkeypatch.setitem(METHODS, row.name, row)

    return register


@pytest.fixture
def traces(tmp_path, monkeypatch):
    """Folder where fakes registered from here on leave their traces."""
    folder = tmp_path / "traces"
    folder.mkdir()
    monkeypatch.setenv(FOLDER, str(folder))
    return folder
