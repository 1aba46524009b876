"""Methods of users' own, by where they are: ``module:function``, or ``module:ROW`` of a `Method`."""

import os
import sys
from importlib import import_module

from xcompare.core.errors import DataError
from xcompare.methods import METHODS, Method


def with_own_methods(methods: str) -> str:
    """Names of methods, separated by commas; those written ``module:name`` are put into the table first.

    Modules may be in the working directory. Only what a user types comes here: no name from a run store is
    ever imported.

    Raises
    ------
    DataError
        No such module or function, or a name that is taken.
    """
    names = [name.strip() for name in methods.split(",")]
    return ",".join(_loaded(name) if ":" in name else name for name in names)


def _loaded(text: str) -> str:
    """The name under which a method of this place is in the table now."""
    module, _, name = text.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # last: it hides no other module
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise DataError(
            f"methods written module:name must be in a module that can be imported; got {text!r}: {error}"
        ) from None
    if not isinstance(found, Method):
        if not callable(found):
            raise DataError(f"{text} must be a function or a Method; got {found!r}")
        found = Method(
            name, name, found, larger_is_better=True, normalization="max", reference=text, default=False,
            engines=("python",),
        )  # fmt: skip
    if METHODS.get(found.name, found).reference != found.reference:
        raise DataError(f"{text} needs a name of its own; {found.name!r} is a method of xcompare")
    METHODS[found.name] = found
    return found.name
