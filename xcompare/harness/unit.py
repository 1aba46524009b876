"""Run one unit of work: seed, timing, warnings, and errors as results."""

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from joblib import parallel_config

from xcompare import rbridge
from xcompare.core.errors import RCallError, RUnavailableError, WorkerTimeoutError, XCompareError
from xcompare.core.escaping import error_text, plain_text
from xcompare.core.features import Feature, scored_names
from xcompare.core.threads import one_thread
from xcompare.core.worker import START_LIMIT, SUPPORTED, Worker, end_with
from xcompare.core.worker_folders import live_in
from xcompare.harness.data_file import DataFile
from xcompare.harness.memory import watch_memory
from xcompare.harness.plan import Unit
from xcompare.harness.returned import checked
from xcompare.harness.versions import installed
from xcompare.methods import Method, Scores
from xcompare.methods.tables import run_on_table

Status = Literal["ok", "failed", "timeout", "unavailable"]

_local = threading.local()  # one worker process per thread: Dask workers may have several


@dataclass(frozen=True, eq=False)
class Task:
    """A unit with everything needed to run it elsewhere.

    Includes the data, so that Dask sends it with each unit: data scattered to a worker is lost if
    that worker dies. Or says which file holds it.
    """

    unit: Unit
    method: Method
    X: np.ndarray | DataFile
    target: int | np.ndarray  # clusters to find, or labels to explain
    timeout: float | None = None
    isolated: bool = False  # whether to run in a separate process, which may die
    features: tuple[Feature, ...] = ()  # of a table that is not complete numbers
    weights: np.ndarray | None = None  # (n_samples,), of the rows


@dataclass(frozen=True, eq=False)
class UnitResult:
    """Result of a unit."""

    unit: Unit
    status: Status
    message: str = ""  # reason if the status is not "ok"; else ""
    seconds: float = 0.0  # running time of the method, without the startup of R
    scores: Scores | None = None  # None unless "ok"
    warnings: tuple[str, ...] = ()
    output: str = ""  # printed output of R
    versions: Mapping[str, str] = field(default_factory=dict)  # software versions where it ran
    # Peak memory growth of the process in MiB; None if unknown, as for R, which runs in another process
    memory: float | None = None


def run_unit(task: Task) -> UnitResult:
    """Run a unit; the failure of a method is a result, not an exception."""
    unit, started = task.unit, time.perf_counter()
    with _watching_signals() as stopped_by:
        try:
            reason = task.method.why_unavailable(unit.engine, len(task.X), task.weights is not None)
            if reason is not None:
                raise RUnavailableError(reason)
            if unit.engine == "r":
                rbridge.start()
                started = time.perf_counter()
                with rbridge.time_limit(task.timeout):
                    return run_here(task)
            if task.timeout is None and not (task.isolated and SUPPORTED):
                return run_here(task)
            worker = _own_worker()
            started = time.perf_counter()
            return worker.run(__name__, "run_here", task, timeout=task.timeout, label=unit.method)
        except BaseException as error:  # any exception of a method is its result; the others continue
            if stopped_by:  # unless caused by a signal
                raise
            said = error if isinstance(error, RCallError) else RCallError("")
            return UnitResult(
                unit,
                _status(error),
                _message(error),
                seconds=time.perf_counter() - started,
                warnings=tuple(plain_text(text) for text in said.warnings),
                output=plain_text(said.output),
                versions=installed(unit.engine),
            )


def run_here(task: Task) -> UnitResult:
    """Run a unit in this process, with one thread."""
    unit = task.unit
    X = task.X.read() if isinstance(task.X, DataFile) else task.X
    with warnings.catch_warnings(record=True) as caught, one_thread(), parallel_config("sequential"):
        warnings.simplefilter("always")
        taken = watch_memory()
        started = time.perf_counter()
        with _left_as_it_was():
            returned = run_on_table(
                task.method,
                X,
                task.target,
                task.features,
                random_state=unit.seed,
                engine=unit.engine,
                options=unit.options,
                weights=task.weights,
            )
        seconds = time.perf_counter() - started
        memory = taken() if unit.engine == "python" else None
    n_features = len(scored_names(task.features)) or task.X.shape[1]
    scores = checked(returned, task.method, (len(task.X), n_features))
    texts = (*scores.warnings, *(f"{w.category.__name__}: {plain_text(w.message)}" for w in caught))
    return UnitResult(
        unit,
        "ok",
        seconds=seconds,
        scores=scores,
        warnings=tuple(dict.fromkeys(texts)),
        output=scores.output,
        versions=installed(unit.engine),
        memory=memory,
    )


@contextmanager
def _left_as_it_was() -> Iterator[None]:
    """Context that ends forked copies of this process and restores removed modules."""
    process, modules = os.getpid(), dict(sys.modules)
    try:
        yield
    finally:
        if os.getpid() != process:  # the method forked, and this is the child
            os._exit(1)
        for name in modules.keys() - sys.modules.keys():
            sys.modules[name] = modules[name]


def settle(parent: int, home: str) -> None:
    """Make this joblib worker end with its parent, which handles Ctrl-C and temporary folders.

    Otherwise an orphaned worker would finish its unit and then idle for minutes.

    ``parent``: process id of the parent. ``home``: folder of the parent's worker processes.
    """
    end_with(parent)
    live_in(home)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _watching_signals() -> Iterator[list[int]]:
    """Context with a list of the signals whose handlers raised, such as Ctrl-C."""
    raised: list[int] = []
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
        handlers = {number: handler for number, handler in handlers.items() if callable(handler)}

    def handle(number: int, frame: Any) -> None:
        try:
            handlers[number](number, frame)
        except BaseException:
            raised.append(number)
            raise

    for number in handlers:
        signal.signal(number, handle)
    try:
        yield raised
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def ready() -> None:
    """Do nothing; calling it makes a worker process import what units need."""


def _status(error: BaseException) -> Status:
    if isinstance(error, WorkerTimeoutError):
        return "timeout"
    return "unavailable" if isinstance(error, RUnavailableError) else "failed"


def _message(error: BaseException) -> str:
    """Message of an error, with its type unless it is one of xcompare's own."""
    return plain_text(error) if isinstance(error, XCompareError) else error_text(error)


def _own_worker() -> Worker:
    """This thread's worker process, started with everything imported, so that timing excludes it."""
    if not hasattr(_local, "worker"):
        _local.worker = Worker()
    if not _local.worker.alive:
        _local.worker.run(__name__, "ready", timeout=START_LIMIT, label="the start of a worker process")
    return _local.worker
