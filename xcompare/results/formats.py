"""Formats of tables and figures. Imports nothing slow: the command line checks them before anything else."""

from collections.abc import Sequence

from xcompare.core.errors import UnknownNameError

FIGURES = ("svg", "pdf", "png")


def check_formats(formats: Sequence[str], known: Sequence[str], what: str = "formats") -> tuple[str, ...]:
    """The formats, each once; an error if one is not known."""
    for name in formats:
        if name not in known:
            raise UnknownNameError(f"{what} must be among {', '.join(known)}; got {name!r}")
    return tuple(dict.fromkeys(formats))
