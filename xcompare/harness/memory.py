"""How much memory a piece of work takes, where the system can say so (Linux)."""

from collections.abc import Callable
from pathlib import Path

PROCESS = Path("/proc/self")
RESET_PEAK = "5"  # what makes the kernel count the peak anew from now


def watch_memory() -> Callable[[], float | None]:
    """A function that says how far this process has grown since, at its largest, in MiB; None if unknown.

    Memory that the process held already and uses again does not count: small work takes none.

    Examples
    --------
    >>> taken = watch_memory()
    >>> grown = taken()
    >>> grown is None or grown >= 0
    True
    """
    try:
        (PROCESS / "clear_refs").write_text(RESET_PEAK)
        before = _kibibytes("VmRSS")
    except (OSError, LookupError):
        return lambda: None

    def taken() -> float | None:
        try:
            return max(_kibibytes("VmHWM") - before, 0) / 1024
        except (OSError, LookupError):
            return None

    return taken


def _kibibytes(name: str) -> int:
    """A line of the status of this process."""
    lines = dict(line.split(":", 1) for line in (PROCESS / "status").read_text().splitlines())
    return int(lines[name].split()[0])
