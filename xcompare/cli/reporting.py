"""The command ``report``: write the report of a stored run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcompare.cli import options
from xcompare.cli.console import remark
from xcompare.core.errors import DataError

if TYPE_CHECKING:
    from xcompare.results.result import Result

RunArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="Output folder of compare, sweep, explain or choose-k, or a run store (run.sqlite).",
    ),
]
WhichOption = Annotated[
    str | None,
    typer.Option(
        "--run",
        metavar="KEY",
        help="Comparison in the store: prefix of its key, or its name. Default: the latest.",
    ),
]
FileOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="File to write. Default: report.html beside the store."),
]

REPORT_EXAMPLES = """
Examples:

    xcompare report out/wine

    xcompare report out/wine --audience summary --names "1=Light,2=Strong" --out wine.html

    xcompare report results/run.sqlite --run wine --normalize max --out wine.html
"""


def report(
    run: RunArgument,
    which: WhichOption = None,
    normalize: options.NormalizeOption = "paper",
    names: options.NamesOption = None,
    audience: options.AudienceOption = "full",
    file: FileOption = None,
    quiet: options.QuietOption = False,
) -> None:
    """Write the report of a finished or interrupted run, without computing anything."""
    from xcompare.harness.store import STORE
    from xcompare.results.comparison import Comparison
    from xcompare.results.loading import load_run
    from xcompare.results.report import write_report

    store = run / STORE if run.is_dir() else run
    found: Result = load_run(store, which, normalize=normalize)
    if isinstance(found, Comparison) and not found.results:
        raise DataError(f"no run is saved in {store} yet: repeat the command to compute them")
    if names is not None:
        found = with_names(found, options.cluster_names(names))
    target = write_report(found, file or store.with_name(found.page_file), audience=audience)
    if not quiet:
        remark(f"wrote {target}")


def with_names(found: "Result", names: dict[str, str]) -> "Result":
    """A result with other names for its clusters."""
    from xcompare.results.comparison import Comparison
    from xcompare.results.explanation import Explanation

    if not isinstance(found, Comparison | Explanation):
        raise DataError("--names needs a run of compare or explain")
    return found.renamed(names)
