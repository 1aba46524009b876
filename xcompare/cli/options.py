"""Options shared by several commands, and parsers of list values."""

import csv
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from xcompare.core.errors import DataError

Normalize = Literal["paper", "max", "minmax"]
Missing = Literal["resample", "error", "drop", "median"]
Audience = Literal["summary", "full"]

# Panels of the help, in the order of their first options: usual ones come first.
usual_option = partial(typer.Option, rich_help_panel="Usual options")
column_option = partial(typer.Option, rich_help_panel="Columns")
file_option = partial(typer.Option, rich_help_panel="File")
run_option = partial(typer.Option, rich_help_panel="Run")
output_option = partial(typer.Option, rich_help_panel="Output")

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A bundled dataset (listed by: xcompare datasets), a CSV, TSV, Parquet, Feather, Excel or h5ad"
        " file, or - (stdin).",
    ),
]
ClustersOption = Annotated[
    str | None,
    usual_option(
        "--clusters",
        "-k",
        metavar="K",
        help="Number of clusters, or auto (see choose-k). Default: the number of distinct labels.",
    ),
]
MissingOption = Annotated[
    Missing | None,
    usual_option(
        metavar="HOW",
        help="Treatment of missing values. resample (the default): impute them in every replicate;"
        " drop: drop the rows; median: fill in the median of the column; error: stop.",
    ),
]
RunsOption = Annotated[int, usual_option(metavar="N", help="Runs of each stochastic method.")]
JobsOption = Annotated[
    int | None,
    run_option(metavar="N", help="Number of processes; does not affect the results. Default: one per core."),
]
SeedOption = Annotated[int, run_option(metavar="N", help="Random seed.")]
FreshOption = Annotated[
    bool,
    run_option("--fresh", help="Start a new run store; else only runs missing in the old one are computed."),
]
NormalizeOption = Annotated[
    Normalize,
    output_option(
        metavar="HOW",
        help="Normalization of each row: as in the paper, by its maximum, or to the range 0 to 1.",
    ),
]
SignificanceOption = Annotated[bool, output_option("--significance", help="Print the tests of each feature.")]
FlipOption = Annotated[
    bool,
    output_option(
        "--flip", help="Reverse scores of which smaller is more important: 1 is always the most important."
    ),
]
OutOption = Annotated[
    Path | None,
    usual_option(
        "--out",
        metavar="DIR",
        help="Folder for the run store and the results. Default: out/NAME, with the name of the data.",
    ),
]
FiguresOption = Annotated[
    str | None,
    output_option("--figures", metavar="A,B,...", help="Save figures in these formats: svg, pdf, png."),
]
AllOption = Annotated[bool, output_option("--all", help="Print all features, not only the first 20.")]
TopOption = Annotated[int, output_option(metavar="N", help="Features listed per cluster.", min=1)]
NamesOption = Annotated[
    str | None,
    output_option("--names", metavar="A=B,...", help='Names for the clusters, e.g. "1=Loyal,2=New".'),
]
AudienceOption = Annotated[
    Audience,
    output_option(
        metavar="WHOM", help="Report: only the summary of the clusters in plain words, or everything."
    ),
]
VerboseOption = Annotated[
    bool, output_option("--verbose", "-v", help="Also print variants of methods, software and normalization.")
]
QuietOption = Annotated[bool, output_option("--quiet", "-q", help="Print errors only.")]
JsonOption = Annotated[bool, output_option("--json", help="Print JSON.")]


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
    """``"1=Loyal,2=New"`` as a dict.

    Examples
    --------
    >>> cluster_names("1=Loyal, 2=New customers")
    {'1': 'Loyal', '2': 'New customers'}
    """
    pairs = [part.partition("=") for part in split_names(text) or []]
    for old, sign, new in pairs:
        if not (old.strip() and sign and new.strip()):
            raise DataError(f'--names must be pairs, e.g. "1=Loyal,2=New"; got {text!r}')
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


def groups_in(file: Path) -> dict[str, list[str]]:
    """Columns by group, from a CSV file (commas or semicolons) with the columns ``column`` and ``group``."""
    groups: dict[str, list[str]] = {}
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            separator = ";" if ";" in lines.readline() else ","
            lines.seek(0)
            for line in csv.DictReader(lines, delimiter=separator):
                groups.setdefault(line["group"], []).append(line["column"])
    except FileNotFoundError:
        raise DataError(f"--groups: no file {file}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"--groups: cannot read {file}: {error}") from None
    except KeyError as error:
        raise DataError(
            f"--groups: {file} must have the columns column and group; it lacks {error}"
        ) from None
    if not groups:
        raise DataError(f"--groups: {file} names no group")
    return groups


def number_or_auto(option: str, text: str) -> int | Literal["auto"]:
    """The value of an option that is a number or auto."""
    try:
        return "auto" if text == "auto" else int(text)
    except ValueError:
        raise DataError(f"{option} must be a number or auto; got {text!r}") from None


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
    if not found or min(found) < 2:
        raise DataError(f"--clusters must be numbers of at least 2, ascending, e.g. 2-10; got {text!r}")
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
