"""Options that several commands take, and how lists are written in them."""

import csv
from pathlib import Path
from typing import Annotated, Literal

import typer

from xcompare.core.errors import DataError

Engine = Literal["auto", "python", "r", "both"]
Standardize = Literal["robust", "sd", "rank", "none"]
Normalize = Literal["paper", "max", "minmax"]
Missing = Literal["drop", "median"]

DATA = "Data"
RUN = "Run"
OUTPUT = "Output"

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A bundled dataset (xcompare datasets lists them), a CSV, TSV, Parquet or Excel file, or -"
        " (stdin).",
        show_default=False,
    ),
]
ClustersOption = Annotated[
    str | None,
    typer.Option(
        "--clusters",
        "-k",
        metavar="K",
        help="Clusters to look for; auto: as many as choose-k finds. Default: as many as there are labels.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
LabelOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with the ground truth: left out of the features, used to judge partitions.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...", help="Features to use. Default: all.", rich_help_panel=DATA, show_default=False
    ),
]
DropOption = Annotated[
    str | None,
    typer.Option(metavar="A,B,...", help="Columns to leave out.", rich_help_panel=DATA, show_default=False),
]
MissingOption = Annotated[
    Missing | None,
    typer.Option(
        help="Rows with missing values: leave them out, or fill in the median of the column.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
HeaderOption = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line is data, not names; the columns are then called x0, x1 and so on.",
        rich_help_panel=DATA,
    ),
]
TransposeOption = Annotated[
    bool,
    typer.Option(
        "--transpose",
        help="Rows are features, named by the first column, and columns items, as in genes by samples.",
        rich_help_panel=DATA,
    ),
]
MaxSizeOption = Annotated[
    float,
    typer.Option(
        "--max-size", metavar="GB", help="Refuse data that is larger, once unpacked.", rich_help_panel=DATA
    ),
]
EngineOption = Annotated[
    Engine,
    typer.Option(
        help="auto is the native implementation; both runs Python and R side by side.", rich_help_panel=RUN
    ),
]
RunsOption = Annotated[
    int,
    typer.Option(metavar="N", help="Runs of each method that has randomness.", rich_help_panel=RUN),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Processes. Default: one per core. Results do not depend on it.",
        rich_help_panel=RUN,
        show_default=False,
    ),
]
StandardizeOption = Annotated[
    Standardize,
    typer.Option(
        help="How columns get a common scale: robust brings values far from all others nearer first; sd does"
        " not; rank takes the ranks; none leaves the data as it is.",
        rich_help_panel=RUN,
    ),
]
SampleOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="For a first look at large data: N rows drawn at random, the same for the same seed.",
        rich_help_panel=RUN,
        show_default=False,
    ),
]
SeedOption = Annotated[int, typer.Option(metavar="N", help="Fixes every result.", rich_help_panel=RUN)]
TimeoutOption = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Stop a single run of a method after this long; the others go on.",
        rich_help_panel=RUN,
        show_default=False,
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Dask scheduler to run on, e.g. tcp://host:8786 (needs xcompare\\[dask]).",
        rich_help_panel=RUN,
        show_default=False,
    ),
]
FreshOption = Annotated[
    bool,
    typer.Option(
        "--fresh/--resume",
        help="Compute everything anew, in a new run store; or only what the store lacks.",
        rich_help_panel=RUN,
    ),
]
NormalizeOption = Annotated[
    Normalize,
    typer.Option(
        help="Scale each row as in the paper, or all alike: by the maximum, or from 0 to 1.",
        rich_help_panel=OUTPUT,
    ),
]
SignificanceOption = Annotated[
    bool,
    typer.Option(
        "--significance",
        help="Print the tests of each feature.",
        rich_help_panel=OUTPUT,
    ),
]
FlipOption = Annotated[
    bool,
    typer.Option(
        "--flip", help="Turn rows that read smaller is better: 1 is always best.", rich_help_panel=OUTPUT
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Folder for the run store and the results. Default: out/NAME, after the data.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
FiguresOption = Annotated[
    str | None,
    typer.Option(
        "--figures", metavar="A,B,...", help="Figures as files, of svg, pdf, png.", rich_help_panel=OUTPUT
    ),
]
AllOption = Annotated[
    bool,
    typer.Option("--all", help="Print every feature, not only the first 20.", rich_help_panel=OUTPUT),
]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Print variants of methods, software and scaling too.",
        rich_help_panel=OUTPUT,
    ),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUTPUT)
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print JSON, for programs.", rich_help_panel=OUTPUT),
]


def split_names(text: str | None) -> list[str] | None:
    """``"a,b"`` as ``["a", "b"]``; a name with a comma goes in double quotes.

    Examples
    --------
    >>> split_names('a, "b, c"')
    ['a', 'b, c']
    """
    if text is None:
        return None
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), []) if name.strip()]


def numbers_of_clusters(text: str) -> list[int]:
    """``"2-4, 7"`` as ``[2, 3, 4, 7]``.

    Examples
    --------
    >>> numbers_of_clusters("2-4, 7")
    [2, 3, 4, 7]
    """
    found: list[int] = []
    try:
        for part in split_names(text) or []:
            first, _, last = part.partition("-")
            found += range(int(first), int(last or first) + 1)
    except ValueError:
        raise DataError(f"--clusters takes numbers here, as in 2-10 or 2,3,5; got {text!r}") from None
    return found


def subspace_sizes(text: str | None) -> list[int | float]:
    """``"4,0.5"`` as ``[4, 0.5]``: numbers of features, or shares of them.

    Examples
    --------
    >>> subspace_sizes("4, 0.5")
    [4, 0.5]
    """
    try:
        return [float(size) if "." in size else int(size) for size in split_names(text) or []]
    except ValueError:
        raise DataError(f"--max-features takes numbers, as in 4 or 0.5; got {text!r}") from None
