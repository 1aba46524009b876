"""Every error xcompare raises on purpose, apart from plain ``ValueError`` of single methods."""

from xcompare.core.escaping import one_line


class XCompareError(Exception):
    """Base class: catch this to catch everything xcompare raises on purpose."""


class RUnavailableError(XCompareError, ImportError):
    """R, or rpy2, cannot be used here; the message says what is missing and how to get it."""


class RPackageMissingError(RUnavailableError):
    """R works, but a package the call needs is not installed."""


class WorkerError(XCompareError):
    """A worker process did not deliver: it crashed or ran out of time."""


class WorkerCrashError(WorkerError):
    """The worker process ended in the middle of a call."""


class WorkerTimeoutError(WorkerError, TimeoutError):
    """The call took longer than its time limit; the worker was killed."""


class RCallError(XCompareError):
    """R raised an error; the message is R's own.

    Attributes
    ----------
    message : str
        R's error message.
    call : str
        The R call that raised it, deparsed and cut to 200 characters; "" when unknown.
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
    """A run store cannot be used: not a store, another schema, or another run; the message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class OutputError(XCompareError, OSError):
    """A file cannot be written; the message names it and the reason."""


class SchedulerError(XCompareError):
    """A Dask cluster was asked for and cannot be used."""


class DataError(XCompareError, ValueError):
    """The data, or an argument, cannot be used; the message says why and what to do.

    It is one line, whatever the names in it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class UnknownNameError(XCompareError, ValueError):
    """A name that is not in a table of names; the message lists near matches."""
