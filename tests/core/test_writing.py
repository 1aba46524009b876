"""Files that are there whole or not at all."""

import resource

import pytest

from xcompare.core.errors import OutputError
from xcompare.core.writing import replacing, write_text


def test_a_file_appears_when_it_is_whole(tmp_path):
    file = tmp_path / "a.csv"
    with replacing(file) as unfinished:
        unfinished.write_text("half")
        assert not file.exists()
        assert unfinished.suffix == ".csv"
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_error_leaves_what_was_there(tmp_path, error):
    file = tmp_path / "a.csv"
    file.write_text("old")

    def write():
        with replacing(file) as unfinished:
            unfinished.write_text("new, but not whole")
            raise error

    with pytest.raises(OutputError if isinstance(error, OSError) else error):
        write()
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert file.read_text() == "old"


def test_no_room(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OutputError, match=r"cannot write .*long\.txt: File too large$"):
            write_text(tmp_path / "long.txt", "x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_no_folder(tmp_path):
    with pytest.raises(OutputError, match=r"^cannot write .*gone/a\.txt: No such file or directory$"):
        write_text(tmp_path / "gone" / "a.txt", "x")


def test_text_that_no_encoding_has_is_written_all_the_same(tmp_path):
    write_text(tmp_path / "a.txt", "größe \udc80")
    assert (tmp_path / "a.txt").read_bytes() == b"gr\xc3\xb6\xc3\x9fe \\udc80"
