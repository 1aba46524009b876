"""`reproduce`: recompute the tables of the paper and compare every cell."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from xcompare.core.errors import UnknownNameError
from xcompare.core.writing import write_text
from xcompare.harness.execution import Execution
from xcompare.harness.progress import ProgressReport
from xcompare.methods import Engine
from xcompare.results.comparing import run_comparisons
from xcompare.results.result import Result, records
from xcompare.results.runs import versions
from xcompare.studies.reproduction.cells import compare_cells, summarize
from xcompare.studies.reproduction.collect import collect
from xcompare.studies.reproduction.layout import document, lay_out
from xcompare.studies.reproduction.protocol import FULL, PAPER_DATASETS, QUICK, ReproductionEffort, jobs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xcompare.results.report import Page
    from xcompare.studies.reproduction.figures import PaperFigure

ENGINES: dict[str, tuple[Engine, ...]] = {"python": ("python",), "r": ("r",), "both": ("python", "r")}


@dataclass(frozen=True, eq=False)
class Reproduction(Result):
    """The published tables and ours, returned by `reproduce`.

    Attributes
    ----------
    datasets : tuple of str
    effort : ReproductionEffort
        Numbers of runs and replicates.
    cells : DataFrame
        Comparison of every published cell: see `xcompare.studies.reproduction.cells.compare_cells`.
    importances : DataFrame
        Every normalised score: ``dataset, method, engine, m, run, feature, score``.
    partitions : DataFrame
        Every partition's agreement with the true clusters: ``dataset, method, engine, m, run, ARI, FM``.
    failures : DataFrame
        Runs without a result, with the reason.
    versions : dict of str to str
        Software versions.
    """

    datasets: tuple[str, ...]
    effort: ReproductionEffort
    cells: pd.DataFrame = field(repr=False)
    importances: pd.DataFrame = field(repr=False)
    partitions: pd.DataFrame = field(repr=False)
    failures: pd.DataFrame = field(repr=False)
    versions: dict[str, str]

    @property
    def tables(self) -> dict[tuple[str, str], pd.DataFrame]:
        """Published, ours and difference, by dataset and ``"importance"`` or ``"clustering"``."""
        by_table = self.cells.groupby(["dataset", "table"], sort=False)
        return {(str(dataset), str(table)): lay_out(part) for (dataset, table), part in by_table}

    @property
    def summary(self) -> pd.DataFrame:
        """One row per table, and one for all: see `xcompare.studies.reproduction.cells.summarize`."""
        return summarize(self.cells)

    @property
    def protocol(self) -> str:
        """Numbers of runs and replicates, in a sentence."""
        effort = self.effort
        return (
            f"{effort.n_runs} runs of the bagging rows with B = {effort.n_replicas} replicates,"
            f" {effort.n_literature_runs} of the other methods; on simulated data every run has its own draw."
        )

    def paper_figures(self, dataset: str) -> "dict[str, PaperFigure]":
        """The figures of a dataset, of Python if it ran, by file name."""
        from xcompare.studies.reproduction.figures import paper_figures

        engine = "python" if (self.importances["engine"] == "python").any() else "r"
        both = (frame[frame["engine"] == engine] for frame in (self.importances, self.partitions))
        return paper_figures(dataset, *both)

    def figures(self) -> "dict[str, Figure]":
        """The paper's figures by name, as matplotlib figures."""
        from xcompare.studies.reproduction.figures import draw_figure

        shown = [item for name in self.datasets for item in self.paper_figures(name).items()]
        return {name: draw_figure(one) for name, one in shown}

    def to_markdown(self, path: str | PathLike[str], figures: Mapping[str, str] | None = None) -> None:
        """Write summary and tables as Markdown, with links to the files of the figures, by caption."""
        write_text(path, document(self, figures or {}))

    page_file = "reproduction.html"
    files = {"markdown": "tables.md"}  # noqa: RUF012

    def to_dict(self) -> dict[str, Any]:
        """The summary and every cell as dicts, lists, strings and numbers."""
        return {
            "datasets": list(self.datasets),
            "protocol": self.protocol,
            "versions": self.versions,
            "summary": records(self.summary),
            "cells": records(self.cells),
            "failures": records(self.failures),
        }

    def csv_tables(self) -> dict[str, pd.DataFrame]:
        """The tables that `write` saves as CSV, by name."""
        return {"summary": self.summary, "cells": self.cells}

    def page(self, *, command: str | None = None, notes: Sequence[str] = ()) -> "Page":
        """The report: see `Result.page`."""
        from xcompare.studies.reproduction.page import make_page

        return make_page(self, notes)

    def save_figures(self, folder: Path, formats: Sequence[str]) -> list[Path]:
        """Save the figures in these formats; the tables in Markdown then show them."""
        saved = super().save_figures(folder, formats)
        shown = {name: one for dataset in self.datasets for name, one in self.paper_figures(dataset).items()}
        links = {one.caption: f"{name}.{formats[0]}" for name, one in shown.items()}
        self.to_markdown(folder / self.files["markdown"], links)
        return saved


def reproduce(
    datasets: str | Iterable[str] = "all",
    *,
    quick: bool = False,
    engine: Literal["python", "r", "both"] = "python",
    n_jobs: int | None = None,
    random_state: int = 0,
    store: str | PathLike[str] | None = None,
    progress: bool | Callable[[ProgressReport], None] = True,
) -> Reproduction:
    """Recompute the paper's tables and compare them with the published ones.

    Parameters
    ----------
    datasets : "all", str or iterable of str, default="all"
        Names among illustrative, overlap, proportion, correlation, wine, breast.
    quick : bool, default=False
        Fewer runs and replicates: minutes instead of an hour, with larger Monte Carlo error.
    engine : {"python", "r", "both"}, default="python"
        "r" needs R. The baseline clusterings (K-means, hierarchical) always run in Python.
    n_jobs, random_state, store, progress
        As for `compare`.

    Returns
    -------
    Reproduction

    Raises
    ------
    UnknownNameError, DataError, StoreError

    References
    ----------
    Quetti, Ballante, Figini, Giudici. Explainable cluster analysis: a bagging approach.
    doi:10.48550/arXiv.2603.19840

    Examples
    --------
    >>> import xcompare
    >>> found = xcompare.reproduce("wine", quick=True)  # doctest: +SKIP
    >>> found.summary["within"]  # doctest: +SKIP
    """
    chosen = _chosen(datasets)
    if engine not in ENGINES:
        raise UnknownNameError(f"engine must be one of {', '.join(ENGINES)}; got {engine!r}")
    execution = Execution(n_jobs, store, progress=progress)
    return run_protocol(chosen, QUICK if quick else FULL, ENGINES[engine], execution, random_state)


def run_protocol(
    datasets: tuple[str, ...],
    effort: ReproductionEffort,
    engines: tuple[Engine, ...],
    execution: Execution,
    random_state: int = 0,
) -> Reproduction:
    """`reproduce` with any number of runs and replicates."""
    todo = [job for name in datasets for job in jobs(name, engines, effort, random_state)]
    comparisons = run_comparisons([(job.data, job.plan) for job in todo], execution)
    importances, partitions, failures = collect(todo, comparisons)
    cells = compare_cells(datasets, engines, importances, partitions)
    software = versions(result for found in comparisons for result in found.results.values())
    return Reproduction(
        datasets,
        effort,
        cells,
        importances,
        partitions,
        failures,
        {name: ", ".join(some) for name, some in software.items()},
    )


def _chosen(datasets: str | Iterable[str]) -> tuple[str, ...]:
    """Names of datasets in the paper's order."""
    names = [name.strip() for name in datasets.split(",")] if isinstance(datasets, str) else list(datasets)
    if names == ["all"]:
        return PAPER_DATASETS
    unknown = [name for name in names if name not in PAPER_DATASETS]
    if unknown or not names:
        got = f"no dataset {unknown[0]!r} in the paper" if unknown else "no dataset was selected"
        raise UnknownNameError(f"{got}; it has {', '.join(PAPER_DATASETS)}")
    return tuple(name for name in PAPER_DATASETS if name in names)
