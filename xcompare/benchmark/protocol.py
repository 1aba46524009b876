"""What has to run: every method on every draw of every scenario, and on clouds where claims are counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from xcompare.bagging.reference import Gaussian
from xcompare.benchmark.scenarios import Scenario
from xcompare.datasets import Dataset
from xcompare.harness.data import Data, prepare
from xcompare.harness.plan import Plan, Row, registered
from xcompare.seeds import derive_seed


@dataclass(frozen=True)
class Effort:
    """How often things are drawn.

    Attributes
    ----------
    n_draws : int
        Of each scenario with clusters.
    n_claim_draws : int
        Of each scenario on which claims are counted.
    n_clouds : int
        Gaussian clouds that each of these is held against; 19 are the fewest for a level of .05.
    """

    n_draws: int
    n_claim_draws: int
    n_clouds: int = 19


FULL = Effort(n_draws=5, n_claim_draws=10)
QUICK = Effort(n_draws=2, n_claim_draws=2)


@dataclass(frozen=True, eq=False)
class Job:
    """Every method on one draw of a scenario, or on a cloud with its mean and covariance.

    Attributes
    ----------
    scenario : Scenario
    draw : int
    cloud : int or None
        Number of the cloud; None for the draw itself.
    dataset : Dataset
        The draw, with its truth; also for a cloud.
    data : Data
        What methods see.
    plan : Plan or None
        None where every method would take too long.
    too_slow : dict of str to str
        Methods that are not run on it, with the reason.
    """

    scenario: Scenario
    draw: int
    cloud: int | None
    dataset: Dataset
    data: Data
    plan: Plan | None
    too_slow: dict[str, str] = field(default_factory=dict)


def jobs(
    scenarios: Sequence[Scenario], rows: Sequence[Row], effort: Effort, random_state: int
) -> Iterator[Job]:
    """What has to run for these scenarios and rows of methods, one draw after the other."""
    for scenario in scenarios:
        wanted = 0 if scenario.empty else min(effort.n_draws, scenario.n_draws or effort.n_draws)
        n_claims = effort.n_claim_draws if scenario.claims else 0
        for draw in range(max(wanted, n_claims)):
            dataset = scenario.draw(derive_seed(random_state, "scenario", scenario.name, draw))
            yield _job(scenario, draw, None, dataset, dataset.X, rows, random_state)
            for cloud in range(effort.n_clouds if draw < n_claims else 0):
                seed = derive_seed(random_state, "scenario", scenario.name, draw, "cloud", cloud)
                points = Gaussian.of(dataset.X).draw(np.random.default_rng(seed))
                yield _job(scenario, draw, cloud, dataset, points, rows, random_state)


def _job(
    scenario: Scenario,
    draw: int,
    cloud: int | None,
    dataset: Dataset,
    X: np.ndarray,
    rows: Sequence[Row],
    random_state: int,
) -> Job:
    where = f"{scenario.name}, draw {draw}" + ("" if cloud is None else f", cloud {cloud}")
    data = prepare(X, dataset.n_clusters, dataset.labels, where)
    too_slow = {
        row.method: said
        for row in rows
        if (said := registered(row.method).why_slow(row.engine, data.X.shape, data.n_clusters, row.options))
    }
    left = tuple(row for row in rows if row.method not in too_slow)
    plan = Plan(data.fingerprint, data.n_clusters, random_state, left) if left else None
    return Job(scenario, draw, cloud, dataset, data, plan, too_slow)
