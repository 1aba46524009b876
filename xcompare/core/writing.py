"""Atomic writing of files: under a temporary name, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from xcompare.core.errors import OutputError


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """Context with a temporary file to write, which replaces ``path`` on success.

    ``path``: the target; an existing file stays unchanged until the new one is complete.

    Yields
    ------
    Path
        Temporary file in the same folder, with the same suffix.

    Raises
    ------
    OutputError
        The file cannot be written, e.g. because the disk is full. No temporary file remains.

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
    # Some writers choose the format by the suffix. The process id makes the name unique.
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
    """Write text atomically, in UTF-8."""
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", errors="backslashreplace")
