"""A worker process that can be killed, for R and for jobs with a time limit.

Process pools cannot stop a single job, and lose all jobs if one crashes. A ``Worker`` is one child
process that runs one job at a time in its main thread and answers through a socket. Whatever
happens to the child (crash, ``quit()``, hang), the parent gets one clear error, and the next job
gets a new child.

The child is started with ``python -m xcompare.core.worker FD PPID``: a plain script needs no
``if __name__ == "__main__"``, and daemonic processes (joblib, dask) may have workers too. Process groups and
inherited file descriptors are POSIX: Windows has no workers.
"""

import builtins
import contextlib
import importlib
import math
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
import warnings
import weakref
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from xcompare.core import errors, worker_folders
from xcompare.core.errors import WorkerCrashError, WorkerError, WorkerTimeoutError, XCompareError
from xcompare.core.escaping import error_text, plain_text

SUPPORTED = hasattr(os, "killpg")  # not on Windows
START_LIMIT = 120.0  # seconds a child may take to come up, on a machine that is very busy
WATCH_INTERVAL = 0.5  # seconds between two looks whether the parent is still there
LOG_TAIL = 1500  # characters of stray output shown in the message of a crash
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


class Worker:
    """A child process that runs jobs one at a time.

    The child is started for the first job, and again after a crash or a timeout. It ends with
    ``kill``, when the ``Worker`` is garbage collected, or when this process ends for any reason.
    Threads may share a worker (their jobs are queued); a forked process gets a child of its own.

    Attributes
    ----------
    warnings : tuple of str
        Python warnings the last job raised, as ``"Category: message"``.

    Examples
    --------
    >>> worker = Worker()
    >>> worker.run("math", "hypot", 3.0, 4.0)
    5.0
    >>> worker.run("time", "sleep", 60, timeout=0.1)
    Traceback (most recent call last):
    ...
    xcompare.core.errors.WorkerTimeoutError: time.sleep gave no result within 0.1 s; its process was killed
    >>> worker.kill()
    """

    def __init__(self) -> None:
        self._child: _Child | None = None
        self._lock = threading.RLock()
        self.warnings: tuple[str, ...] = ()

    @property
    def alive(self) -> bool:
        """Whether the child process is running, so that the next job starts at once."""
        child = self._child
        return child is not None and child.owner == os.getpid() and child.process.poll() is None

    def start(self) -> None:
        """Start the child process if it is not running; otherwise the first job does."""
        with self._own_lock():
            if not self.alive:
                self.kill()
                self._child = _Child()
                self._child.finalizer = weakref.finalize(self, self._child.end)

    def run(
        self,
        module: str,
        function: str,
        /,
        *args: Any,
        timeout: float | None = None,
        label: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Run ``module.function(*args, **kwargs)`` in the child and return its result.

        ``module``, ``function``: what to import and call there. Arguments and result are pickled.
        ``timeout``: time limit of the job in seconds, without the startup of the child. None: no limit.
        ``label``: name of the job in error messages. None: ``module.function``.

        Raises
        ------
        WorkerTimeoutError
            The job exceeded its time limit, and the child was killed.
        WorkerCrashError
            The child ended during the job.
        WorkerError
            The job raised an error that is neither built-in nor xcompare's own; those two kinds
            are raised with their own type.
        """
        job = pickle.dumps((module, function, args, kwargs), protocol=5)
        with self._own_lock():
            self.start()
            assert self._child is not None
            try:
                answer = self._child.ask(job, label or f"{module}.{function}", timeout)
            except BaseException:  # including KeyboardInterrupt: the job must not outlive its caller
                self.kill()
                raise
        value, error, self.warnings = pickle.loads(answer)
        if error is not None:
            _raise(*error)
        return value

    def kill(self) -> None:
        """End the child process and everything it started; a running job fails as a crash."""
        child = self._child
        if child is None:
            return
        child.signal()  # outside the lock, which a running job holds until its child is gone
        with self._own_lock():
            child.finalizer()
            if self._child is child:
                self._child = None

    def _own_lock(self) -> threading.RLock:
        if self._child is not None and self._child.owner != os.getpid():
            self._lock = threading.RLock()  # after a fork, a thread of the parent may hold the old one
        return self._lock


class _Child:
    """A started child process: its connection, its temporary folder and its log."""

    finalizer: Callable[[], Any]

    def __init__(self) -> None:
        if not SUPPORTED:
            raise WorkerError("processes that can be killed need Linux or macOS")
        self.owner = os.getpid()
        # R leaves its temporary folder behind when killed; inside ours it is removed with it.
        self.folder = worker_folders.make()
        ours, theirs = socket.socketpair()
        with theirs, open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                # -P: files in the working directory must not shadow modules the parent uses
                [sys.executable, "-P", "-u", "-m", __name__, str(theirs.fileno()), str(self.owner)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=python_environment() | ONE_THREAD | {"TMPDIR": str(self.folder)},
            )
        self.connection = Connection(ours.detach())
        try:
            self._receive("the start of a worker process", START_LIMIT)
        except BaseException:
            self.end()
            raise

    def ask(self, job: bytes, name: str, timeout: float | None) -> bytes:
        os.truncate(self.folder / "log", 0)
        # A child that ended between two jobs breaks the pipe; _receive reports how it ended.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send_bytes(job)
        return self._receive(name, timeout)

    def _receive(self, name: str, timeout: float | None) -> bytes:
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        try:
            while not self.connection.poll(max(0.0, min(1.0, deadline - time.monotonic()))):
                if time.monotonic() >= deadline:
                    raise WorkerTimeoutError(
                        f"{name} gave no result within {timeout:g} s; its process was killed"
                    )
                # A dead child's end of the connection stays open if it had forked (as R's parallel does).
                if self.process.poll() is not None and not self.connection.poll():
                    raise EOFError
            return self.connection.recv_bytes()
        except (EOFError, ConnectionResetError):
            raise WorkerCrashError(f"{name} ended its process {self._how_it_ended()}") from None

    def _how_it_ended(self) -> str:
        try:
            status = self.process.wait(5)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)  # what it had started
        except subprocess.TimeoutExpired:
            how = "(its connection was closed)"
        else:
            how = f"by {signal.Signals(-status).name}" if status < 0 else f"with exit status {status}"
        tail = (self.folder / "log").read_text(errors="replace").strip()[-LOG_TAIL:]
        return f"{how}; it had written:\n{tail}" if tail else how

    def signal(self) -> None:
        """Kill the child's whole process group, as R may have forked."""
        if self.owner == os.getpid() and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill the child and clean up; in a process forked from the owner, only drop the reference."""
        self.signal()
        self.connection.close()
        if self.owner == os.getpid():
            self.process.wait()
            worker_folders.remove(self.folder)
        else:
            self.process.returncode = 0  # not ours: keeps Popen from warning that it is still running


def end_with(parent: int, last: Callable[[], Any] = lambda: None) -> None:
    """End this process soon after its parent, from a thread that calls ``last`` first."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_INTERVAL)
        last()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def python_environment() -> dict[str, str]:
    """Environment in which a child Python can import what this process can."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(os.path.abspath(entry) for entry in sys.path)}


def _raise(type_name: str, arguments: tuple[Any, ...], exact: bool, trace: str) -> NoReturn:
    kind = getattr(errors, type_name, None) or getattr(builtins, type_name)
    error = kind(*arguments)
    if not (exact and isinstance(error, XCompareError)):  # whose messages need no traceback
        error.add_note(f"In the worker process:\n{trace}")
    raise error


# The functions below run in the child.


def _describe(error: BaseException) -> tuple[str, tuple[Any, ...], bool, str]:
    """An error as plain data, as the parent may not be able to import or unpickle its class."""
    trace = plain_text("".join(traceback.format_exception(error)).rstrip())
    for kind in type(error).__mro__:
        if kind in (Exception, BaseException) or not issubclass(kind, Exception):
            break  # SystemExit and the like must not end the parent
        exact = kind is type(error)
        arguments = error.args if exact else (error_text(error),)
        if kind in (getattr(errors, kind.__name__, None), getattr(builtins, kind.__name__, None)):
            with contextlib.suppress(Exception):  # arguments that cannot be pickled
                pickle.dumps(arguments)
                kind(*arguments)
                return kind.__name__, arguments, exact, trace
    return WorkerError.__name__, (error_text(error),), False, trace


def _answer(job: bytes) -> bytes:
    value = error = None
    with warnings.catch_warnings(record=True) as caught:
        try:
            module, function, args, kwargs = pickle.loads(job)
            value = getattr(importlib.import_module(module), function)(*args, **kwargs)
        except BaseException as raised:  # raised by the job itself: Ctrl-C does not reach this process
            error = _describe(raised)
    texts = tuple(dict.fromkeys(f"{w.category.__name__}: {plain_text(w.message)}" for w in caught))
    try:
        return pickle.dumps((value, error, texts), protocol=5)
    except BaseException as raised:
        return pickle.dumps((None, _describe(raised), texts), protocol=5)


def _end(folder: Path) -> None:
    """Clean up and end this process with everything it started."""
    worker_folders.remove(folder, orphaned=True)
    os.killpg(os.getpid(), signal.SIGKILL)


def main(descriptor: int, parent: int) -> None:
    """Serve jobs until the parent closes the connection or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C by killing this process
    del os.environ["PYTHONPATH"]  # already in sys.path, and not meant for a Python that R may start
    folder = Path(os.environ["TMPDIR"])
    end_with(parent, lambda: _end(folder))
    connection = Connection(descriptor)
    connection.send_bytes(b"ready")
    with contextlib.suppress(EOFError, ConnectionResetError, BrokenPipeError):
        while True:
            connection.send_bytes(_answer(connection.recv_bytes()))
    worker_folders.remove(folder, orphaned=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
