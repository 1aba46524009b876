"""`bench`: compare all methods on data with known relevant features."""

from collections.abc import Callable, Iterable
from os import PathLike

import pandas as pd

from xcompare.core.checks import check_integer
from xcompare.harness.execution import Execution
from xcompare.harness.plan import plan_rows
from xcompare.harness.progress import ProgressReport
from xcompare.harness.run import run_plans
from xcompare.results.recommendation import DESCRIPTION, describe
from xcompare.results.runs import versions
from xcompare.studies.benchmark.collect import judge_answers, judge_runs
from xcompare.studies.benchmark.leaderboard import Leaderboard
from xcompare.studies.benchmark.protocol import FULL, QUICK, BenchmarkEffort, jobs
from xcompare.studies.benchmark.scenarios import SCENARIOS, Scenario, chosen_scenarios

__all__ = ["SCENARIOS", "Leaderboard", "Scenario", "bench"]

TIMEOUT = 60.0  # seconds per run


def bench(
    scenarios: str | Iterable[str] = "all",
    *,
    methods: str | Iterable[str] = "all",
    tiers: Iterable[int] | None = None,
    quick: bool = False,
    n_draws: int | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    store: str | PathLike[str] | None = None,
    timeout: float | None = TIMEOUT,
    progress: bool | Callable[[ProgressReport], None] = True,
    scheduler: str | None = None,
) -> Leaderboard:
    """Compare methods on data with known relevant features.

    Every method gets the data and the true number of clusters. The answer of a comparison is evaluated
    as well, on data with and without clusters: see `Leaderboard.answers`.

    Parameters
    ----------
    scenarios : "all", str or iterable of str, default="all"
        Names of `xcompare.studies.benchmark.SCENARIOS`; a string may contain several, separated by commas.
    methods : "all", str or iterable of str, default="all"
        As for `compare`. Each runs natively if possible, else in R.
    tiers : iterable of {1, 2, 3} or None, default=None
        1: simulated data. 2: real data with labels and appended noise. 3: tests that others designed. None: 1
        and 2, or any if scenarios are named.
    quick : bool, default=False
        A subset of the scenarios and fewer draws, which takes minutes.
    n_draws : int or None, default=None
        Draws of each scenario. None: 5, or 2 if quick; fewer of slow scenarios.
    n_jobs, random_state, store, progress, scheduler
        As for `compare`.
    timeout : float or None, default=60.0
        Time limit of a run in seconds; a run that exceeds it counts as a random ranking. Methods that are
        known to be slow on data of a given size are skipped, unless they expect to stay below the limit.

    Returns
    -------
    Leaderboard

    Raises
    ------
    DataError, UnknownNameError, StoreError, SchedulerError

    Examples
    --------
    >>> import xcompare
    >>> found = xcompare.bench("lone", methods="ls, mi_kmeans", n_draws=1, n_jobs=1, progress=False)
    >>> found.by_scenario("auc").loc["lone", "truth"]
    np.float64(1.0)
    """
    execution = Execution(n_jobs, store, timeout, progress, scheduler)
    effort = QUICK if quick else FULL
    if n_draws is not None:
        check_integer("n_draws", n_draws, 1)
        effort = BenchmarkEffort(n_draws, n_draws, fewer_if_large=False)
    rows = plan_rows(methods, "auto", 1, {})
    chosen = chosen_scenarios(scenarios, tiers, quick=quick)
    left_out = {row.name: reason for row in chosen if (reason := row.why_left_out) is not None}
    todo = list(
        jobs([row for row in chosen if row.name not in left_out], rows, effort, random_state, timeout)
    )
    found = iter(run_plans([(job.data, job.plan) for job in todo if job.plan is not None], execution))
    results = [{} if job.plan is None else next(found) for job in todo]
    described = {job.scenario.name: describe(job.dataset.X) for job in todo if job.draw == 0}
    software = versions(result for one in results for result in one.values())
    return Leaderboard(
        effort,
        random_state,
        judge_runs(todo, results, rows),
        judge_answers(todo, results),
        pd.DataFrame.from_dict(described, orient="index", columns=DESCRIPTION).rename_axis("scenario"),
        left_out,
        {name: ", ".join(some) for name, some in software.items()},
    )
