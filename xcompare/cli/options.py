"""Options shared by several commands, and parsers of list values."""

import csv
from pathlib import Path
from typing import Annotated, Literal

import typer

from xcompare.core.errors import DataError

Engine = Literal["auto", "python", "r", "both"]
Standardize = Literal["robust", "sd", "rank", "none"]
Normalize = Literal["paper", "max", "minmax"]
Missing = Literal["resample", "error", "drop", "median"]
Dates = Literal["days"]

DATA = "Data"
RUN = "Run"
OUTPUT = "Output"

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A bundled dataset (xcompare datasets lists them), a CSV, TSV, Parquet, Feather or Excel file,"
        " or - (stdin).",
        show_default=False,
    ),
]
ClustersOption = Annotated[
    str | None,
    typer.Option(
        "--clusters",
        "-k",
        metavar="K",
        help="Number of clusters; auto: chosen as by choose-k. Default: the number of distinct labels.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
LabelOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with the ground truth: not a feature, used to evaluate partitions.",
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
    typer.Option(metavar="A,B,...", help="Columns to drop.", rich_help_panel=DATA, show_default=False),
]
NominalOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Columns of categories, even if they hold numbers.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
OrdinalOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'A: S<M<L'",
        help="A column of ordered levels, ascending; may be repeated.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
NumericOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Columns of numbers; other values in them are missing.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
DateOption = Annotated[
    Dates | None,
    typer.Option(
        "--date-as",
        help="Take dates as numbers, in days; otherwise they are left out.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
MissingOption = Annotated[
    Missing | None,
    typer.Option(
        help="Missing values: resample: impute them in every replicate (the default);"
        " an error (the default of sweep); drop the rows; or the median of the column.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
HeaderOption = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The file has no header line; columns are named x0, x1, ...",
        rich_help_panel=DATA,
    ),
]
TransposeOption = Annotated[
    bool,
    typer.Option(
        "--transpose",
        help="Rows are features, named by the first column, e.g. genes by samples.",
        rich_help_panel=DATA,
    ),
]
MaxSizeOption = Annotated[
    float,
    typer.Option(
        "--max-size", metavar="GB", help="Largest size of the data, uncompressed.", rich_help_panel=DATA
    ),
]
EngineOption = Annotated[
    Engine,
    typer.Option(help="auto: the native implementation; both: Python and R.", rich_help_panel=RUN),
]
RunsOption = Annotated[
    int,
    typer.Option(metavar="N", help="Runs of each stochastic method.", rich_help_panel=RUN),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Number of processes. Default: one per core. Results do not depend on it.",
        rich_help_panel=RUN,
        show_default=False,
    ),
]
StandardizeOption = Annotated[
    Standardize,
    typer.Option(
        help="Scaling of the columns: sd: to standard deviation 1; robust: the same after shrinking outliers;"
        " rank: by ranks; none: no scaling.",
        rich_help_panel=RUN,
    ),
]
SampleOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Use a random sample of N rows, for a first look at large data.",
        rich_help_panel=RUN,
        show_default=False,
    ),
]
SeedOption = Annotated[int, typer.Option(metavar="N", help="Random seed.", rich_help_panel=RUN)]
TimeoutOption = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Time limit per run; other runs continue.",
        rich_help_panel=RUN,
        show_default=False,
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Dask scheduler to run on, e.g. tcp://host:8786 (needs xcompare-clustering\\[dask]).",
        rich_help_panel=RUN,
        show_default=False,
    ),
]
DataOnWorkersOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder that all workers of the scheduler see: the data is written there once, and they read it"
        " themselves. Default: it is sent with each unit.",
        rich_help_panel=RUN,
        show_default=False,
    ),
]
FreshOption = Annotated[
    bool,
    typer.Option(
        "--fresh/--resume",
        help="Start a new run store, or compute only what the existing one lacks.",
        rich_help_panel=RUN,
    ),
]
NormalizeOption = Annotated[
    Normalize,
    typer.Option(
        help="Normalization of each row: as in the paper, by the maximum, or from 0 to 1.",
        rich_help_panel=OUTPUT,
    ),
]
SignificanceOption = Annotated[
    bool,
    typer.Option(
        "--significance",
        help="Print the tests by feature.",
        rich_help_panel=OUTPUT,
    ),
]
FlipOption = Annotated[
    bool,
    typer.Option(
        "--flip", help="Flip rows in which smaller is better: 1 is always best.", rich_help_panel=OUTPUT
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Folder for the run store and the results. Default: out/NAME, with the name of the data.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
FiguresOption = Annotated[
    str | None,
    typer.Option(
        "--figures", metavar="A,B,...", help="Save figures as svg, pdf, png.", rich_help_panel=OUTPUT
    ),
]
AllOption = Annotated[
    bool,
    typer.Option("--all", help="Print every feature, not only the first 20.", rich_help_panel=OUTPUT),
]
TopOption = Annotated[
    int,
    typer.Option(metavar="N", help="Features listed per cluster.", min=1, rich_help_panel=OUTPUT),
]
NamesOption = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="A=B,...",
        help='Names to show in place of clusters, e.g. "0=Loyal,1=New".',
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Audience = Literal["summary", "full"]
AudienceOption = Annotated[
    Audience,
    typer.Option(
        help="Report: the clusters in words only, to send on, or everything.", rich_help_panel=OUTPUT
    ),
]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Also print variants of methods, software and normalization.",
        rich_help_panel=OUTPUT,
    ),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print errors only.", rich_help_panel=OUTPUT)
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT),
]


def split_names(text: str | None) -> list[str] | None:
    """``"a,b"`` as ``["a", "b"]``; names with commas need double quotes.

    Examples
    --------
    >>> split_names('a, "b, c"')
    ['a', 'b, c']
    """
    if text is None:
        return None
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), []) if name.strip()]


def cluster_names(text: str | None) -> dict[str, str]:
    """``"0=Loyal,1=New"`` as a dict.

    Examples
    --------
    >>> cluster_names("0=Loyal, 1=New customers")
    {'0': 'Loyal', '1': 'New customers'}
    """
    pairs = [part.partition("=") for part in split_names(text) or []]
    for old, sign, new in pairs:
        if not (old.strip() and sign and new.strip()):
            raise DataError(f'--names must be pairs, e.g. "0=Loyal,1=New"; got {text!r}')
    return {old.strip(): new.strip() for old, _, new in pairs}


def kinds_of_columns(
    nominal: str | None, ordinal: list[str] | None, numeric: str | None
) -> dict[str, str | list[str]]:
    """What columns are, from ``--nominal``, ``--ordinal`` and ``--numeric``.

    Examples
    --------
    >>> kinds_of_columns("a,b", ["size: S < M < L", "grade"], None)
    {'a': 'nominal', 'b': 'nominal', 'size': ['S', 'M', 'L'], 'grade': 'ordinal'}
    """
    kinds: dict[str, str | list[str]] = {}
    for option, names in (("nominal", nominal), ("numeric", numeric)):
        for name in split_names(names) or []:
            _add_kind(kinds, name, option)
    for given in ordinal or []:
        name, colon, levels = given.rpartition(":") if "<" in given else (given, "", "")
        if "<" in given and not colon:
            raise DataError(f"--ordinal must be 'NAME: LOW<...<HIGH'; got {given!r}")
        _add_kind(kinds, name.strip(), [level.strip() for level in levels.split("<")] if colon else "ordinal")
    return kinds


def _add_kind(kinds: dict[str, str | list[str]], name: str, kind: str | list[str]) -> None:
    if name in kinds:
        raise DataError(f"{name} can be of one kind only; give it to one of --nominal, --ordinal, --numeric")
    kinds[name] = kind


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
        raise DataError(f"--clusters must be numbers, e.g. 2-10 or 2,3,5; got {text!r}") from None
    return found


def subspace_sizes(text: str | None) -> list[int | float]:
    """``"4,0.5"`` as ``[4, 0.5]``: numbers or fractions of features.

    Examples
    --------
    >>> subspace_sizes("4, 0.5")
    [4, 0.5]
    """
    try:
        return [float(size) if "." in size else int(size) for size in split_names(text) or []]
    except ValueError:
        raise DataError(f"--max-features must be numbers, e.g. 4 or 0.5; got {text!r}") from None
