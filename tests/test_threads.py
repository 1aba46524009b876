"""Workers, and what they keep between tasks."""

from pathlib import Path

import numpy as np
import pytest
from joblib import delayed

from xcompare import threads
from xcompare.threads import OWNED, own, workers


@pytest.fixture(autouse=True)
def nothing_is_owned(monkeypatch):
    monkeypatch.setattr(threads, "_owned", {})


def mapped(path, values=None):
    """An array in a file, written if there are values, and mapped as joblib does it for a task."""
    if values is not None:
        np.save(path, values)
    return np.load(path, mmap_mode="r")


def test_a_mapped_array_is_copied_once(tmp_path):
    values = np.arange(12.0).reshape(3, 4)
    first, again = mapped(tmp_path / "a.npy", values), mapped(tmp_path / "a.npy")
    copy = own(first)
    assert own(again) is copy
    assert type(copy) is np.ndarray
    np.testing.assert_array_equal(copy, values)
    assert not np.shares_memory(copy, first)


def test_files_are_told_apart_and_the_oldest_copies_go(tmp_path):
    arrays = [mapped(tmp_path / f"{i}.npy", np.full(5, i)) for i in range(OWNED + 1)]
    copies = [own(array) for array in arrays]
    for copy, array in zip(copies, arrays, strict=True):
        np.testing.assert_array_equal(copy, array)
    assert len(threads._owned) == OWNED
    assert own(arrays[-1]) is copies[-1]
    assert own(arrays[0]) is not copies[0]


def test_copies_for_another_fit_go(tmp_path):
    (tmp_path / "before").mkdir()
    (tmp_path / "now").mkdir()
    own(mapped(tmp_path / "before" / "a.npy", np.arange(3)))
    copies = [own(mapped(tmp_path / "now" / name, np.arange(4))) for name in ("a.npy", "b.npy")]
    assert [id(copy) for copy in threads._owned.values()] == [id(copy) for copy in copies]


def test_a_system_without_large_pages_will_do(tmp_path, monkeypatch):
    monkeypatch.delattr(threads.mmap, "MADV_HUGEPAGE", raising=False)
    values = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(own(mapped(tmp_path / "a.npy", values)), values, strict=True)


def test_all_else_is_used_where_it_is(tmp_path, monkeypatch):
    """What is in memory, or worked out from a mapped array, or in another order, or too large to copy."""
    array = mapped(tmp_path / "a.npy", np.arange(6.0))
    by_columns = mapped(tmp_path / "b.npy", np.asfortranarray(np.ones((3, 4))))
    for other in (np.arange(3), array + 1, by_columns):
        assert own(other) is other
    monkeypatch.setattr(threads, "OWNED_BYTES", array.nbytes - 1)
    assert own(array) is array


def folder_of(array):
    return Path(array.filename).parent


LARGE_ENOUGH_FOR_A_FILE = np.ones(2**18)


def test_files_of_workers_are_cleared_away_after_they_are_left(monkeypatch):
    started = []

    class Noted(threads.Thread):
        def start(self):
            started.append(self)
            super().start()

    monkeypatch.setattr(threads, "Thread", Noted)
    with workers(2) as parallel:
        [folder] = parallel([delayed(folder_of)(LARGE_ENOUGH_FOR_A_FILE)])
        assert folder.exists()
    [clearing] = started
    clearing.join(60)
    assert not folder.exists()
    with workers(2) as parallel:  # the next ones are not disturbed
        assert parallel(delayed(np.sum)(LARGE_ENOUGH_FOR_A_FILE) for _ in range(4)) == [2**18] * 4


def test_files_of_workers_are_gone_when_a_task_failed():
    folders = []

    def fail():
        with workers(2) as parallel:
            folders.extend(parallel([delayed(folder_of)(LARGE_ENOUGH_FOR_A_FILE)]))
            parallel([delayed(divmod)(1, 0)])

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not folders[0].exists()
