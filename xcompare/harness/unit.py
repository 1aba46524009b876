"""One unit of work, where it runs: seed, clock, warnings, and whatever goes wrong as a result."""

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
from xcompare.core.messages import error_text, plain_text
from xcompare.core.threads import one_thread
from xcompare.core.worker import START_LIMIT, SUPPORTED, Worker, end_with
from xcompare.core.worker_folders import live_in
from xcompare.harness.memory import watch_memory
from xcompare.harness.plan import Unit
from xcompare.harness.returned import checked
from xcompare.harness.versions import installed
from xcompare.methods import Method, Scores

Status = Literal["ok", "failed", "timeout", "unavailable"]

_local = threading.local()  # one worker process per thread: Dask workers may have several


@dataclass(frozen=True, eq=False)
class Task:
    """What travels to where the unit runs.

    One object, so that Dask sends the data with each unit: data it holds apart for several units is lost
    with the worker that holds it.
    """

    unit: Unit
    method: Method
    X: np.ndarray
    target: int | np.ndarray  # clusters to find, or labels to explain
    timeout: float | None = None
    isolated: bool = False  # in a process of its own, which may die


@dataclass(frozen=True, eq=False)
class UnitResult:
    """What became of a unit.

    Attributes
    ----------
    unit : Unit
    status : {"ok", "failed", "timeout", "unavailable"}
    message : str
        Why it is not "ok"; else "".
    seconds : float
        Time the method took, without the start of R.
    memory : float or None
        MiB by which its process grew at most; None where unknown, as for R, which has a process of its own.
    scores : Scores or None
        None unless "ok".
    warnings : tuple of str
    output : str
        What R printed.
    versions : mapping of str to str
        Software where it ran.
    """

    unit: Unit
    status: Status
    message: str = ""
    seconds: float = 0.0
    scores: Scores | None = None
    warnings: tuple[str, ...] = ()
    output: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    memory: float | None = None


def run_unit(task: Task) -> UnitResult:
    """Run a unit; a method's failure is a result, not an exception."""
    with _watching_signals() as stopped_by:
        return _run(task, stopped_by)


def _run(task: Task, stopped_by: list[int]) -> UnitResult:
    unit, started = task.unit, time.perf_counter()
    try:
        reason = task.method.why_unavailable(unit.engine, len(task.X))
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
    except BaseException as error:  # whatever a method raises is its result, and the others go on
        if stopped_by:  # unless a signal led to it
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
    with warnings.catch_warnings(record=True) as caught, one_thread(), parallel_config("sequential"):
        warnings.simplefilter("always")
        taken = watch_memory()
        started = time.perf_counter()
        with _left_as_it_was():
            returned = task.method.run(
                task.X, task.target, random_state=unit.seed, engine=unit.engine, **unit.options
            )
        seconds = time.perf_counter() - started
        memory = taken() if unit.engine == "python" else None
    scores = checked(returned, task.method, task.X.shape)
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
    """Context after which no other process goes on from here, and the modules there were are there."""
    process, modules = os.getpid(), dict(sys.modules)
    try:
        yield
    finally:
        if os.getpid() != process:  # a method forked, and came back twice
            os._exit(1)
        for name in modules.keys() - sys.modules.keys():
            sys.modules[name] = modules[name]


def settle(parent: int, home: str) -> None:
    """Make this process, one of joblib's, end with its parent and leave Ctrl-C and its folders to it.

    Left alone it would go on with its unit, and then wait for minutes; if it never got one, too.

    Parameters
    ----------
    parent : int
        The process that asked.
    home : str
        Where that one keeps the folders of worker processes.
    """
    end_with(parent)
    live_in(home)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _watching_signals() -> Iterator[list[int]]:
    """Context with the signals whose handlers raised meanwhile: requests to stop, Ctrl-C among them."""
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
    """Do nothing: calling it makes a worker process import what units need."""


def _status(error: BaseException) -> Status:
    if isinstance(error, WorkerTimeoutError):
        return "timeout"
    return "unavailable" if isinstance(error, RUnavailableError) else "failed"


def _message(error: BaseException) -> str:
    """The error in words; its kind too, where it is not one of xcompare's own."""
    return plain_text(error) if isinstance(error, XCompareError) else error_text(error)


def _own_worker() -> Worker:
    """This thread's worker process, up and with everything imported, so that no clock counts that."""
    if not hasattr(_local, "worker"):
        _local.worker = Worker()
    if not _local.worker.alive:
        _local.worker.run(__name__, "ready", timeout=START_LIMIT, label="the start of a worker process")
    return _local.worker
