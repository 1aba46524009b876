"""Consoles and exit statuses: results go to standard output, messages to standard error."""

import json
import math
import shlex
from collections.abc import Iterable
from enum import IntEnum
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from xcompare.core.escaping import for_terminal


class Status(IntEnum):
    """Exit status of a command."""

    OK = 0
    """Success, possibly with some failed methods."""
    FAILED = 1
    """All methods failed, Python and R disagree, or the R engines cannot be used (``doctor``)."""
    REFUSED = 2
    """Invalid input or unwritable output, with a one-line message on standard error."""
    INTERRUPTED = 130
    """Stopped with Ctrl-C; completed runs are saved."""


class SafeConsole(Console):
    """A console that prints text literally: no markup, no emoji, control characters escaped.

    Without a terminal, rich writes plain text, 80 columns wide.
    """

    def __init__(self, *, stderr: bool = False, quiet: bool = False) -> None:
        super().__init__(stderr=stderr, quiet=quiet, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Segments to print, escaped; rich adds colours and cursor moves afterwards."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=for_terminal(segment.text))


out = SafeConsole()
err = SafeConsole(stderr=True)


def on_terminal() -> bool:
    """Whether both outputs are terminals."""
    return out.is_terminal and err.is_terminal


def command_line(context: typer.Context) -> str:
    """The current command, quoted for the shell."""
    return shlex.join(["xcompare", *context.obj])


def complain(message: str) -> None:
    """Print an error as one line on standard error."""
    err.print(f"xcompare: {' '.join(message.split())}", style="red", soft_wrap=True)


def remark(message: str) -> None:
    """Print a note on standard error."""
    err.print(message, style="dim", soft_wrap=True)


def print_json(value: Any) -> None:
    """Print one JSON document on standard output; NaN becomes null."""
    print(json.dumps(_without_nan(value), indent=2, allow_nan=False))


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
