"""Shared by the commands that run methods: reading data, the output folder with its run store, and output."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import typer

from xcompare.cli.console import Status, command_line, complain, out, print_json, remark
from xcompare.cli.option_groups import Output, Source
from xcompare.cli.options import Missing, number_or_auto
from xcompare.core.errors import DataError, XCompareError

if TYPE_CHECKING:
    import pandas as pd

    from xcompare.io.tables import DataTable
    from xcompare.results.result import Result

WARNINGS_SHOWN = 5


def read_data(
    data: str,
    source: Source,
    missing: Missing | None,
    seed: int,
    *,
    unlabelled: bool = False,
    sample: int | None = None,
) -> "DataTable":
    """Read the data given on the command line; a note says which part of the rows ``sample`` will draw."""
    from xcompare.io.tables import read_table

    gaps = None if missing == "resample" else missing
    table = read_table(data, **source.settings(), missing=gaps, seed=seed, unlabelled=unlabelled)
    if sample is None or sample >= len(table.X):
        return table
    note = f"random sample of {sample} of {len(table.X)} rows (seed {seed})"
    return replace(table, notes=(*table.notes, note))


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


def number_of_clusters(clusters: str | None, table: "DataTable") -> int | Literal["auto"]:
    """The number of clusters from ``--clusters``, or from the labels of the data."""
    found = table.n_clusters if clusters is None else number_or_auto("--clusters", clusters)
    if found is None:
        raise DataError(
            "number of clusters unknown: give --clusters K, --clusters auto to choose it, or --label COLUMN"
            " with known labels"
        )
    if isinstance(found, str):
        return found
    if found < 2 and clusters is None:
        raise DataError("the labels name one cluster; give --clusters K, or another column as --label")
    if found < 2:
        raise DataError(f"--clusters must be at least 2; got {found}")
    if clusters is None and 2 * found > len(table.X):
        raise DataError(
            f"the labels name {found} clusters of {len(table.X)} rows: is this the right column?"
            " Give --clusters K, or another column as --label"
        )
    return found


def deliver(
    found: "Result",
    context: typer.Context,
    store: Path,
    output: Output,
    *,
    show: Callable[[], None],
    notes: Sequence[str] = (),
    audience: Literal["summary", "full"] = "full",
) -> None:
    """Write a result beside its run store and print it, as text or JSON, with the list of files."""
    command = command_line(context)
    files = found.write(store.parent, figures=output.drawn(), command=command, notes=notes, audience=audience)
    if output.as_json:
        from xcompare.results.data_checks import all_notes

        said = found.to_dict()
        shown = {"notes": all_notes(notes, said.pop("notes", ())), "files": [str(file) for file in files]}
        print_json(said | shown)
    elif not output.quiet:
        show()
        remark(f"in {store.parent}: {', '.join(file.name for file in [*files, store])}")


def fail(message: str) -> NoReturn:
    """Exit with status 1 and this message."""
    complain(message)
    raise typer.Exit(Status.FAILED)


def fail_if_empty(found: Any, what: str) -> None:
    """Exit with status 1 if nothing has a score."""
    if found.table.isna().all(axis=None):
        fail(f"no {what} could run: {found.failures['message'].iloc[0]}")


def show_notes(given: Sequence[str], own: Sequence[str] = ()) -> None:
    """Print notes on how the data were read, and those of a result."""
    from xcompare.results.data_checks import all_notes

    for note in all_notes(given, own):
        remark(f"note: {note}")


def show_failures(failures: "pd.DataFrame") -> None:
    """Print failures, one line per message."""
    for (status, message), concerned in failures.groupby(["status", "message"], sort=False):
        out.print(f"{status}: {_methods(concerned)}: {message}", style="yellow", soft_wrap=True)


def show_warnings(warned: "pd.DataFrame") -> None:
    """Print the first few warnings, one line per message."""
    texts = list(warned.groupby("message", sort=False))
    for message, concerned in texts[:WARNINGS_SHOWN]:
        remark(f"warning: {_methods(concerned)}: {message}")
    if len(texts) > WARNINGS_SHOWN:
        remark(f"and {len(texts) - WARNINGS_SHOWN} more warnings (--json lists all)")


def _methods(concerned: "pd.DataFrame") -> str:
    """Methods with engine and number of runs, e.g. ``ls (r, 1 run), fgkm (r, 20 runs)``."""
    runs: Counter[tuple[str, str]] = Counter()
    for row in concerned.to_dict(orient="records"):
        runs[row["method"], row["engine"]] += row["runs"]
    return ", ".join(
        f"{method} ({engine}, {n} run{'s' if n > 1 else ''})" for (method, engine), n in runs.items()
    )
