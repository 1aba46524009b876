"""Loops in machine code, where numba is installed: ``pip install "xcompare[fast]"``.

With numba and without, results are the same bits: a compiled loop only looks for what is then computed as it
is without, or does the same operations in the same order. numba is imported, and a loop compiled, when the
loop is first called; what was compiled is kept on disk for the next process. That first call takes a moment
(to import, 0.3 s; to compile, seconds), so callers ask ``can_compile`` only where there is more to save.
"""

import os
from collections.abc import Callable
from functools import cache, wraps
from importlib.util import find_spec
from typing import Any, TypeVar

SWITCH = "XCOMPARE_COMPILED"  # environment variable: 0 turns compiled loops off

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
        Takes and returns arrays and numbers, and stands alone: it calls numpy, and no other function of ours.
        It runs in one thread, without the interpreter's lock; dividing by 0 gives infinity, as in numpy.

    Examples
    --------
    >>> import numpy as np
    >>> from xcompare.compiled import can_compile, compiled
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

        options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
        try:
            return numba.njit(loop, cache=True, **options)
        except RuntimeError:  # no folder to keep it in
            return numba.njit(loop, **options)

    @wraps(loop)
    def call(*args: Any) -> Any:
        return machine_code()(*args)

    return call  # type: ignore[return-value]
