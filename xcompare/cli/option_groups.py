"""Options that several commands share: a command takes a group of them as one parameter."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from xcompare.cli.options import (
    FiguresOption,
    FreshOption,
    JobsOption,
    JsonOption,
    OutOption,
    QuietOption,
    SeedOption,
    column_option,
    file_option,
    groups_in,
    kinds_of_columns,
    run_option,
    split_names,
    usual_option,
)

if TYPE_CHECKING:
    from xcompare.io.tables import DataTable

Engine = Literal["auto", "python", "r", "both"]
Standardize = Literal["robust", "sd", "rank", "none"]
Dates = Literal["days"]


def expanded(command: Callable[..., None]) -> Any:
    """The command with an option for each field of the groups among its parameters."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    options: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name in groups:
            kinds = get_type_hints(groups[name], include_extras=True)
            options += [
                Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=kinds[one.name])
                for one in fields(groups[name])
            ]
        else:
            options.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @wraps(command)
    def call(**given: Any) -> None:
        made = {
            name: kind(**{one.name: given.pop(one.name) for one in fields(kind)})
            for name, kind in groups.items()
        }
        if any(isinstance(one, Output) and one.quiet for one in made.values()):
            warnings.simplefilter("ignore")  # until `xcompare.cli.run` ends
        command(**given, **made)

    call.__signature__ = signature(command).replace(parameters=options)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in options}
    return call


@dataclass(frozen=True)
class Source:
    """How a table is read."""

    label: Annotated[
        str | None,
        usual_option(
            metavar="COLUMN",
            help="Column with known labels: not a feature, used only to evaluate partitions.",
        ),
    ] = None
    columns: Annotated[
        str | None, column_option(metavar="A,B,...", help="Features to use. Default: all.")
    ] = None
    drop: Annotated[str | None, column_option(metavar="A,B,...", help="Columns to drop.")] = None
    nominal: Annotated[
        str | None,
        column_option(metavar="A,B,...", help="Columns to read as categories, even if they hold numbers."),
    ] = None
    ordinal: Annotated[
        list[str] | None,
        column_option(
            metavar="'A: S<M<L'", help="Column with ordered levels, lowest first; may be repeated."
        ),
    ] = None
    numeric: Annotated[
        str | None,
        column_option(metavar="A,B,...", help="Columns to read as numbers; other values become missing."),
    ] = None
    date_as: Annotated[
        Dates | None,
        column_option(
            "--date-as",
            metavar="days",
            help="Convert dates to numbers, in days; otherwise they are left out.",
        ),
    ] = None
    no_header: Annotated[
        bool, file_option("--no-header", help="The file has no header line; columns are named x0, x1, ...")
    ] = False
    transpose: Annotated[
        bool,
        file_option(
            "--transpose", help="Rows are features, named by the first column, e.g. genes by samples."
        ),
    ] = False
    max_size: Annotated[
        float, file_option("--max-size", metavar="GB", help="Maximum size of the data, uncompressed.")
    ] = 2.0

    def settings(self) -> dict[str, Any]:
        """Arguments of `xcompare.read_table`."""
        return {
            "label": self.label,
            "columns": split_names(self.columns),
            "drop": split_names(self.drop),
            "kinds": kinds_of_columns(self.nominal, self.ordinal, self.numeric),
            "dates": self.date_as,
            "header": not self.no_header,
            "transpose": self.transpose,
            "max_size": self.max_size,
        }


@dataclass(frozen=True)
class SourceWithRoles(Source):
    """The same, with what columns are for, beside features and labels."""

    weights: Annotated[
        str | None,
        column_option(metavar="COLUMN", help="Column with the weights of the rows; not a feature."),
    ] = None
    cluster_on: Annotated[
        str | None,
        column_option(metavar="A,B,...", help="Columns used for clustering. Default: all but --describe."),
    ] = None
    describe: Annotated[
        str | None,
        column_option(
            metavar="A,B,...",
            help="Columns that only describe the clusters: neither clustered nor scored.",
        ),
    ] = None

    groups: Annotated[
        Path | None,
        column_option(
            metavar="FILE",
            help="CSV file with the columns 'column' and 'group'; each group is treated as one feature.",
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Arguments of `xcompare.read_table`."""
        return super().settings() | {"weights": self.weights}

    def roles(self, table: "DataTable") -> dict[str, Any]:
        """What columns are for: arguments of `xcompare.compare`. Names of dates may lack their unit."""
        from xcompare.io.kinds import UNIT_OF_DATES

        titles = {name.removesuffix(f" ({UNIT_OF_DATES})"): name for name in table.feature_names}

        def titled(names: list[str] | None) -> list[str] | None:
            return None if names is None else [titles.get(name, name) for name in names]

        groups = None if self.groups is None else groups_in(self.groups)
        return {
            "cluster_on": titled(split_names(self.cluster_on)),
            "describe": titled(split_names(self.describe)),
            "feature_groups": groups and {group: titled(names) for group, names in groups.items()},
        }


@dataclass(frozen=True)
class Setup:
    """What the methods get."""

    engine: Annotated[
        Engine, usual_option(metavar="WHICH", help="auto (the native implementation), python, r or both.")
    ] = "auto"
    standardize: Annotated[
        Standardize,
        run_option(
            metavar="HOW",
            help="Scaling of the columns. sd: unit standard deviation; robust: the same after shrinking"
            " outliers; rank: ranks; none: no scaling.",
        ),
    ] = "robust"
    sample: Annotated[
        int | None,
        run_option(metavar="N", help="Use a random sample of N rows, for a first look at large data."),
    ] = None
    data_on_workers: Annotated[
        Path | None,
        run_option(
            metavar="FOLDER",
            help="Folder shared by all workers of the scheduler, from which they read the data."
            " Default: the data are sent with each unit.",
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Arguments of `xcompare.compare`."""
        return {
            "engine": self.engine,
            "standardize": None if self.standardize == "none" else self.standardize,
            "sample": self.sample,
            "data_on_workers": self.data_on_workers,
        }


@dataclass(frozen=True)
class Running:
    """How the runs are computed."""

    jobs: JobsOption = None
    seed: SeedOption = 0
    timeout: Annotated[
        float | None, run_option(metavar="SECONDS", help="Time limit per run; other runs continue.")
    ] = None
    scheduler: Annotated[
        str | None,
        run_option(
            metavar="ADDRESS",
            help="Address of a Dask scheduler, e.g. tcp://host:8786 (needs the extra dask).",
        ),
    ] = None
    fresh: FreshOption = False

    def settings(self) -> dict[str, Any]:
        """Arguments of `xcompare.compare`."""
        return {
            "n_jobs": self.jobs,
            "random_state": self.seed,
            "timeout": self.timeout,
            "scheduler": self.scheduler,
        }


@dataclass(frozen=True)
class Output:
    """What is written and printed."""

    out_folder: OutOption = None
    figures: FiguresOption = None
    as_json: JsonOption = False
    quiet: QuietOption = False

    def __post_init__(self) -> None:
        self.drawn()  # before hours of computing

    def drawn(self) -> tuple[str, ...]:
        """Formats of the figures, checked."""
        from xcompare.results.formats import FIGURES, check_formats

        return check_formats(split_names(self.figures) or (), FIGURES, "figures")


@dataclass(frozen=True)
class OutputWithFigures(Output):
    """The same for commands that draw unless told otherwise."""

    figures: FiguresOption = "png"
