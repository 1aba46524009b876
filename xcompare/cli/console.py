"""Where output goes: results to standard output, everything said about them to standard error."""

import json
import math
import shlex
from collections.abc import Iterable
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from xcompare.core.escaping import for_terminal


class SafeConsole(Console):
    """A console that shows texts as they are: brackets, colons, and what would be orders to the terminal.

    Off a terminal rich writes plain text, 80 columns wide.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What to write, piece by piece; rich adds its colours and cursor moves after this."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=for_terminal(segment.text))


out = SafeConsole()
err = SafeConsole(stderr=True)


def on_terminal() -> bool:
    """Whether someone is watching: neither output goes to a file or a program."""
    return out.is_terminal and err.is_terminal


def command_line(context: typer.Context) -> str:
    """The command under way, as one would type it."""
    return shlex.join(["xcompare", *context.obj])


def complain(message: str) -> None:
    """One line on standard error, however long."""
    err.print(f"xcompare: {' '.join(message.split())}", style="red", soft_wrap=True)


def remark(message: str) -> None:
    """Something the user should know, on standard error."""
    err.print(message, style="dim", soft_wrap=True)


def print_json(value: Any) -> None:
    """For programs: one JSON document on standard output; NaN, which JSON lacks, is null."""
    print(json.dumps(_without_nan(value), indent=2, allow_nan=False))


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
