"""Options that several commands take."""

import csv
from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def split_names(text: str | None) -> list[str] | None:
    """``"a,b"`` as ``["a", "b"]``; a name with a comma goes in double quotes.

    Examples
    --------
    >>> split_names('a, "b, c"')
    ['a', 'b, c']
    """
    if text is None:
        return None
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True)) if name.strip()]
