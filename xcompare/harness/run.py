"""Execution: run units with joblib, locally or on a Dask cluster, and store each result at once."""

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config

from xcompare.core import worker_folders
from xcompare.core.errors import SchedulerError
from xcompare.core.threads import without_working_folder
from xcompare.harness.data import Data
from xcompare.harness.data_file import DataFile
from xcompare.harness.execution import Execution
from xcompare.harness.outlook import outlook
from xcompare.harness.plan import Plan, Unit, registered
from xcompare.harness.progress import Reporter
from xcompare.harness.store import RunStore
from xcompare.harness.unit import Task, UnitResult, run_unit, settle
from xcompare.harness.versions import installed

CONNECT_SECONDS = 10  # to reach a Dask scheduler
ATTEMPTS = 3  # to run units in parallel if processes die
LOST = "lost: the process it ran in was killed each time; run the same again to try once more"

Results = dict[str, UnitResult]  # by the keys of the units
Todo = tuple[Data, Plan, Unit]


def run_plans(work: Sequence[tuple[Data, Plan]], execution: Execution) -> list[Results]:
    """Run the units of these plans that are missing in the store, all together.

    ``work``: plans, each with its data. Returns results of each plan's units by key.
    """
    with _started(work, execution) as (store, _, todo, report):
        execute(todo, store, execution, on_result=report)
        return [store.results(plan.units(), data.n_samples) for data, plan in work]


def run_in_stages(
    data: Data,
    plan: Plan,
    execution: Execution,
    *,
    extend: Callable[[Plan, Results], Plan] | None = None,
    preview: Callable[[Plan, Results], None] | None = None,
) -> tuple[Plan, Results]:
    """Run the units of a plan that are missing in the store, and those added in view of the results.

    ``extend``: called with the plan and the results of all its units; returns the plan with more runs, or the
    same plan to stop. It always sees a complete stage, so the result does not depend on execution order.
    ``preview``: called once, unless nothing else is to run, with a plan of the first run of each row and all
    tests, and its results; the other units continue meanwhile. Returns ``plan``: the final plan, which
    replaces the given one in the store; ``results``.
    """
    first = replace(plan, rows=tuple(replace(row, n_runs=1) for row in plan.rows), clusterings=())
    early = {unit.key for unit in first.units()} if preview is not None else set()
    started = _started([(data, plan)], execution, early, open_ended=extend is not None)
    with started as (store, [key], todo, report):
        waiting = early.intersection(unit.key for _, _, unit in todo)
        due = preview is not None and len(waiting) < len(todo)

        def show_preview() -> None:
            nonlocal due
            if due and not waiting and preview is not None:
                due = False
                with report.paused():
                    preview(first, store.results(first.units(), data.n_samples))

        def on_result(result: UnitResult) -> None:
            report(result)
            waiting.discard(result.unit.key)
            show_preview()

        show_preview()
        while True:
            if todo:
                store.update_plan(key, plan)
                execute(todo, store, execution, on_result=on_result)
            results = store.results(plan.units(), data.n_samples)
            longer = plan if extend is None else extend(plan, results)
            if longer == plan:
                store.update_plan(key, plan)
                return plan, results
            plan, todo = longer, missing_units([(data, longer)], store)
            report.expect(_units(todo))


@contextmanager
def _started(
    work: Sequence[tuple[Data, Plan]],
    execution: Execution,
    early: Collection[str] = (),
    *,
    open_ended: bool = False,
) -> Iterator[tuple[RunStore, list[str], list[Todo], Reporter]]:
    """Context with the open store, the keys of the comparisons in it, the units to run, and the progress."""
    with RunStore(execution.store) as store:
        kept = execution.store is not None  # in memory, the caller has the values
        keys = [store.save_comparison(plan, data.info, data.values if kept else None) for data, plan in work]
        todo = missing_units(work, store, early)
        _note_changes(todo, store)
        _note_slow(todo)
        with Reporter(execution.progress, _units(todo), open_ended=open_ended) as report:
            report.announce(outlook(todo, _n_processes(execution)))
            yield store, keys, todo, report


def missing_units(
    work: Sequence[tuple[Data, Plan]], store: RunStore, early: Collection[str] = ()
) -> list[Todo]:
    """Units that are missing in the store, each once, with data and plan.

    Order: units with ``early`` keys, then one unit of each method, for an early estimate of the running
    time, then those of R, which take longest, so that short ones fill the gaps at the end.
    """
    units = {unit.key: (data, plan, unit) for data, plan in work for unit in plan.units()}
    done = store.finished(unit for _, _, unit in units.values())
    missing = [one for key, one in units.items() if key not in done]
    first = {(data.fingerprint, unit.method, unit.engine): unit.key for data, _, unit in reversed(missing)}
    firsts = set(first.values())

    def order(one: Todo) -> tuple[bool, ...]:
        _, _, unit = one
        return unit.key not in early, unit.key not in firsts, unit.engine != "r"

    return sorted(missing, key=order)


def execute(
    todo: Sequence[Todo],
    store: RunStore,
    execution: Execution,
    *,
    on_result: Callable[[UnitResult], None],
) -> None:
    """Run units and store each as it finishes; then call ``on_result``."""
    left = {unit.key: (data, plan, unit) for data, plan, unit in todo}
    scheduler, timeout = execution.scheduler, execution.timeout

    files: dict[str, DataFile] = {}

    def placed(data: Data) -> np.ndarray | DataFile:
        """The data itself, or the file that workers read it from."""
        if execution.data_on_workers is None:
            return data.X
        if data.fingerprint not in files:
            files[data.fingerprint] = DataFile.write(data.X, execution.data_on_workers)
        return files[data.fingerprint]

    def run_some(units: Iterable[Todo], isolated: bool) -> None:
        tasks = [
            Task(
                unit,
                registered(unit.method),
                placed(data),
                _target(data, plan, unit),
                timeout,
                isolated,
                data.info.scored,
                data.weights,
            )
            for data, plan, unit in units
        ]
        # One unit per batch: larger batches would delay finished units until the last one is done.
        parallel = Parallel(batch_size=1, return_as="generator_unordered")
        for result in parallel(map(delayed(run_unit), tasks)):
            keep(result)

    def keep(result: UnitResult) -> None:
        _, plan, _ = left.pop(result.unit.key)
        store.save(result, plan)
        on_result(result)

    if not left:
        return
    if scheduler is not None:
        with _cluster(scheduler):
            # A unit that kills its process must not kill shared workers.
            run_some(left.values(), isolated=True)
        return
    try:
        with without_working_folder(), _processes(execution.n_jobs):
            for attempt in range(ATTEMPTS):
                # Next time, use a separate process for each unit, as one may have killed the others.
                with suppress(BrokenProcessPool):
                    run_some(left.values(), isolated=attempt > 0)
                    return
            for one in list(left.values()):  # one at a time, to identify it
                try:
                    run_some([one], isolated=True)
                except BrokenProcessPool:
                    keep(UnitResult(one[-1], "failed", LOST, versions=installed(one[-1].engine)))
    finally:
        worker_folders.clear_up()


def _n_processes(execution: Execution) -> int:
    """Processes on this machine; 1 on a cluster, whose size may change."""
    if execution.scheduler is not None:
        return 1
    return effective_n_jobs(-1 if execution.n_jobs is None else execution.n_jobs)


def _units(todo: Sequence[Todo]) -> list[Unit]:
    return [unit for _, _, unit in todo]


def _note_changes(todo: Sequence[Todo], store: RunStore) -> None:
    """Warn about methods that are computed again because their implementation has changed."""
    rows = {(plan.fingerprint, unit.method, unit.engine): (plan, unit) for _, plan, unit in todo}
    notes = {
        f"{unit.method} ({unit.engine}) is computed again: the store holds runs of"
        f" {' and '.join(others)}, here it is {unit.version}": None
        for plan, unit in rows.values()
        if (others := store.other_versions(plan, unit))
    }
    for note in notes:
        warnings.warn(note, stacklevel=6)


def _note_slow(todo: Sequence[Todo]) -> None:
    """Warn about methods that are slow on data of this size, before they start."""
    notes: dict[str, None] = {}
    for data, plan, unit in todo:
        method = registered(unit.method)
        if note := method.why_slow(unit.engine, data.X.shape, plan.n_clusters, unit.options):
            notes[f"{unit.method} {note}"] = None
    for note in notes:
        warnings.warn(note, stacklevel=6)


def _target(data: Data, plan: Plan, unit: Unit) -> int | np.ndarray:
    """Number of clusters or, for a measure, the labels to explain."""
    if unit.kind != "measure":
        return plan.n_clusters
    assert data.labels is not None
    return data.labels


def _processes(n_jobs: int | None) -> AbstractContextManager:
    return parallel_config(
        "loky",
        n_jobs=-1 if n_jobs is None else n_jobs,
        inner_max_num_threads=1,
        initializer=settle,
        initargs=(os.getpid(), str(worker_folders.home())),
    )


@contextmanager
def _cluster(scheduler: str) -> Iterator[None]:
    try:
        from distributed import CancelledError, Client, KilledWorker
        from distributed.comm import resolve_address

        from xcompare.harness.dask_backend import DaskBackend
    except ImportError as error:
        raise SchedulerError(
            "a scheduler needs Dask, which is not installed: pip install 'xcompare-clustering[dask]'"
        ) from error
    try:
        resolve_address(scheduler)  # a client with an invalid address blocks for 20 s
        client = Client(scheduler, set_as_default=False, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise SchedulerError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client, parallel_config(DaskBackend(client=client)):
        try:
            yield
        except KilledWorker as error:
            raise SchedulerError(
                f"workers of {scheduler} died repeatedly while running the same unit;"
                " finished units are in the store"
            ) from error
        except CancelledError as error:
            raise SchedulerError(
                f"the connection to {scheduler} was lost; finished units are in the store"
            ) from error
