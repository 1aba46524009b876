"""How many runs a method needs: more until the Monte Carlo error of its scores is small."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xcompare.core.checks import check_integer
from xcompare.core.errors import DataError
from xcompare.harness.plan import MOST_RUNS, Plan, Row, registered
from xcompare.results import runs
from xcompare.results.partition import judge
from xcompare.results.table_row import table_rows

if TYPE_CHECKING:
    from xcompare.results.comparison import Comparison

FEWEST_RUNS, RUNS_ENOUGH = 3, 20
LARGEST_ERROR = 0.02  # of a score


def check_runs(n_runs: Any) -> None:
    """Raise ``DataError`` unless a number of runs, or "auto"."""
    if isinstance(n_runs, str):
        if n_runs != "auto":
            raise DataError(f'n_runs must be a whole number, or "auto"; got {n_runs!r}')
    else:
        check_integer("n_runs", n_runs, 1, MOST_RUNS)


def with_runs_needed(found: "Comparison") -> Plan:
    """The plan with more runs of each row whose scores need them; the same plan when none does.

    A row whose largest Monte Carlo error exceeds `LARGEST_ERROR` gets as many runs as its standard deviation
    says it needs, at most twice as many as before (the largest standard deviation over a few runs is mostly
    too large) and at most `RUNS_ENOUGH`. A row with a failed run gets no more. Scores are normalised as
    published, whichever way they are shown: that must not change what is computed.
    """
    plan = found.plan

    def longer(row: Row) -> Row:
        if not registered(row.method).stochastic or row.n_runs >= RUNS_ENOUGH:
            return row
        if len(runs.finished(plan, found.results, row)) < row.n_runs:
            return row
        deviation = _deviation(found, row)
        if not deviation / math.sqrt(row.n_runs) > LARGEST_ERROR:
            return row
        needed = math.ceil(min(deviation / LARGEST_ERROR, RUNS_ENOUGH) ** 2)
        return replace(row, n_runs=min(max(needed, row.n_runs + 1), 2 * row.n_runs, RUNS_ENOUGH))

    return replace(plan, rows=tuple(map(longer, plan.rows)), clusterings=tuple(map(longer, plan.clusterings)))


def ran_as_needed(found: "Comparison") -> bool:
    """Whether ``n_runs="auto"`` gives each row the runs that it has here."""
    rows, clusterings = (
        tuple(replace(row, n_runs=min(row.n_runs, FEWEST_RUNS)) for row in some)
        for some in (found.plan.rows, found.plan.clusterings)
    )
    stage = replace(found, plan=replace(found.plan, rows=rows, clusterings=clusterings))
    while (plan := with_runs_needed(stage)) != stage.plan:
        stage = replace(stage, plan=plan)
    return stage.plan == found.plan


def _deviation(found: "Comparison", row: Row) -> float:
    """Largest standard deviation of any score over the runs; of a plain clustering, of its agreement with
    the reference labels.
    """
    finished = runs.finished(found.plan, found.results, row)
    if row not in found.plan.clusterings:
        table_row, *_ = table_rows(row, finished, "paper", False, len(found.feature_names))
        return float(table_row.std.max())
    if found.labels is None:
        return 0.0
    partitions = [
        result.scores.labels
        for result in finished
        if result.scores is not None and result.scores.labels is not None
    ]
    judged = judge(partitions, found.labels, repeats=False)
    return float(np.max([judged["ari_std"], judged["fm_std"]]))
