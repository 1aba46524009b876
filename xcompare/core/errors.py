"""Exceptions of xcompare."""

from xcompare.core.escaping import one_line


class XCompareError(Exception):
    """Base class of all exceptions of xcompare."""


class RUnavailableError(XCompareError, ImportError):
    """R or rpy2 is not available; the message says what is missing and how to install it."""


class RPackageMissingError(RUnavailableError):
    """A required R package is not installed."""


class WorkerError(XCompareError):
    """A worker process crashed or exceeded its time limit."""


class WorkerCrashError(WorkerError):
    """The worker process ended during a call."""


class WorkerTimeoutError(WorkerError, TimeoutError):
    """The call exceeded its time limit, and the worker was killed."""


class RCallError(XCompareError):
    """R raised an error.

    Attributes
    ----------
    message : str
        R's error message.
    call : str
        The R call that raised it, deparsed and truncated to 200 characters; "" if unknown.
    warnings : tuple of str
        R warnings raised before the error.
    output : str
        What R had printed before the error.
    """

    def __init__(
        self, message: str, call: str = "", warnings: tuple[str, ...] = (), output: str = ""
    ) -> None:
        super().__init__(message, call, warnings, output)
        self.message, self.call, self.warnings, self.output = message, call, warnings, output

    def __str__(self) -> str:
        where = f" in {self.call}" if self.call else ""
        return f"R error{where}: {self.message}"


class StoreError(XCompareError):
    """A run store cannot be used; the message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class OutputError(XCompareError, OSError):
    """A file cannot be written; the message names it and the reason."""


class SchedulerError(XCompareError):
    """A Dask cluster cannot be used."""


class DataError(XCompareError, ValueError):
    """The data or an argument is invalid; the message, one line, says why and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class UnknownNameError(XCompareError, ValueError):
    """Unknown name; the message lists similar ones."""
