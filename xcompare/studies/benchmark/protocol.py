"""The runs of a benchmark: every method, and the tests behind the answer, on every draw of every scenario."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xcompare.core.seeds import derive_seed
from xcompare.harness.data import Data
from xcompare.harness.plan import Plan, Row, registered, rows_of_tests
from xcompare.harness.preparation import prepare
from xcompare.inference.rankings import LEADER
from xcompare.io.datasets import Dataset
from xcompare.studies.benchmark.scenarios import Scenario


@dataclass(frozen=True)
class BenchmarkEffort:
    """Numbers of draws."""

    n_draws: int  # draws of each scenario with clusters
    n_empty_draws: int  # draws of each scenario without clusters, on which only the answer is evaluated
    fewer_if_large: bool = True  # slow scenarios have fewer, as they say


FULL = BenchmarkEffort(n_draws=5, n_empty_draws=20)
QUICK = BenchmarkEffort(n_draws=2, n_empty_draws=2)


@dataclass(frozen=True, eq=False)
class ScenarioJob:
    """Runs on one draw of a scenario."""

    scenario: Scenario
    draw: int
    dataset: Dataset  # the draw, with the known labels and relevant features
    data: Data  # the data passed to the methods
    plan: Plan | None  # None if every method would take too long
    too_slow: dict[str, str]  # methods that are skipped, with the reason


def jobs(
    scenarios: Sequence[Scenario],
    rows: Sequence[Row],
    effort: BenchmarkEffort,
    random_state: int,
    timeout: float | None,
) -> Iterator[ScenarioJob]:
    """Runs for these scenarios and rows of methods, draw by draw; none that would exceed the time limit."""
    leads = [row for row in rows if registered(row.method).family == LEADER]
    for scenario in scenarios:
        n_draws = effort.n_empty_draws if scenario.empty else effort.n_draws
        some = leads if scenario.empty else rows
        if effort.fewer_if_large:
            n_draws = min(n_draws, scenario.n_draws or n_draws)
        for draw in range(n_draws if some else 0):
            dataset = scenario.draw(derive_seed(random_state, "scenario", scenario.name, draw))
            levels = {f"x{j}": kind for j, kind in enumerate(dataset.kinds) if kind != "numeric"}
            name = f"{scenario.name}, draw {draw}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # notes on the kinds, which were asked for
                data = prepare(dataset.X, dataset.n_clusters, dataset.labels, name, columns=levels)
            too_slow = _too_slow(some, data, timeout)
            left = tuple(row for row in some if row.method not in too_slow)
            tests = rows_of_tests() if any(registered(row.method).family == LEADER for row in left) else ()
            plan = Plan(data.fingerprint, data.n_clusters, random_state, left, tests=tests) if left else None
            yield ScenarioJob(scenario, draw, dataset, data, plan, too_slow)


def _too_slow(rows: Sequence[Row], data: Data, timeout: float | None) -> dict[str, str]:
    """Methods that would exceed the time limit, with the reason."""
    too_slow = {}
    for row in rows:
        method, size = registered(row.method), (row.engine, data.X.shape, data.n_clusters, row.options)
        said = method.why_slow(*size)
        if said and not 0 < method.expected_seconds(*size) <= (timeout or 0):  # 0: it does not say
            too_slow[row.method] = said
    return too_slow
