"""Running the protocol on the run store, and what its units found as two long tables."""

from collections.abc import Callable, Sequence
from os import PathLike

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, fowlkes_mallows_score

from xcompare.comparison.table import normalize_scores
from xcompare.harness.plan import registered
from xcompare.harness.progress import ProgressReport, reporting
from xcompare.harness.run import execute, missing_units
from xcompare.harness.store import RunStore
from xcompare.harness.unit import UnitResult
from xcompare.reproduction.protocol import Job

WHO = ["dataset", "method", "engine", "m", "run"]


def run_jobs(
    jobs: Sequence[Job],
    store: str | PathLike[str] | None,
    *,
    n_jobs: int | None,
    progress: bool | Callable[[ProgressReport], None],
) -> dict[str, UnitResult]:
    """Run what the store lacks of these jobs; the results of all of them, by the key of the unit."""
    with RunStore(store) as opened:
        todo = [missing_units([job.plan], opened) for job in jobs]
        with reporting(progress, [unit for part in todo for _, unit in part]) as report:
            for job, part in zip(jobs, todo, strict=True):
                if part:
                    execute(job.data, part, opened, n_jobs=n_jobs, on_result=report)
        return opened.results([unit for job in jobs for unit in job.plan.units()])


def collect(
    jobs: Sequence[Job], results: dict[str, UnitResult]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """What the units found, under the paper's names.

    Returns
    -------
    importances : DataFrame
        ``dataset, method, engine, m, run, feature, score``; scores normalised run by run.
    partitions : DataFrame
        ``dataset, method, engine, m, run, ARI, FM``.
    failures : DataFrame
        ``dataset, method, engine, m, run, message``.
    """
    importances, partitions, failures = [], [], []
    for job in jobs:
        for (title, m), row in zip(job.rows, job.plan.rows, strict=True):
            how = registered(row.method).normalization
            for unit in job.plan.units_of(row):
                run = unit.run if job.draw is None else job.draw
                who = (job.dataset, title, row.engine, m, run)
                result = results[unit.key]
                if result.scores is None:
                    failures.append((*who, result.message))
                    continue
                found = result.scores
                if found.scores.size:
                    scores = normalize_scores(found.scores[None], how)[0]
                    importances += [
                        (*who, feature, score)
                        for feature, score in zip(job.data.feature_names, scores.tolist(), strict=True)
                    ]
                if found.labels is not None:
                    truth = job.data.labels
                    agreement = adjusted_rand_score, fowlkes_mallows_score
                    partitions.append((*who, *(float(measure(truth, found.labels)) for measure in agreement)))
    return (
        _frame(importances, [*WHO, "feature", "score"]),
        _frame(partitions, [*WHO, "ARI", "FM"]),
        _frame(failures, [*WHO, "message"]),
    )


def versions(results: dict[str, UnitResult]) -> dict[str, str]:
    """Software that computed the results; several versions of one are listed."""
    found: dict[str, set[str]] = {}
    for result in results.values():
        for name, version in result.versions.items():
            found.setdefault(name, set()).add(version)
    return {name: ", ".join(sorted(some)) for name, some in found.items()}


def _frame(rows: list, columns: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=columns)
    return frame.astype({"m": "Int64", "run": np.int64})
