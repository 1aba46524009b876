"""Whether the answer hangs on how many features a replica draws: bagging once more, with half of them."""

from collections.abc import Mapping
from dataclasses import replace

from xcompare.comparison import runs
from xcompare.comparison.table import Normalization
from xcompare.comparison.table_row import TableRow, table_rows
from xcompare.harness.plan import Plan, Row, registered
from xcompare.harness.unit import UnitResult

OPTION = "max_features"
RUNS = 5


def row_with_half(plan: Plan, n_features: int, family: str) -> tuple[Row, ...]:
    """The first row of the family with half of the features drawn; none where that was asked for anyway."""
    half = max(1, round(n_features / 2))
    for row in plan.rows:
        if registered(row.method).family == family:
            asked = row.options.get(OPTION) is not None
            if asked or half >= n_features - 1:
                return ()
            # In the order of a store, so that a report from there is the same.
            options = dict(sorted((row.options | {OPTION: half}).items()))
            return (replace(row, options=options, n_runs=min(row.n_runs, RUNS)),)
    return ()


def with_half(
    plan: Plan, results: Mapping[str, UnitResult], normalize: Normalization, n_features: int
) -> TableRow | None:
    """Scores with half of the features drawn; None where that was not looked at, or did not finish."""
    for row in plan.tests:
        if OPTION in row.options:
            done = runs.finished(plan, results, row)
            if done:
                return table_rows(row, done, normalize, False, n_features)[0]
    return None
