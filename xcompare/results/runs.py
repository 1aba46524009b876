"""`PlannedRuns`: the runs behind a `Comparison` or a `KChoice`, with their times, failures and versions."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xcompare.harness.data import DataInfo, Described
from xcompare.harness.plan import Plan, Row, registered
from xcompare.harness.unit import UnitResult
from xcompare.results.result import StoredResult
from xcompare.results.table import TableRow, spread

UNNAMED = re.compile(r"\bx(\d+)\b")  # scikit-learn's name of an unnamed feature


@dataclass(frozen=True, eq=False)
class PlannedRuns(Described, StoredResult):
    """Base class of results of one plan."""

    info: DataInfo
    plan: Plan
    results: dict[str, UnitResult]

    @property
    def timings(self) -> pd.DataFrame:
        """Seconds per completed run of each method: runs, mean, std, longest and total."""
        rows = [row for row in (*self.plan.rows, *self.plan.clusterings) if self.finished(row)]
        seconds = [np.array([result.seconds for result in self.finished(row)]) for row in rows]
        records = [
            {
                "runs": len(took),
                "mean": took.mean(),
                "std": spread(took[:, None], repeats=False)[0],
                "longest": took.max(),
                "total": took.sum(),
            }
            for took in seconds
        ]
        return pd.DataFrame(records, self._index(rows), ["runs", "mean", "std", "longest", "total"])

    @property
    def failures(self) -> pd.DataFrame:
        """Failed runs: method, engine, status, number of runs, message."""

        def said(result: UnitResult | None) -> list[tuple[str, ...]]:
            if result is None:
                return [("missing", "not run yet")]
            return [] if result.status == "ok" else [(result.status, result.message)]

        return self._counted(["status", "message"], said)[["method", "engine", "status", "runs", "message"]]

    @property
    def warnings(self) -> pd.DataFrame:
        """Warnings from Python or R: method, engine, number of runs, message."""

        def name(found: re.Match) -> str:
            at = int(found[1])
            return self.feature_names[at] if at < len(self.feature_names) else found[0]

        def said(result: UnitResult | None) -> list[tuple[str, ...]]:
            # Methods are given arrays and call features x0, x1, ...
            return [(UNNAMED.sub(name, text),) for text in (() if result is None else result.warnings)]

        return self._counted(["message"], said)[["method", "engine", "runs", "message"]]

    @property
    def versions(self) -> dict[str, tuple[str, ...]]:
        """Software versions of the runs; several if the store was filled over time."""
        return versions(self.results.values())

    @property
    def number_of_runs(self) -> str:
        """Number of runs of stochastic methods, e.g. ``3 to 20 runs``."""
        numbers = [row.n_runs for row in self.plan.rows if registered(row.method).stochastic] or [1]
        fewest, most = min(numbers), max(numbers)
        return f"{'' if fewest == most else f'{fewest} to '}{most} run{'s' if most > 1 else ''}"

    def finished(self, row: Row) -> list[UnitResult]:
        """Results of the successful runs of a row, in order."""
        found = (self.results.get(unit.key) for unit in self.plan.units_of(row))
        return [result for result in found if result is not None and result.status == "ok"]

    def labels_of(self, row: Row) -> dict[int, np.ndarray]:
        """Partitions found by the successful runs of a row, by run."""
        found = {result.unit.run: result.scores for result in self.finished(row)}
        return {
            run: scores.labels
            for run, scores in found.items()
            if scores is not None and scores.labels is not None
        }

    @property
    def shows_engines(self) -> bool:
        """Whether rows are labelled by engine, because both ran."""
        return len({row.engine for row in self.plan.rows}) > 1

    def key(self, row: Row | TableRow) -> Any:
        """What a row is called in the index of a table: the method, with its engine if both ran."""
        name = row.method if isinstance(row, Row) else row.name
        return (name, row.engine) if self.shows_engines else name

    def _index(self, rows: Iterable[Row | TableRow]) -> pd.Index:
        keys = [self.key(row) for row in rows]
        if self.shows_engines:
            return pd.MultiIndex.from_tuples(keys, names=["method", "engine"])
        return pd.Index(keys, name="method")

    def _counted(
        self, columns: list[str], said: Callable[[UnitResult | None], list[tuple[str, ...]]]
    ) -> pd.DataFrame:
        """Messages by method and engine, with the number of runs of each."""
        records = [
            (row.method, row.engine, *words)
            for row in self.plan.all_rows
            for unit in self.plan.units_of(row)
            for words in said(self.results.get(unit.key))
        ]
        frame = pd.DataFrame(records, columns=["method", "engine", *columns])
        counted = frame.groupby(["method", "engine", *columns], sort=False).size()
        return counted.rename("runs").reset_index()


def versions(results: Iterable[UnitResult]) -> dict[str, tuple[str, ...]]:
    """Software versions of some runs."""
    found: dict[str, set[str]] = {}
    for result in results:
        for name, version in result.versions.items():
            found.setdefault(name, set()).add(version)
    return {name: tuple(sorted(some)) for name, some in found.items()}
