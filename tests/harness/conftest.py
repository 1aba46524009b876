"""Small data, and a way to put fake methods into the registry for one test."""

import numpy as np
import pytest
from harness_fakes import FOLDER, fake

from xcompare.methods import METHODS


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
