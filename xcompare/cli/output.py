"""The output folder of a command, and its run store."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import typer

from xcompare.cli.console import Status, complain
from xcompare.core.errors import DataError, XCompareError


@contextmanager
def store_in(folder: Path, *, fresh: bool, n_comparisons: int | None = 1) -> Iterator[Path]:
    """The run store of a folder, created if missing; changes are undone if the run raises `XCompareError`.

    ``fresh`` starts a new store and renames the existing one by its date. Ctrl-C reports how many runs of the
    latest ``n_comparisons`` are saved; None: of all.
    """
    from xcompare import list_runs
    from xcompare.harness.store import STORE  # slow: imports all methods

    made = _make(folder)
    store = folder / STORE
    aside = _set_aside(store) if fresh and store.exists() else None
    try:
        yield store
    except KeyboardInterrupt:
        if not store.exists():
            complain("stopped before anything ran")
        else:
            latest = list_runs(store).iloc[:n_comparisons]
            kept = f"{latest['done'].sum()} of {latest['units'].sum()} runs are saved in {store}"
            complain(f"stopped; {kept}; repeat the command to continue")
        raise typer.Exit(Status.INTERRUPTED) from None
    except XCompareError:
        with suppress(OSError):  # the folder may be removed or not empty
            if aside is not None and not store.exists():
                aside.rename(store)
            for path in made:
                path.rmdir()
        raise


def _make(folder: Path) -> list[Path]:
    """Create a folder with its parents; return the new ones, innermost first."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot create the folder {folder} (--out): {error.strerror}") from None
    return new


def _set_aside(store: Path) -> Path:
    """Rename a run store by its date; raise if the file is not a run store."""
    from xcompare import list_runs

    list_runs(store)
    date = datetime.fromtimestamp(store.stat().st_mtime)
    return store.rename(store.with_name(f"run.{date:%Y%m%d-%H%M%S-%f}.sqlite"))
