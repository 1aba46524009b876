"""Files that are there whole or not at all: written under a temporary name, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from xcompare.core.errors import OutputError


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """Context that gives the file to write in place of ``path``; it takes that name once all went well.

    Parameters
    ----------
    path : str or Path
        The file to be; one that is there stays as it is until the new one is whole.

    Yields
    ------
    Path
        A file of another name with the same suffix, in the same folder.

    Raises
    ------
    OutputError
        Where the system refuses: a full disk, a folder that is gone. Nothing is left behind.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "a.txt")) as unfinished:
    ...         _ = unfinished.write_text("whole")
    ...     Path(folder, "a.txt").read_text()
    'whole'
    """
    target = Path(path)
    # The suffix stays, as some writers choose the format by it; the process makes the name its own.
    unfinished = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    try:
        yield unfinished
        unfinished.replace(target)
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            unfinished.unlink()


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a text in UTF-8, whole or not at all.

    Raises
    ------
    OutputError
    """
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", errors="backslashreplace")
