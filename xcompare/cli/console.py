"""Where output goes: results to standard output, everything said about them to standard error."""

import json
from typing import Any

from rich.console import Console

# Off a terminal rich writes plain text, 80 columns wide.
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def complain(message: str) -> None:
    """One line on standard error, however long."""
    err.print(f"xcompare: {' '.join(message.split())}", style="red", markup=False, soft_wrap=True)


def remark(message: str) -> None:
    """Something the user should know, on standard error."""
    err.print(message, style="dim", markup=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """For programs: one JSON document on standard output; NaN, which JSON lacks, is null."""
    print(json.dumps(value, indent=2, default=str, allow_nan=False))
