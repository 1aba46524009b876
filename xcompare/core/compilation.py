"""Compiled loops of forests, FGKM and TWKM, with numba: ``pip install "xcompare-clustering[fast]"``.

Results are identical with numba and without: a compiled loop does the same operations in the same order.
numba is imported, and a loop compiled, when the loop is first called; machine code is cached on disk. The
first call takes 0.3 s to import numba, and seconds to compile, so callers use loops on large data only.
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
    """Decorator: the loop in machine code, compiled when first called; call it where ``can_compile()``.

    Parameters
    ----------
    loop : callable
        Takes and returns arrays and numbers, and calls numpy, and other functions of this decorator, which
        are written into it: that leaves nothing to pass from one to the other. It runs in one thread,
        without the interpreter's lock; dividing by 0 gives infinity, as in numpy.

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
        except RuntimeError:  # no folder to keep it in
            return numba.njit(whole, **OPTIONS)

    @wraps(loop)
    def call(*args: Any) -> Any:
        return machine_code()(*args)

    call.is_compiled = True  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _with_called(loop: Callable[..., Any]) -> Callable[..., Any]:
    """The loop, with what it calls ready to be written into it.

    numba keeps machine code by name while the file of the loop is the same. So that it does not outlive what
    was written into it from other files, the name tells when these were changed.
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
