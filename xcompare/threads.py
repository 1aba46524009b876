"""Threads of the numerical libraries, worker processes, and memory reuse, for many small computations."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from threading import Thread
from typing import Any

import numpy as np
from joblib import Parallel, effective_n_jobs
from threadpoolctl import ThreadpoolController

KEPT = 24 * 2**20  # bytes


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
def workers(n_jobs: int | None, **options: Any) -> Iterator[Parallel]:
    """Context with joblib's workers, which is left before their files are cleared away.

    joblib waits a tenth of a second for that, and a thread can wait for it as well as the caller.
    """
    with ExitStack() as stack:
        parallel = stack.enter_context(Parallel(n_jobs, **options))
        yield parallel
        if effective_n_jobs(n_jobs) > 1:
            Thread(target=stack.pop_all().close).start()


@cache
def keep_freed_memory() -> None:
    """Have arrays of up to 24 MB reuse memory that others freed, for as long as the process lives.

    The C library of Linux gives every freed block of 128 kB or more back to the system and asks for it again,
    page by page: for short-lived arrays that takes longer than the work on them. It stops doing so below the
    size of the largest block freed so far (``M_MMAP_THRESHOLD`` in ``mallopt(3)``), so one is freed here,
    untouched. Elsewhere this does nothing.
    """
    np.empty(KEPT, dtype=np.uint8)
