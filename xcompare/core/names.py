"""Names in messages, and names that are not known."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

NAMES_SHOWN = 12


def listed(names: Collection[object]) -> str:
    """Names for a message; long lists are truncated.

    Examples
    --------
    >>> listed(range(14))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more'
    """
    shown = ", ".join(str(name) for name in list(names)[:NAMES_SHOWN])
    return shown + (f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else "")


def hint(wanted: str, names: Sequence[str]) -> str:
    """The most similar name, as the start of a hint; empty if there is none.

    Examples
    --------
    >>> hint("speces", ["species", "a"])
    "did you mean 'species'? "
    """
    near = get_close_matches(wanted, names, n=1) or [
        name for name in names if name.casefold() == wanted.casefold()
    ]
    return f"did you mean {near[0]!r}? " if near else ""


def label_text(label: Any) -> str:
    """A label as text: whole numbers without decimals, which pandas adds to a column with gaps.

    Examples
    --------
    >>> label_text(2.0), label_text(2.5), label_text("2.0")
    ('2', '2.5', '2.0')
    """
    whole = isinstance(label, Real) and not isinstance(label, Integral) and float(label).is_integer()
    return str(int(label)) if whole else str(label)
