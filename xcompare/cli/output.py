"""The folder a command writes to, and the run store in it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from xcompare.core.errors import DataError, XCompareError


@contextmanager
def store_in(folder: Path, *, fresh: bool) -> Iterator[Path]:
    """The run store of a folder, which is made when missing; if the run is refused, all is as it was.

    ``fresh`` starts another store and keeps the one there was, with its date in its name.
    """
    from xcompare.harness.store import STORE  # after the data are read: it imports all methods

    made = _make(folder)
    store = folder / STORE
    aside = _set_aside(store) if fresh and store.exists() else None
    try:
        yield store
    except XCompareError:
        with suppress(OSError):  # the folder may be gone, or no longer empty
            if aside is not None and not store.exists():
                aside.rename(store)
            for path in made:
                path.rmdir()
        raise


def _make(folder: Path) -> list[Path]:
    """Make a folder and those above it; the ones that were not there, the innermost first."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder {folder} (--out): {error.strerror}") from None
    return new


def _set_aside(store: Path) -> Path:
    """Rename a run store after its date; a file that is no run store is refused."""
    from xcompare import list_runs

    list_runs(store)
    date = datetime.fromtimestamp(store.stat().st_mtime)
    return store.rename(store.with_name(f"run.{date:%Y%m%d-%H%M%S-%f}.sqlite"))
