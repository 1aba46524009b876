"""Peak memory of a computation, if the system reports it (Linux)."""

from collections.abc import Callable
from pathlib import Path

PROCESS = Path("/proc/self")
RESET_PEAK = "5"  # makes the kernel reset the peak


def watch_memory() -> Callable[[], float | None]:
    """Return a function that returns the peak growth of this process since then in MiB; None if unknown.

    Reused memory does not count, so small computations take none.

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
    """A field of the status of this process."""
    lines = dict(line.split(":", 1) for line in (PROCESS / "status").read_text().splitlines())
    return int(lines[name].split()[0])
