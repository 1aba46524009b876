"""Compiled loops of forests, with numba: ``pip install "xcompare-clustering[fast]"``.

Results are identical with and without numba: a compiled loop does the same operations in the same order.
numba is imported, and a loop compiled, on the first call; machine code is cached on disk. As importing takes
0.3 s and compiling seconds, callers use compiled loops on large data only.
"""

import os
from collections.abc import Callable
from functools import cache, wraps
from importlib.util import find_spec
from typing import Any, TypeVar

SWITCH = "XCOMPARE_COMPILED"  # environment variable: 0 turns compiled loops off
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

Loop = TypeVar("Loop", bound=Callable[..., Any])


def can_compile() -> bool:
    """Whether numba is installed, and the environment variable ``XCOMPARE_COMPILED`` is not 0."""
    return os.environ.get(SWITCH) != "0" and _numba_is_installed()


@cache
def _numba_is_installed() -> bool:
    """Whether numba is installed, looked up once."""
    return find_spec("numba") is not None


def compiled(loop: Loop) -> Loop:
    """Decorator that compiles a loop on its first call; check ``can_compile()`` before calling it.

    ``loop``: takes and returns arrays and numbers. It may call numpy and functions inside it. It runs in one
    thread and releases the GIL; division by 0 gives infinity, as in numpy.

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.core.compilation import can_compile, compiled
    >>> @compiled
    ... def first_above(values, limit):
    ...     for i in range(values.size):
    ...         if values[i] > limit:
    ...             return i
    ...     return -1
    >>> first_above(np.arange(5.0), 2.5) if can_compile() else 3
    3
    """

    @cache
    def machine_code() -> Callable[..., Any]:
        import numba

        try:
            return numba.njit(loop, cache=True, **OPTIONS)
        except RuntimeError:  # no writable cache folder
            return numba.njit(loop, **OPTIONS)

    @wraps(loop)
    def call(*args: Any) -> Any:
        return machine_code()(*args)

    return call  # type: ignore[return-value]
