"""Compiled loops of forests, with numba: ``pip install "xcompare-clustering[fast]"``.

Results are identical with and without numba: a compiled loop does the same operations in the same order.
numba is imported, and a loop compiled, on the first call; machine code is cached on disk. As importing takes
0.3 s and compiling seconds, callers use compiled loops on large data only.
"""

import os
from collections.abc import Callable
from functools import cache, wraps
from importlib.util import find_spec
from types import FunctionType
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

    ``loop``: takes and returns arrays and numbers. It may call numpy and other functions with this decorator,
    which are inlined. It runs in one thread and releases the GIL; division by 0 gives infinity, as in numpy.

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

        whole = _with_called(loop)
        try:
            return numba.njit(whole, cache=True, **OPTIONS)
        except RuntimeError:  # no writable cache folder
            return numba.njit(whole, **OPTIONS)

    @wraps(loop)
    def call(*args: Any) -> Any:
        return machine_code()(*args)

    call.is_compiled = True  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _with_called(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return the loop with the compiled functions it calls inlined.

    numba caches machine code by name as long as the loop's file is unchanged. The name therefore includes the
    modification time of the files whose functions are inlined.
    """
    import numba

    named: dict[str, Any] = {name: loop.__globals__.get(name) for name in loop.__code__.co_names}
    called = {name: _with_called(f.__wrapped__) for name, f in named.items() if hasattr(f, "is_compiled")}
    if not called:
        return loop
    inlined = {name: numba.njit(f, inline="always", **OPTIONS) for name, f in called.items()}
    whole = FunctionType(loop.__code__, {**loop.__globals__, **inlined}, loop.__name__)
    files = (f.__code__.co_filename for f in called.values())
    changed = max((os.stat(file).st_mtime_ns for file in files if os.path.exists(file)), default=0)
    whole.__qualname__ = f"{loop.__qualname__}_{changed}"
    return whole
