"""What makes many small pieces of work fast: one thread for each, and memory that stays with the process."""

from contextlib import AbstractContextManager
from functools import cache

import numpy as np
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
    at most 64 MB are kept, the last ones.
    """
    if not isinstance(array, np.memmap) or array.filename is None or array.nbytes > OWNED_BYTES:
        return array
    name = f"{array.filename} {array.offset}"
    if name not in _owned:
        while len(_owned) >= OWNED:
            del _owned[next(iter(_owned))]
        _owned[name] = np.array(array)
    return _owned[name]


_owned: dict[str, np.ndarray] = {}
