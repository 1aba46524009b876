"""`Result`: the protocol of all results (tables, report, files); `StoredResult`: of those in a run store."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pandas as pd

from xcompare.core.threads import one_blas_thread
from xcompare.core.writing import write_text
from xcompare.harness.plan import PartKind
from xcompare.harness.store import RunStore, StoredComparison
from xcompare.results.export import frame_csv, with_named_index
from xcompare.results.formats import FIGURES, check_formats
from xcompare.results.table import Normalization

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xcompare.results.report import Audience, Page


class Result(ABC):
    """Base class of all results: `Comparison`, `Sweep`, `Explanation`, `KChoice`, and those of studies."""

    files: ClassVar[Mapping[str, str]] = {}
    """Table formats other than CSV that `write` supports, by ``to_latex`` and so on, and their files."""
    page_file: ClassVar[str] = "report.html"
    """File name of the report."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as plain dicts, lists, strings and numbers, including NaN."""

    @abstractmethod
    def csv_tables(self) -> dict[str, pd.DataFrame]:
        """The tables that `write` saves as CSV, by name; an index is saved if it has a name."""

    @abstractmethod
    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report; `xcompare.results.report.render` turns it into HTML.

        Parameters
        ----------
        command : str or None, default=None
            Command line that reproduces the analysis; None: a call in Python.
        notes : sequence of str, default=()
            Notes on the data, e.g. rows left out.
        """

    @property
    def formats(self) -> tuple[str, ...]:
        """Formats of the tables that `write` supports."""
        return ("csv", *self.files)

    def figures(self) -> "dict[str, Figure]":
        """The figures that `write` saves, by name; of a result without plots, none."""
        plots = getattr(self, "plot", None)
        return {} if plots is None else plots.figures()

    def save_figures(self, folder: Path, formats: Sequence[str]) -> list[Path]:
        """Save the figures in these formats."""
        from xcompare.results.plots.files import save_figures

        return save_figures(self.figures(), folder, formats)

    def write(
        self,
        folder: str | PathLike[str],
        *,
        formats: Sequence[str] | None = None,
        figures: Sequence[str] = (),
        command: str | None = None,
        notes: Sequence[str] = (),
        audience: "Audience" = "full",
    ) -> list[Path]:
        """Write the report, the tables and the figures.

        Parameters
        ----------
        folder : str or Path
            Created if missing.
        formats : sequence of str or None, default=None
            Formats of the tables; None: all of ``formats``.
        figures : sequence of {"svg", "pdf", "png"}, default=()
            Formats of the figures; none: no figures.
        command, notes
            As for `page`.
        audience : {"full", "summary"}, default="full"
            "summary": a report for readers without statistics, without methods and provenance.

        Returns
        -------
        list of Path
            The report first.

        Raises
        ------
        OutputError, UnknownNameError
        """
        from xcompare.results.report import render
        from xcompare.results.report.page import check_audience

        check_audience(audience)
        wanted = self.formats if formats is None else check_formats(formats, self.formats)
        drawn = check_formats(figures, FIGURES, "figures")
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        report = folder / self.page_file
        with one_blas_thread():  # densities are small products
            files = [file for name in wanted for file in self._save_tables(folder, name)]
            # Figures come last, so that a failing figure does not lose the tables.
            write_text(report, render(self.page(command=command, notes=notes).for_audience(audience)))
            return [report, *files, *(self.save_figures(folder, drawn) if drawn else [])]

    def _save_tables(self, folder: Path, name: str) -> list[Path]:
        if name != "csv":
            file = folder / self.files[name]
            getattr(self, f"to_{name}")(file)
            return [file]
        tables = self.csv_tables()
        files = [folder / f"{table}.csv" for table in tables]
        for file, frame in zip(files, tables.values(), strict=True):
            write_text(file, frame_csv(frame))
        return files


class StoredResult(Result):
    """Base class of results of runs: `Comparison`, `Sweep`, `Explanation` and `KChoice`."""

    kind: ClassVar[PartKind | None] = None
    """What the comparisons in a run store are part of; None: of nothing."""

    @classmethod
    def from_store(
        cls,
        path: str | PathLike[str],
        run: str | None = None,
        *,
        normalize: Normalization = "paper",
        flip: bool = False,
    ) -> Self:
        """Read a result back from a run store; nothing is computed.

        Parameters
        ----------
        path : str or Path
            The file, or the output folder of a command, which holds it.
        run : str or None, default=None
            Prefix of the key of its comparison, or of any of them, or its name (the latest of that name);
            None: the latest. See `list_runs`.
        normalize, flip
            As for `compare`; only comparisons and sweeps are shown so.

        Raises
        ------
        StoreError, UnknownNameError, DataError
        """
        with RunStore(path, create=False) as store:
            return cls.read(store, store.find_comparison(run, cls.kind), normalize, flip)

    @classmethod
    @abstractmethod
    def read(
        cls, store: RunStore, found: StoredComparison, normalize: Normalization = "paper", flip: bool = False
    ) -> Self:
        """The result that a comparison in an open store is, or is part of."""


def records(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """A frame as a list of rows, with the index if it has a name."""
    return with_named_index(frame).to_dict(orient="records")
