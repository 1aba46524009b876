"""Execution: units through joblib, here or on a Dask cluster, and each result into the store at once."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import BrokenProcessPool

from xcompare.exceptions import SchedulerError
from xcompare.harness.data import Data
from xcompare.harness.plan import Plan, Unit, registered
from xcompare.harness.store import RunStore
from xcompare.harness.unit import Task, UnitResult, run_unit

CONNECT_SECONDS = 10  # to reach a Dask scheduler


def missing_units(plans: list[Plan], store: RunStore) -> list[tuple[Plan, Unit]]:
    """Units of the plans that the store does not hold yet, each once, in the order to run them."""
    units = {unit.key: (plan, unit) for plan in plans for unit in plan.units()}
    done = store.finished(unit for _, unit in units.values())
    return [pair for key, pair in units.items() if key not in done]


def execute(
    data: Data,
    todo: list[tuple[Plan, Unit]],
    store: RunStore,
    *,
    n_jobs: int | None = None,
    timeout: float | None = None,
    scheduler: str | None = None,
    on_result: Callable[[UnitResult], None] | None = None,
) -> None:
    """Run units and commit each as it finishes.

    Parameters
    ----------
    data : Data
    todo : list of (Plan, Unit)
    store : RunStore
    n_jobs : int or None, default=None
        Processes on this machine; None: as many as cores. Results do not depend on it.
    timeout : float or None, default=None
        Seconds a unit may take, without the start of its process or of R.
    scheduler : str or None, default=None
        Address of a Dask scheduler; ``n_jobs`` then plays no part.
    on_result : callable or None, default=None
        Called with each `UnitResult` after it is committed.
    """
    left = {unit.key: (plan, unit) for plan, unit in todo}
    parent = os.getpid() if scheduler is None else None

    def run_all(isolated: bool) -> None:
        tasks = [
            Task(unit, registered(unit.method), data.X, plan.n_clusters, timeout, isolated, parent)
            for plan, unit in left.values()
        ]
        # One unit a batch: a batch would hold back finished units until its last one is done.
        parallel = Parallel(batch_size=1, return_as="generator_unordered")
        for result in parallel(map(delayed(run_unit), tasks)):
            plan, _ = left.pop(result.unit.key)
            store.save(result, plan)
            if on_result is not None:
                on_result(result)

    if not left:
        return
    if scheduler is not None:
        with _cluster(scheduler):
            # A unit that takes its process down must not take workers down that others use too.
            run_all(isolated=True)
        return
    with _processes(n_jobs):
        try:
            run_all(isolated=False)
        except BrokenProcessPool:
            # A unit took its process down, and the others with it. Once more, to see which it was.
            run_all(isolated=True)


def _processes(n_jobs: int | None) -> AbstractContextManager:
    """Context in which joblib runs on this machine."""
    return parallel_config("loky", n_jobs=-1 if n_jobs is None else n_jobs, inner_max_num_threads=1)


@contextmanager
def _cluster(scheduler: str) -> Iterator[None]:
    """Context in which joblib runs on a Dask cluster."""
    try:
        from distributed import CancelledError, Client, KilledWorker
        from distributed.comm import resolve_address

        from xcompare.harness.dask_backend import DaskBackend
    except ImportError as error:
        raise SchedulerError(
            "a scheduler needs Dask, which is not installed: pip install 'xcompare[dask]'"
        ) from error
    try:
        resolve_address(scheduler)  # a client with an address it cannot read does not let go for 20 s
        client = Client(scheduler, set_as_default=False, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise SchedulerError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client, parallel_config(DaskBackend(client=client)):
        try:
            yield
        except KilledWorker as error:
            raise SchedulerError(
                f"workers of {scheduler} died again and again under the same unit;"
                " what had finished is in the store"
            ) from error
        except CancelledError as error:
            raise SchedulerError(
                f"the connection to {scheduler} was lost; what had finished is in the store"
            ) from error
