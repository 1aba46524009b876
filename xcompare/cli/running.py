"""What the commands that run methods share: how they read the data, how they are stopped, how they end."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import typer

from xcompare.cli.console import command_line, complain, out, print_json, remark
from xcompare.cli.options import Missing, split_names
from xcompare.cli.status import Status
from xcompare.core.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from xcompare.io.tables import DataTable
    from xcompare.results.result import Result

WARNINGS_SHOWN = 5


def read_data(
    data: str,
    *,
    label: str | None,
    columns: str | None,
    drop: str | None,
    missing: Missing | None,
    header: bool,
    transpose: bool,
    max_size: float,
    seed: int,
    unlabelled: bool = False,
) -> "DataTable":
    """The data that a command line asks for."""
    from xcompare.io.tables import read_table

    return read_table(
        data,
        label=label,
        columns=split_names(columns),
        drop=split_names(drop),
        missing=missing,
        header=header,
        transpose=transpose,
        max_size=max_size,
        seed=seed,
        unlabelled=unlabelled,
    )


def number_of_clusters(clusters: str | None, table: "DataTable") -> int | Literal["auto"]:
    """What was asked for, or what the data say themselves."""
    if clusters == "auto":
        return "auto"
    try:
        found = table.n_clusters if clusters is None else int(clusters)
    except ValueError:
        raise DataError(f"--clusters takes a number, or auto; got {clusters!r}") from None
    if found is None:
        raise DataError(
            "how many clusters? give --clusters K, or --clusters auto to have it chosen, or --label COLUMN"
            " with the ground truth to take its number"
        )
    if found < 2:
        raise DataError(f"--clusters must be at least 2; got {found}")
    return found


@contextmanager
def kept_when_stopped(store: Path, n_comparisons: int | None = 1) -> Iterator[None]:
    """On Ctrl-C say in one line what is kept, of the latest comparisons or of all, and how to go on."""
    from xcompare import list_runs

    try:
        yield
    except KeyboardInterrupt:
        if not store.exists():
            complain("stopped before anything ran")
        else:
            latest = list_runs(store).iloc[:n_comparisons]
            kept = f"{latest['done'].sum()} of {latest['units'].sum()} runs are kept in {store}"
            complain(f"stopped; {kept}, and the same command goes on from there")
        raise typer.Exit(Status.INTERRUPTED) from None


def deliver(
    found: "Result",
    context: typer.Context,
    folder: Path,
    *,
    show: Callable[[], None],
    as_json: bool,
    quiet: bool,
    formats: Sequence[str] | None = None,
    figures: Sequence[str] = (),
    notes: Sequence[str] = (),
    beside: Sequence[Path] = (),
) -> None:
    """Write a result to its folder, and print it, for people or as JSON, with the files there are."""
    command = command_line(context)
    files = found.write(folder, formats=formats, figures=figures, command=command, notes=notes)
    if as_json:
        said = found.to_dict()
        shown = {"notes": [*notes, *said.pop("notes", ())], "files": [str(file) for file in files]}
        print_json(said | shown)
    elif not quiet:
        show()
        remark(f"in {folder}: {', '.join(file.name for file in [*files, *beside])}")


def fail(message: str) -> NoReturn:
    """End with status 1, for this reason."""
    complain(message)
    raise typer.Exit(Status.FAILED)


def show_notes(notes: Iterable[str]) -> None:
    """What the user should know about the data."""
    for note in notes:
        remark(f"note: {note}")


def show_failures(failures: "pd.DataFrame") -> None:
    """What did not run and why, one line for each reason."""
    for (status, message), concerned in failures.groupby(["status", "message"], sort=False):
        out.print(f"{status}: {_who(concerned)}: {message}", style="yellow", soft_wrap=True)


def show_warnings(warned: "pd.DataFrame") -> None:
    """The first few warnings, one line for each text."""
    texts = list(warned.groupby("message", sort=False))
    for message, concerned in texts[:WARNINGS_SHOWN]:
        remark(f"warning: {_who(concerned)}: {message}")
    if len(texts) > WARNINGS_SHOWN:
        remark(f"and {len(texts) - WARNINGS_SHOWN} more warnings (--json lists all)")


def _who(concerned: "pd.DataFrame") -> str:
    """Methods with engine and number of runs, e.g. ``ls (r, 1 run), fgkm (r, 20 runs)``."""
    rows = concerned.to_dict(orient="records")
    return ", ".join(
        f"{row['method']} ({row['engine']}, {row['runs']} run{'s' if row['runs'] > 1 else ''})"
        for row in rows
    )
