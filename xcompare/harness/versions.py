"""Software versions: of the implementation, as part of a unit's key, and of all packages when it ran."""

import inspect
import platform
import types
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from xcompare import rbridge
from xcompare.harness.hashing import as_text, digest
from xcompare.methods import Engine, Method
from xcompare.version import __version__

OWN = f"xcompare {__version__}"

_without_source: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def computed_by(method: Method, engine: Engine, options: Mapping[str, Any]) -> str:
    """Implementation of a method with its version; part of the key of every result.

    For native methods this is xcompare; for R methods xcompare, R and the R packages that the method uses
    with these options; for user-defined methods a hash of the source of the defining module, or of the
    function alone in a script or notebook. Imported modules are not included.

    Examples
    --------
    >>> from xcompare.methods import get_method
    >>> computed_by(get_method("ls"), "python", {}).split()[0]
    'xcompare'
    """
    if engine == "r":
        asked_for = [name for name in method.r_optional if name in options.values()]
        names = (*method.r_required, *method.r_preferred, *asked_for)
        packages = rbridge.status(names).packages
        used = [f"{name} {packages[name]}" for name in names if packages.get(name)]
        return ", ".join([OWN, f"R {rbridge.status().r_version or 'missing'}", *used])
    function, bound = _unwrapped(method.run)
    if (getattr(function, "__module__", None) or "").split(".")[0] == "xcompare":
        return OWN
    return f"source {digest(as_text([_source(function), bound]))}"


def installed(engine: Engine) -> dict[str, str]:
    """Versions of the installed software that may affect results."""
    found = dict(_python_versions())
    if engine == "r":
        found["R"] = rbridge.status().r_version or "unknown"
    return found


@cache
def _python_versions() -> Mapping[str, str]:
    packages = ("numpy", "scipy", "scikit-learn")
    own = {"python": platform.python_version(), "xcompare": __version__}
    return own | {package: version(package) for package in packages}


def _unwrapped(run: Callable) -> tuple[Any, list[Any]]:
    """The function behind partials and decorators, and the plain values bound to it."""
    bound: list[Any] = []
    while isinstance(run, partial):
        values = [*enumerate(run.args), *run.keywords.items()]
        bound.append({str(name): value for name, value in values if _is_plain(value)})
        run = run.func
    function = inspect.unwrap(run)
    if not isinstance(function, types.FunctionType | types.MethodType | types.BuiltinFunctionType | type):
        function = type(function)  # a callable object
    return function, bound


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | None)


def _source(function: Any) -> str:
    """Source of the module that defines a function; of the function alone in the main script.

    A function without source gets a unique text, so that its results are never reused from a store.
    """
    module = inspect.getmodule(function)
    file = getattr(module, "__file__", None)
    if module is not None and module.__name__ != "__main__" and file and file.endswith(".py"):
        return Path(file).read_text(encoding="utf-8", errors="replace")
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):  # defined interactively or dynamically
        return _without_source.setdefault(function, uuid4().hex)
