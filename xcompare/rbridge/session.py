"""The R session of a worker process; the only module that imports rpy2.

Nothing here runs in the caller's process. Conversions are explicit, through the low-level interface:
rpy2's automatic ones return R's own memory, turn an integer NA into -2147483648, and differ
between versions of rpy2.
"""

import importlib
import os
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np

from xcompare.core.errors import RCallError, RUnavailableError
from xcompare.rbridge.detect import NO_USER_FILES

_ri: Any = None  # rpy2.rinterface, once R is running
_guarded_call: Any = None  # R function of session.R
_r_version = ""


def start() -> str:
    """Start R if it is not running, and return its version."""
    global _ri, _guarded_call, _r_version
    if _ri is None:
        try:
            ri = _start_r()
        except Exception as error:  # a broken rpy2 raises ImportError, ValueError or cffi's own errors
            raise RUnavailableError(f"{type(error).__name__}: {error}") from error
        scope = ri.evalr("new.env(parent = baseenv())")
        ri.evalr("function(file, scope) sys.source(file, envir = scope, keep.source = FALSE)")(
            str(Path(__file__).with_name("session.R")), scope
        )
        _guarded_call = scope["guarded_call"]
        _r_version = ri.evalr('paste(R.version$major, R.version$minor, sep = ".")')[0]
        _ri = ri
    return _r_version


def _start_r() -> Any:
    for name, value in NO_USER_FILES.items():  # before rpy2, which starts Rscript when it is imported
        os.environ.setdefault(name, value)
    embedded: Any = importlib.import_module("rpy2.rinterface_lib.embedded")
    callbacks: Any = importlib.import_module("rpy2.rinterface_lib.callbacks")
    # Ignore .RData and .Rprofile of the working directory; library paths come from the environment.
    embedded.set_initoptions(("rpy2", "--quiet", "--no-save", "--no-restore", "--no-init-file"))
    # rpy2 disables R's check of the C stack, which turns infinite recursion into a segmentation fault.
    stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
    embedded._DEFAULT_C_STACK_LIMIT = 7 * 2**20 if stack < 0 else stack * 7 // 8
    callbacks.consolewrite_print = callbacks.consolewrite_warnerror = lambda text: print(text, end="")
    callbacks.consoleread = lambda prompt: "\n"

    ri: Any = importlib.import_module("rpy2.rinterface")
    ri.initr(interactive=False)
    return ri


def call(
    xcompare: str, script: str | None, function: str, arguments: dict[str, Any], seed: int | None
) -> dict[str, Any]:
    """Call a function of the file ``xcompare``, or of ``script``; return the fields of an ``RResult``."""
    r_version = start()
    began = time.perf_counter()
    files = to_r([xcompare]), to_r(None if script is None else [script])
    answer = _guarded_call(*files, function, to_r(arguments), to_r(seed))
    seconds = time.perf_counter() - began
    value, error, warnings, output = answer
    texts = tuple(to_py(warnings, "warnings"))
    printed = "\n".join(to_py(output, "output"))
    if error is not _ri.NULL:
        raise RCallError(error[0], error[1], texts, printed)
    values = to_py(value, f"{function}()")
    if not isinstance(values, dict):
        raise RCallError(
            f"{function}() must return a named list; got {_kind(value)}", function, texts, printed
        )
    return {
        "values": values,
        "warnings": texts,
        "output": printed,
        "seconds": seconds,
        "r_version": r_version,
    }


def to_r(value: Any) -> Any:
    """R object for a value returned by ``arguments.plain``, or for an int."""
    if value is None:
        return _ri.NULL
    if isinstance(value, int):
        return _ri.IntSexpVector([value])
    if isinstance(value, dict):
        vector = _ri.ListSexpVector([to_r(item) for item in value.values()])
        vector.names = _ri.StrSexpVector(list(value))
        return vector
    if isinstance(value, list):
        return _ri.StrSexpVector([_ri.NA_Character if item is None else item for item in value])
    kinds = {"f": _ri.FloatSexpVector, "i": _ri.IntSexpVector, "b": _ri.BoolSexpVector}
    numbers = value.astype(np.int32) if value.dtype.kind == "b" else value
    vector = kinds[value.dtype.kind].from_memoryview(memoryview(numbers.ravel(order="F")))
    if value.ndim > 1:
        vector.do_slot_assign("dim", _ri.IntSexpVector(value.shape))
    return vector


def to_py(r_object: Any, name: str) -> Any:
    """Convert an R object: arrays are copied, NA becomes nan (None in strings)."""
    if r_object is _ri.NULL:
        return None
    if isinstance(r_object, _ri.ListSexpVector):
        if r_object.names is _ri.NULL:
            return [to_py(item, f"{name}[[{i}]]") for i, item in enumerate(r_object, start=1)]
        return {key: to_py(item, f"{name}${key}") for key, item in zip(r_object.names, r_object, strict=True)}
    if isinstance(r_object, _ri.StrSexpVector):
        strings = [None if item is _ri.NA_Character else item for item in r_object]
        shape = _shape(r_object)
        return strings if shape is None else np.array(strings, dtype=object).reshape(shape, order="F")
    if isinstance(r_object, _ri.IntSexpVector) and "levels" in list(r_object.list_attrs()):
        levels = [None, *r_object.do_slot("levels")]
        return [levels[max(code, 0)] for code in _copy(r_object, np.int32)]  # NA is the smallest integer
    if isinstance(r_object, _ri.FloatSexpVector):
        return _copy(r_object, np.float64)
    if isinstance(r_object, _ri.IntSexpVector | _ri.BoolSexpVector):
        numbers = _copy(r_object, np.int32)
        missing = numbers == np.iinfo(np.int32).min
        if missing.any():
            return np.where(missing, np.nan, numbers)
        return numbers.astype(bool) if isinstance(r_object, _ri.BoolSexpVector) else numbers
    raise RCallError(
        f"{name} is {_kind(r_object)}; only numbers, logicals, strings and lists can be returned"
    )


def _copy(vector: Any, dtype: Any) -> np.ndarray:
    # Through numpy's array interface: rpy2's memoryview() (3.6.5) loses a reference to None each time, and
    # Python aborts after a thousand calls.
    return np.array(vector, dtype=dtype)


def _shape(vector: Any) -> tuple[int, ...] | None:
    return tuple(vector.do_slot("dim")) if "dim" in list(vector.list_attrs()) else None


def _kind(r_object: Any) -> str:
    """Type of an R object, e.g. "an R closure"."""
    kind = _ri.evalr("typeof")(r_object)[0]
    return "a list without names" if kind == "list" else f"an R {kind}"
