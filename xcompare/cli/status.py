"""Exit statuses of the commands."""

from enum import IntEnum


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
