"""Runs of a comparison: timings, failures, warnings and versions."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from xcompare.harness.plan import Plan, Row, registered
from xcompare.harness.unit import UnitResult
from xcompare.results.table_row import spread

UNNAMED = re.compile(r"\bx(\d+)\b")  # scikit-learn's name of an unnamed feature


def finished(plan: Plan, results: Mapping[str, UnitResult], row: Row) -> list[UnitResult]:
    """Results of the successful runs of a row, in order."""
    found = (results.get(unit.key) for unit in plan.units_of(row))
    return [result for result in found if result is not None and result.status == "ok"]


def partitions(plan: Plan, results: Mapping[str, UnitResult], row: Row) -> dict[int, np.ndarray]:
    """Partitions found by the successful runs of a row, by run."""
    found = {result.unit.run: result.scores for result in finished(plan, results, row)}
    return {
        run: scores.labels
        for run, scores in found.items()
        if scores is not None and scores.labels is not None
    }


def number_of_runs(plan: Plan) -> str:
    """Number of runs of stochastic methods, e.g. ``3 to 20 runs``."""
    numbers = [row.n_runs for row in plan.rows if registered(row.method).stochastic] or [1]
    fewest, most = min(numbers), max(numbers)
    return f"{'' if fewest == most else f'{fewest} to '}{most} run{'s' if most > 1 else ''}"


def timings(seconds: Iterable[np.ndarray], index: pd.Index) -> pd.DataFrame:
    """Summary of run times: one row per array of seconds."""
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
    return pd.DataFrame(records, index, ["runs", "mean", "std", "longest", "total"])


def failures(plan: Plan, results: Mapping[str, UnitResult]) -> pd.DataFrame:
    """Failed runs: method, engine, status, number of runs, message."""

    def said(result: UnitResult | None) -> tuple[tuple[str, str], ...]:
        if result is None:
            return (("missing", "not run yet"),)
        return () if result.status == "ok" else ((result.status, result.message),)

    counted = _counted(plan, results, ["status", "message"], said)
    return counted[["method", "engine", "status", "runs", "message"]]


def warnings(
    plan: Plan, results: Mapping[str, UnitResult], feature_names: Sequence[str] = ()
) -> pd.DataFrame:
    """Warnings: method, engine, number of runs, message.

    Methods receive arrays and call features x0, x1, ...; here these are replaced by their names.
    """

    def name(found: re.Match) -> str:
        at = int(found[1])
        return feature_names[at] if at < len(feature_names) else found[0]

    def said(result: UnitResult | None) -> tuple[tuple[str], ...]:
        texts = () if result is None else result.warnings
        return tuple((UNNAMED.sub(name, text),) for text in texts)

    return _counted(plan, results, ["message"], said)[["method", "engine", "runs", "message"]]


def versions(results: Iterable[UnitResult]) -> dict[str, tuple[str, ...]]:
    """Software versions of the runs; several if the store was filled over time."""
    found: dict[str, set[str]] = {}
    for result in results:
        for name, version in result.versions.items():
            found.setdefault(name, set()).add(version)
    return {name: tuple(sorted(some)) for name, some in found.items()}


def _counted(
    plan: Plan,
    results: Mapping[str, UnitResult],
    columns: list[str],
    said: Callable[[UnitResult | None], tuple[tuple[str, ...], ...]],
) -> pd.DataFrame:
    """Messages by method and engine, with the number of runs of each."""
    records = [
        (row.method, row.engine, *words)
        for row in plan.all_rows
        for unit in plan.units_of(row)
        for words in said(results.get(unit.key))
    ]
    frame = pd.DataFrame(records, columns=["method", "engine", *columns])
    counted = frame.groupby(["method", "engine", *columns], sort=False).size()
    return counted.rename("runs").reset_index()
