"""Calls to R with numpy arrays, numbers and strings as arguments and results, never R objects.

R runs in separate worker processes, so that a crash or a hang of R affects one call only. They start
with the first call and keep running. Importing this module does not start R or import rpy2.
"""

import os
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from xcompare.core.errors import RPackageMissingError, RUnavailableError, WorkerError
from xcompare.core.worker import START_LIMIT, Worker
from xcompare.rbridge import detect
from xcompare.rbridge.arguments import check_seed, plain
from xcompare.rbridge.detect import RStatus, status

__all__ = [
    "RResult",
    "RStatus",
    "call",
    "require",
    "shutdown",
    "start",
    "status",
    "time_limit",
    "why_unavailable",
]

SESSION = "xcompare.rbridge.session"

# A call takes an idle worker or starts one: there are as many as there were simultaneous calls.
_workers: weakref.WeakSet[Worker] = weakref.WeakSet()
_idle: list[Worker] = []
os.register_at_fork(after_in_child=_idle.clear)

_time_limit: ContextVar[float | None] = ContextVar("xcompare_r_time_limit", default=None)


@dataclass(frozen=True, eq=False)
class RResult:
    """Result of an R function."""

    # The named list: vectors as 1-d arrays (also those of length 1), matrices as 2-d arrays, character
    # vectors and factors as lists of str, NULL as None, lists as dicts (without names: as lists). NA is nan,
    # which makes integers and logicals floats; in strings it is None.
    values: dict[str, Any]
    warnings: tuple[str, ...]  # R warnings
    output: str  # printed output, including messages
    seconds: float  # running time in R
    r_version: str  # e.g. ``"4.2.2"``.


def why_unavailable(packages: Iterable[str] = ()) -> str | None:
    """Why R or one of these R packages is not available; None if all are."""
    return status(packages).reason


def require(packages: Iterable[str] = (), *, caller: str) -> None:
    """Raise an error unless R and these R packages are available.

    ``packages``: required R packages. ``caller``: what requires them, for the message.

    Raises
    ------
    RUnavailableError
        No R, or no usable rpy2.
    RPackageMissingError
        A package is not installed.
    """
    found = status(packages)
    if found.reason is not None:
        kind = RPackageMissingError if detect.detect().reason is None else RUnavailableError
        raise kind(f"{caller} needs R: {found.reason}")


@cache
def scripts_folder() -> Path:
    """Folder of the R scripts: the copy in the wheel, else ``r_scripts`` of the checkout."""
    package = Path(__file__).resolve().parents[1]
    candidates = (package / "r_scripts", package.parent / "r_scripts")
    for folder in candidates:
        if (folder / "xcompare.R").is_file():
            return folder
    places = " or ".join(map(str, candidates))
    raise FileNotFoundError(f"xcompare's R scripts are not in {places}; please reinstall xcompare")


def call(
    function: str,
    arguments: Mapping[str, Any],
    *,
    script: str | Path | None = None,
    seed: int | None = None,
    timeout: float | None = None,
) -> RResult:
    """Call an R function.

    Parameters
    ----------
    function : str
        Function of ``r_scripts/xcompare.R``, or of ``script``; it must return a named list.
    arguments : mapping of str to value
        Arrays (1-d: vector, 2-d: matrix) of numbers, bools or str, scalars of these, lists, None
        (NULL), and dicts of such values (named lists). nan arrives as NaN.
    script : str, Path or None, default=None
        Another R file, whose functions can call those of ``xcompare.R``.
    seed : int or None, default=None
        For ``set.seed``, from 0 to 2**31 - 1, with R's default generators; the result does not depend
        on previous calls. None: a different result each time.
    timeout : float or None, default=None
        Time limit in seconds, without the startup of R. None: that of `time_limit`, else no limit.

    Raises
    ------
    FileNotFoundError
        There is no such script.
    RUnavailableError
        No R, or no usable rpy2.
    RCallError
        R raised an error, or returned an object that cannot be converted.
    WorkerTimeoutError, WorkerCrashError
        R exceeded the time limit, or ended. The next call starts R again.

    Examples
    --------
    >>> result = call("xc_laplacian_score", {"x": X})  # doctest: +SKIP
    >>> result.values["importance"]  # doctest: +SKIP
    """
    xcompare = scripts_folder() / "xcompare.R"
    path = None if script is None else Path(script).absolute()
    if path is not None and not path.is_file():
        raise FileNotFoundError(f"script must be an R file; got {path}, which is not there")
    values = {name: plain(value, name) for name, value in arguments.items()}
    seed = check_seed(seed)
    timeout = _time_limit.get() if timeout is None else timeout
    worker = _take_worker()
    try:
        _start_r(worker)
        job = (str(xcompare), None if path is None else str(path), function, values, seed)
        label = f"R function {function}() of {(path or xcompare).name}"
        return RResult(**worker.run(SESSION, "call", *job, timeout=timeout, label=label))
    finally:
        _idle.append(worker)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Context with a default time limit for calls that have none; None: no limit."""
    before = _time_limit.set(seconds)
    try:
        yield
    finally:
        _time_limit.reset(before)


def start() -> None:
    """Start R if no idle worker is running, so that a timed call does not include it.

    Raises
    ------
    RUnavailableError
        No R, or no usable rpy2.
    """
    worker = _take_worker()
    try:
        _start_r(worker)
    finally:
        _idle.append(worker)


def shutdown() -> None:
    """End all R processes, including running calls, and clear the cached status of R."""
    for worker in list(_workers):
        worker.kill()
    detect.detect.cache_clear()


def _take_worker() -> Worker:
    """An idle worker, or a new one; it is returned to the pool after use."""
    try:
        return _idle.pop()
    except IndexError:
        worker = Worker()
        _workers.add(worker)
        return worker


def _start_r(worker: Worker) -> None:
    """Start R in a new worker, not counted in the time of the call; explain failures."""
    if worker.alive:
        return
    if detect.find_rscript() is None or detect.find_rpy2() is None:
        raise RUnavailableError(detect.detect().reason)
    try:
        worker.run(SESSION, "start", timeout=START_LIMIT, label="the start of R")
    except (RUnavailableError, WorkerError) as error:
        worker.kill()
        reason = detect.detect().reason or f"R could not be started: {error}. {detect.STILL_WORKS}"
        raise RUnavailableError(reason) from error
