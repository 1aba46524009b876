"""The data in a file that workers read themselves."""

import re

import numpy as np
import pytest

import xcompare
from xcompare.core.errors import DataError
from xcompare.harness.data_file import DataFile

X = np.random.default_rng(0).normal(size=(20, 3))


def test_it_is_written_once_and_read_as_it_was(tmp_path):
    file = DataFile.write(X, tmp_path)
    [path] = tmp_path.iterdir()
    before = path.stat()
    assert DataFile.write(X, tmp_path) == file
    assert path.stat() == before
    np.testing.assert_array_equal(file.read(), X)
    assert not file.read().flags.writeable
    assert len(file) == 20


def test_a_worker_without_the_file_or_with_another_says_so(tmp_path):
    file = DataFile.write(X, tmp_path)
    np.save(file.path, X + 1)
    with pytest.raises(DataError, match=re.escape(f"{file.path} holds other data")):
        file.read()
    tmp_path.joinpath(file.path).unlink()
    with pytest.raises(DataError, match="must be a folder that all workers see"):
        file.read()


@pytest.mark.parametrize("place", [{}, {"scheduler": "tcp://127.0.0.1:9"}])
def test_it_needs_a_scheduler_and_a_folder_that_exists(tmp_path, place):
    folder = tmp_path if not place else tmp_path / "nowhere"
    with pytest.raises(DataError, match="data_on_workers must be an existing folder"):
        xcompare.compare(X, 2, methods="ls", data_on_workers=folder, **place)
