"""Results as tables for a terminal."""

from rich import box
from rich.table import Table


def grid(*headings: str, title: str | None = None) -> Table:
    """An empty table; a heading that starts with ``>`` is right-aligned."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        show_edge=False,
        title=title,
        title_justify="left",
        title_style="bold",
    )
    for heading in headings:
        right = heading.startswith(">")
        table.add_column(heading.removeprefix(">"), justify="right" if right else "left")
    return table
