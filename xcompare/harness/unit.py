"""One unit of work, where it runs: seed, clock, warnings, and whatever goes wrong as a result."""

import os
import threading
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import numpy as np
from joblib import parallel_config

from xcompare import rbridge
from xcompare.exceptions import RUnavailableError, WorkerTimeoutError, XCompareError
from xcompare.harness.plan import Unit
from xcompare.harness.versions import installed
from xcompare.methods import Method, Scores
from xcompare.threads import one_thread
from xcompare.worker import START_LIMIT, Worker

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
    n_clusters: int
    timeout: float | None = None
    isolated: bool = False  # in a process of its own, which may die
    parent: int | None = None  # the process that asked, if on this machine


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


def run_unit(task: Task) -> UnitResult:
    """Run a unit; a method's failure is a result, not an exception."""
    if task.parent not in (None, os.getpid()):
        _end_with(task.parent)
    unit, started = task.unit, time.perf_counter()
    try:
        reason = task.method.why_unavailable(unit.engine)
        if reason is not None:
            raise RUnavailableError(reason)
        if unit.engine == "r":
            rbridge.start()
            started = time.perf_counter()
            with rbridge.time_limit(task.timeout):
                return run_here(task)
        if task.timeout is None and not task.isolated:
            return run_here(task)
        worker = _own_worker()
        started = time.perf_counter()
        return worker.run(__name__, "run_here", task, timeout=task.timeout, label=unit.method)
    except Exception as error:  # whatever a method raises is its result, and the others go on
        return UnitResult(
            unit,
            _status(error),
            _message(error),
            seconds=time.perf_counter() - started,
            warnings=tuple(getattr(error, "warnings", ())),
            output=getattr(error, "output", ""),
            versions=installed(unit.engine),
        )


def run_here(task: Task) -> UnitResult:
    """Run a unit in this process, with one thread."""
    unit = task.unit
    with warnings.catch_warnings(record=True) as caught, one_thread(), parallel_config("sequential"):
        warnings.simplefilter("always")
        started = time.perf_counter()
        scores = task.method.run(
            task.X, task.n_clusters, random_state=unit.seed, engine=unit.engine, **unit.options
        )
        seconds = time.perf_counter() - started
    _check(scores, task.X.shape)
    texts = (*scores.warnings, *(f"{w.category.__name__}: {w.message}" for w in caught))
    return UnitResult(
        unit,
        "ok",
        seconds=seconds,
        scores=scores,
        warnings=tuple(dict.fromkeys(texts)),
        output=scores.output,
        versions=installed(unit.engine),
    )


@cache
def _end_with(parent: int) -> None:
    """End this process when its parent has ended: joblib's would go on and then wait for minutes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def ready() -> None:
    """Do nothing: calling it makes a worker process import what units need."""


def _check(scores: Scores, shape: tuple[int, int]) -> None:
    """Raise unless there is one finite score per feature, or none at all, and one label per row."""
    n_samples, n_features = shape
    for name, values in {"scores": scores.scores, **scores.variants}.items():
        if values.shape not in ((n_features,), (0,)) or not np.isfinite(values).all():
            raise ValueError(f"{name} must be {n_features} finite numbers; got {values}")
    if scores.labels is not None and scores.labels.shape != (n_samples,):
        raise ValueError(f"labels must be one per row ({n_samples}); got shape {scores.labels.shape}")


def _status(error: Exception) -> Status:
    if isinstance(error, WorkerTimeoutError):
        return "timeout"
    return "unavailable" if isinstance(error, RUnavailableError) else "failed"


def _message(error: Exception) -> str:
    """The error in words; its kind too, where it is not one of xcompare's own."""
    return str(error) if isinstance(error, XCompareError) else f"{type(error).__name__}: {error}"


def _own_worker() -> Worker:
    """This thread's worker process, up and with everything imported, so that no clock counts that."""
    if not hasattr(_local, "worker"):
        _local.worker = Worker()
    if not _local.worker.alive:
        _local.worker.run(__name__, "ready", timeout=START_LIMIT, label="the start of a worker process")
    return _local.worker
