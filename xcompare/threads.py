"""One thread for work too small, or too often done side by side, for a second one to pay."""

from contextlib import AbstractContextManager
from functools import cache

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
