"""``n_runs="auto"``: add runs until the Monte Carlo error of the scores is small."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xcompare.core.checks import check_integer
from xcompare.core.errors import DataError
from xcompare.harness.plan import MOST_RUNS, Plan, Row, registered
from xcompare.results.partition import judge
from xcompare.results.table import table_rows

if TYPE_CHECKING:
    from xcompare.results.comparison import Comparison

FEWEST_RUNS, MOST_AUTO_RUNS = 3, 20
LARGEST_ERROR = 0.02  # Monte Carlo error of a score


def check_runs(n_runs: Any) -> None:
    """Raise ``DataError`` unless ``n_runs`` is a valid number or "auto"."""
    if isinstance(n_runs, str):
        if n_runs != "auto":
            raise DataError(f'n_runs must be a whole number, or "auto"; got {n_runs!r}')
    else:
        check_integer("n_runs", n_runs, 1, MOST_RUNS)


def with_runs_needed(found: "Comparison") -> Plan:
    """The plan with more runs of each row that needs them; the same plan if none does.

    A row whose largest Monte Carlo error exceeds `LARGEST_ERROR` gets as many runs as its standard deviation
    requires, at most twice as many as before (the maximum over few runs overestimates it) and at most
    `MOST_AUTO_RUNS`. A row with a failed run gets no more. Scores are normalised as published, so that the
    display normalization does not affect the computation.
    """
    plan = found.plan

    def longer(row: Row) -> Row:
        if not registered(row.method).stochastic or row.n_runs >= MOST_AUTO_RUNS:
            return row
        if len(found.finished(row)) < row.n_runs:
            return row
        deviation = _deviation(found, row)
        if not deviation / math.sqrt(row.n_runs) > LARGEST_ERROR:
            return row
        needed = math.ceil(min(deviation / LARGEST_ERROR, MOST_AUTO_RUNS) ** 2)
        return replace(row, n_runs=min(max(needed, row.n_runs + 1), 2 * row.n_runs, MOST_AUTO_RUNS))

    return replace(plan, rows=tuple(map(longer, plan.rows)), clusterings=tuple(map(longer, plan.clusterings)))


def _deviation(found: "Comparison", row: Row) -> float:
    """Largest standard deviation over the runs of any score, or of a plain clustering's agreement indices."""
    if row not in found.plan.clusterings:
        finished = found.finished(row)
        table_row, *_ = table_rows(row, finished, "paper", False, len(found.feature_names))
        return float(table_row.std.max())
    if found.labels is None:
        return 0.0
    labels = found.labels_of(row)
    judged = judge(list(labels.values()), found.labels, repeats=False)
    return float(np.max([judged["ari_std"], judged["fm_std"]]))
