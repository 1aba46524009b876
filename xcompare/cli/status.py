"""How a command ends, as a number for the shell."""

from enum import IntEnum


class Status(IntEnum):
    """Every exit status, for every command."""

    OK = 0
    """There is a result, which names the methods that could not run."""
    FAILED = 1
    """No method could run, Python and R do not agree, or the R engines cannot be used (``doctor``)."""
    REFUSED = 2
    """The input cannot be used or the output not be written, said in one line on standard error."""
    INTERRUPTED = 130
    """Stopped with Ctrl-C; finished runs are kept."""
