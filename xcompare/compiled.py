"""Loops in machine code, where numba is installed: ``pip install "xcompare[fast]"``.

With numba and without, results are the same bits: a compiled loop only looks for what is then computed as it
is without, or does the same operations in the same order. numba is imported, and a loop compiled, when the
loop is first called; what was compiled is kept on disk for the next process. That first call takes a moment
(to import, 0.3 s; to compile, seconds), so callers ask ``can_compile`` only where there is more to save, or
``pays``, which adds up what could be saved in many small pieces of work.
"""

import os
import sys
from collections.abc import Callable
from functools import cache, wraps
from importlib.util import find_spec
from typing import Any, TypeVar

SWITCH = "XCOMPARE_COMPILED"  # environment variable: 0 turns compiled loops off
SECONDS_TO_LOAD = 0.5  # numba, and a few loops that were compiled before

Loop = TypeVar("Loop", bound=Callable[..., Any])


def can_compile() -> bool:
    """Whether numba is installed, and the environment variable ``XCOMPARE_COMPILED`` is not 0."""
    return os.environ.get(SWITCH) != "0" and _numba_is_installed()


_could_have_saved = 0.0  # seconds, in this process


def pays(seconds: float) -> bool:
    """Whether to run work in compiled loops that would save this many seconds, to load numba not counted.

    From the time on when all that could have been saved in this process comes to what loading takes, or when
    numba is there already. So small work is not held up by it, a process that goes on for long gains, and
    none spends twice what it had to.
    """
    global _could_have_saved
    if not can_compile():
        return False
    _could_have_saved += seconds
    return "numba" in sys.modules or _could_have_saved >= SECONDS_TO_LOAD


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
