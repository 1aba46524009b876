"""User-defined methods, given as ``module:function`` or, for a `Method`, ``module:ROW``."""

import os
import sys
from importlib import import_module

from xcompare.core.errors import DataError
from xcompare.methods import METHODS, Method, get_method
from xcompare.methods.base import PYTHON


def with_own_methods(methods: str) -> str:
    """Names of methods, separated by commas and known; those given as ``module:name`` are registered first.

    Modules may be in the working directory. Only user input is imported, never a name from a run store.

    Raises
    ------
    DataError
        No such module or function, or the name is already in use.
    """
    names = [name.strip() for name in methods.split(",")]
    loaded = [_loaded(name) if ":" in name else name for name in names]
    for name in loaded:
        if name not in METHODS and name not in ("", "all", "default"):
            get_method(name)  # raises
    return ",".join(loaded)


def _loaded(text: str) -> str:
    """Register a method given as ``module:name``, and return its name."""
    module, _, name = text.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # last, so that it shadows no other module
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise DataError(
            f"methods written module:name must be in a module that can be imported; got {text!r}: {error}"
        ) from None
    if not isinstance(found, Method):
        if not callable(found):
            raise DataError(f"{text} must be a function or a Method; got {found!r}")
        found = Method(name, name, found, reference=text, default=False, engines=PYTHON)
    if METHODS.get(found.name, found).reference != found.reference:
        raise DataError(f"{text} needs a name of its own; {found.name!r} is a method of xcompare")
    METHODS[found.name] = found
    return found.name
