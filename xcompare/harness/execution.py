"""Settings of the execution, which affect the running time but never the results."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

from xcompare.core.checks import is_whole
from xcompare.core.errors import DataError
from xcompare.core.worker import SUPPORTED
from xcompare.harness.progress import ProgressReport


@dataclass(frozen=True)
class Execution:
    """Settings of the execution, validated on construction.

    Raises
    ------
    DataError

    Examples
    --------
    >>> Execution(n_jobs=0)
    Traceback (most recent call last):
    ...
    xcompare.core.errors.DataError: n_jobs must be a whole number other than 0, or None for every core; got 0
    """

    n_jobs: int | None = None  # processes on this machine. None: one per core.
    store: str | PathLike[str] | None = None  # run store; None: in memory
    # Time limit of a unit in seconds, without the startup of its process or of R
    timeout: float | None = None
    # Whether to show progress, or a function to call with each `ProgressReport`
    progress: bool | Callable[[ProgressReport], None] = True
    scheduler: str | None = None  # address of a Dask scheduler; ``n_jobs`` is then ignored
    # Folder that all Dask workers see, to hold the data; None: the data is sent with each unit
    data_on_workers: str | PathLike[str] | None = None

    def __post_init__(self) -> None:
        checks = {
            "n_jobs": (_is_count(self.n_jobs), "a whole number other than 0, or None for every core"),
            "store": (isinstance(self.store, str | PathLike | None), "the path of a run store, or None"),
            "timeout": (_is_time(self.timeout), "a positive number of seconds, or None"),
            "progress": (isinstance(self.progress, bool) or callable(self.progress), "a bool or a function"),
            "scheduler": (isinstance(self.scheduler, str | None), "the address of a Dask scheduler, or None"),
            "data_on_workers": (
                self.data_on_workers is None
                or (self.scheduler is not None and Path(self.data_on_workers).is_dir()),
                "an existing folder that all workers of the scheduler see, or None",
            ),
        }
        for name, (fits, expected) in checks.items():
            if not fits:
                raise DataError(f"{name} must be {expected}; got {getattr(self, name)!r}")
        if self.timeout is not None and not SUPPORTED:
            raise DataError(
                "timeout needs processes that can be killed, on Linux or macOS; leave it out here"
            )


def _is_count(value: Any) -> bool:
    return value is None or (is_whole(value) and value != 0)


def _is_time(value: Any) -> bool:
    real = isinstance(value, Real) and not isinstance(value, bool)
    return value is None or (real and value > 0 and not math.isnan(value))
