"""Thread limits of the numerical libraries, and joblib workers, for many small computations."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from threading import Thread
from typing import Any

from joblib import Parallel, effective_n_jobs
from threadpoolctl import ThreadpoolController

from xcompare.core.checks import is_whole
from xcompare.core.errors import DataError


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Context or decorator with one BLAS thread, which is much faster for small products on shared cores."""
    with _libraries().limit(limits=1, user_api="blas"):
        yield


def one_thread() -> AbstractContextManager:
    """Context with BLAS and OpenMP (used by scikit-learn's neighbour search) limited to one thread."""
    return _libraries().limit(limits=1)


@cache
def _libraries() -> ThreadpoolController:
    """Thread pools of the loaded libraries; cached, as the lookup takes longer than a small computation."""
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
    """Context with joblib's workers.

    joblib waits a tenth of a second to remove their files; a thread does this in the background.
    """
    if not (n_jobs is None or (is_whole(n_jobs) and n_jobs != 0)):
        raise DataError(f"n_jobs must be a whole number other than 0, or None; got {n_jobs!r}")
    with without_working_folder(), ExitStack() as stack:
        parallel = stack.enter_context(Parallel(n_jobs, **options))
        yield parallel
        if effective_n_jobs(n_jobs) > 1:
            Thread(target=stack.pop_all().close).start()
