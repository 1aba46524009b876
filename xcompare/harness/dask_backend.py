"""joblib's Dask backend, made to report what a cluster gives up on."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from joblib._dask import DaskDistributedBackend


class DaskBackend(DaskDistributedBackend):
    """As joblib's, but a task whose workers died once too often fails; joblib's would wait for ever."""

    def submit(self, func: Callable, callback: Callable | None = None) -> Any:
        """Send a task to the cluster; ``callback`` hears of its result, or of the error it ended with."""

        def tell(done: Future) -> None:
            error = done.exception()
            if error is not None and callback is not None:
                callback(error)

        future = super().submit(func, callback)
        future.add_done_callback(tell)
        return future
