"""Temporary folders of worker processes, and their removal.

Each worker has a folder inside a common one, the home, which belongs to the process that started all of
them. If a process is killed together with its workers, that first process removes their folders; if it is
killed itself, the last worker does.
"""

import contextlib
import os
import secrets
import shutil
import tempfile
import weakref
from pathlib import Path

PREFIX = "xcompare-workers-"


class _Home:
    """The home folder, as seen by one process."""

    def __init__(self, path: Path) -> None:
        self.path, self.user = path, os.getpid()


_home: _Home | None = None


def home() -> Path:
    """Home folder of this process's workers, removed when the process ends; created by the first worker."""
    global _home
    if _home is None or _home.user != os.getpid():  # a forked process has one of its own
        _home = _Home(Path(tempfile.gettempdir(), f"{PREFIX}{secrets.token_hex(8)}"))
        # Finalizers run in reverse order of creation: workers end before their home is removed.
        weakref.finalize(_home, _remove_home, _home.path, os.getpid())
    return _home.path


def live_in(path: str | Path) -> None:
    """Place the workers of this process in the home of the process that started it."""
    global _home
    if _home is None or _home.user != os.getpid():
        _home = _Home(Path(path))


def make() -> Path:
    """A folder for a worker of this process."""
    while True:
        home().mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # the home was removed in between
            return Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=home()))


def remove(folder: Path, *, orphaned: bool = False) -> None:
    """Remove a worker's folder; an orphan also removes the home if it is empty."""
    if not folder.parent.name.startswith(PREFIX):  # never remove anything else
        return
    shutil.rmtree(folder, ignore_errors=True)
    if orphaned:
        with contextlib.suppress(OSError):
            folder.parent.rmdir()


def clear_up() -> None:
    """Remove the folders of workers whose owners were killed."""
    if _home is None or _home.user != os.getpid():
        return
    for folder in _home.path.glob("*-*"):
        owner = folder.name.split("-")[0]
        if owner.isdecimal() and not _exists(int(owner)):
            remove(folder)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def _remove_home(path: Path, owner: int) -> None:
    if owner == os.getpid():
        shutil.rmtree(path, ignore_errors=True)
