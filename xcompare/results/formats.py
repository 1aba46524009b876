"""Formats of tables. Imports nothing: the command line checks formats before anything else."""

from collections.abc import Sequence

from xcompare.core.errors import UnknownNameError

COMPARISON_FORMATS = ("csv", "latex", "markdown", "parquet")


def check_formats(formats: Sequence[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Validate the formats; None: all known ones."""
    for name in formats or ():
        if name not in known:
            raise UnknownNameError(f"no format {name!r}; known: {', '.join(known)}")
    return known if formats is None else tuple(dict.fromkeys(formats))
