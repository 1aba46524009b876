"""Threads of the numerical libraries, and worker processes, for many small computations."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from threading import Thread
from typing import Any

from joblib import Parallel, effective_n_jobs
from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager:
    """Context with BLAS limited to one thread; on shared cores, small products are far faster so."""
    return _libraries().limit(limits=1, user_api="blas")


def one_thread() -> AbstractContextManager:
    """Context with BLAS and OpenMP, as scikit-learn's neighbour search uses it, limited to one thread."""
    return _libraries().limit(limits=1)


@cache
def _libraries() -> ThreadpoolController:
    """The thread pools of the libraries loaded, looked up once: it takes longer than a small problem."""
    return ThreadpoolController()


@contextmanager
def without_working_folder() -> Iterator[None]:
    """Context in which new Python processes import nothing from the working directory, as with ``-P``."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextmanager
def workers(n_jobs: int | None, **options: Any) -> Iterator[Parallel]:
    """Context with joblib's workers, which is left before their files are cleared away.

    joblib waits a tenth of a second for that, and a thread can wait for it as well as the caller.
    """
    with without_working_folder(), ExitStack() as stack:
        parallel = stack.enter_context(Parallel(n_jobs, **options))
        yield parallel
        if effective_n_jobs(n_jobs) > 1:
            Thread(target=stack.pop_all().close).start()
