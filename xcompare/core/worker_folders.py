"""Where worker processes keep their temporary files, and who removes them.

Each worker has a folder, and all of them lie in one: the home, which belongs to the process that started
it all. When a process is killed together with its workers, none of which can clear up then, that first
process still can; when it is killed itself, the last worker to notice does.
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
    """The home as one process knows it."""

    def __init__(self, path: Path) -> None:
        self.path, self.user = path, os.getpid()


_home: _Home | None = None


def home() -> Path:
    """The folder of this process's workers, removed when the process ends; only a worker makes it."""
    global _home
    if _home is None or _home.user != os.getpid():  # a forked process has one of its own
        _home = _Home(Path(tempfile.gettempdir(), f"{PREFIX}{secrets.token_hex(8)}"))
        # Finalizers run from the last made to the first: workers end before their home goes.
        weakref.finalize(_home, _remove_home, _home.path, os.getpid())
    return _home.path


def live_in(path: str | Path) -> None:
    """Let the workers of this process live in the home of the process that started it."""
    global _home
    if _home is None or _home.user != os.getpid():
        _home = _Home(Path(path))


def make() -> Path:
    """A folder for a worker of this process."""
    for attempt in range(3):
        home().mkdir(mode=0o700, exist_ok=True)
        try:
            return Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=home()))
        except FileNotFoundError:  # the home went in this very moment
            if attempt == 2:
                raise
    raise AssertionError


def remove(folder: Path, *, orphaned: bool = False) -> None:
    """Remove a worker's folder; an orphan also removes the home, when nobody else lives there."""
    if not folder.parent.name.startswith(PREFIX):  # nothing else may ever be removed
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
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _remove_home(path: Path, owner: int) -> None:
    if owner == os.getpid():
        shutil.rmtree(path, ignore_errors=True)
