"""Which software computes a unit, as part of its key, and which software was there when it ran."""

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
    """Software that computes a method here, with its version: part of the key of every result.

    For xcompare's native methods that is xcompare; for R it is xcompare, R and the packages the method uses
    there with these options; for a user's own method, a hash of its source text: of the module it is defined
    in, or of the function alone in a script or notebook. Imported modules are not included.

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
    """Software here that may change a result."""
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
        function = type(function)  # an object that is called
    return function, bound


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | None)


def _source(function: Any) -> str:
    """Source of the module a function is defined in; of the function alone where that is the main script.

    A function without source text gets a text of its own: its results are never taken from a store.
    """
    module = inspect.getmodule(function)
    file = getattr(module, "__file__", None)
    if module is not None and module.__name__ != "__main__" and file and file.endswith(".py"):
        return Path(file).read_text(encoding="utf-8", errors="replace")
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):  # typed at a prompt, or made by a program
        return _without_source.setdefault(function, uuid4().hex)
