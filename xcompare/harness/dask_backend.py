"""joblib's Dask backend, extended to report lost tasks."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from joblib._dask import DaskDistributedBackend


class DaskBackend(DaskDistributedBackend):
    """joblib's Dask backend, except that a task whose workers died too often fails instead of hanging."""

    def submit(self, func: Callable, callback: Callable | None = None) -> Any:
        """Send a task to the cluster; ``callback`` gets its result or error."""

        def tell(done: Future) -> None:
            error = done.exception()
            if error is not None and callback is not None:
                callback(error)

        future = super().submit(func, callback)
        future.add_done_callback(tell)
        return future
