"""What makes many small pieces of work fast: one thread for each, and memory that stays with the process."""

import mmap
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from joblib import Parallel, effective_n_jobs
from threadpoolctl import ThreadpoolController

KEPT = 24 * 2**20  # bytes
OWNED, OWNED_BYTES = 4, 64 * 2**20  # arrays that a worker copies, and how large they are at most


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


def own(array: np.ndarray) -> np.ndarray:
    """The array; of one that joblib maps from a file for a task, a copy that is there for the next task too.

    A worker process maps the same file anew for each task, and finds its pages one by one. A few copies of
    at most 64 MB are kept, the last ones, and none of another folder: those are of a fit that is over.
    """
    if not isinstance(array, np.memmap) or array.filename is None or array.nbytes > OWNED_BYTES:
        return array
    if not array.flags.c_contiguous:  # a copy would be in another order
        return array
    file = Path(array.filename)
    name = file.parent, file.name, array.offset
    if name not in _owned:
        for other in list(_owned):
            if other[0] != file.parent or len(_owned) >= OWNED:
                del _owned[other]
        _owned[name] = in_large_pages(array)
    return _owned[name]


_owned: dict[tuple[Path, str, int], np.ndarray] = {}


def in_large_pages(array: np.ndarray) -> np.ndarray:
    """A copy in memory of its own, in large pages where the system has them.

    To read here and there takes longer in memory that was first used in small pages, as most of what a
    process freed and uses again was. On a bag of 100,000 rows that is a twentieth of all.
    """
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.array(array)
    memory = mmap.mmap(-1, array.nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a system without
        memory.madvise(mmap.MADV_HUGEPAGE)
    copy = np.frombuffer(memory, array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
