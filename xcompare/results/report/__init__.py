"""The report: one self-contained HTML file. Gather, render, write.

Every result has a `Page` (see `Result.page`) of `Section`s with `Table`s, texts and `Figures`, which `render`
turns into HTML.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from xcompare.core.writing import write_text
from xcompare.results.report.drawing import figure
from xcompare.results.report.page import (
    Audience,
    Card,
    Cards,
    Details,
    Figure,
    Figures,
    Page,
    Section,
    Table,
    code,
    listed,
    render,
    text,
)

if TYPE_CHECKING:
    from xcompare.results.result import Result

__all__ = [
    "Card", "Cards", "Details", "Figure", "Figures", "Page", "Section", "Table", "build_report", "code",
    "figure", "listed", "render", "text", "write_report",
]  # fmt: skip


def build_report(
    found: "Result", *, command: str | None = None, notes: Sequence[str] = (), audience: Audience = "full"
) -> str:
    """The report on a result, as HTML.

    Parameters
    ----------
    found : Comparison, Sweep, Explanation, KChoice, Leaderboard, Reproduction or Validation
    command : str or None, default=None
        Command line that reproduces it; None: a call in Python, built from the plan.
    notes : sequence of str, default=()
        Notes on the data, e.g. rows left out.
    audience : {"full", "summary"}, default="full"
        "summary": only the opening of a report on clusters, for readers without statistics.

    Returns
    -------
    str
        A self-contained page, without references to other files or the network.

    Examples
    --------
    >>> import xcompare
    >>> iris = xcompare.load_dataset("iris")
    >>> found = xcompare.compare(iris, methods="efron, cubt", n_runs=1, n_jobs=1)
    >>> page = build_report(found)
    >>> found.name in page
    True
    """
    return render(found.page(command=command, notes=notes).for_audience(audience))


def write_report(
    found: "Result",
    path: str | PathLike[str],
    *,
    command: str | None = None,
    notes: Sequence[str] = (),
    audience: Audience = "full",
) -> Path:
    """Write the report on a result to a file.

    Parameters
    ----------
    found, command, notes, audience
        As for `build_report`.
    path : str or Path

    Returns
    -------
    Path

    Raises
    ------
    OutputError
    """
    file = Path(path)
    write_text(file, build_report(found, command=command, notes=notes, audience=audience))
    return file
